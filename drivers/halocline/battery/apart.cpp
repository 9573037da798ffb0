#include "drivers/halocline/battery/apart.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "drivers/halocline/isolated_process.hpp"
#include "drivers/halocline/memory_tally.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

using Clock = std::chrono::steady_clock;

/// In a process group of its own, so that it can be killed with all that it has started.
void isolate_group(bool keeps_output) {
  isolate_process(keeps_output, SIG_DFL);
  setpgid(0, 0);
}

/// Reads until the other end is closed. If that takes longer than `deadline`, returns false with what was read so far.
bool read_to_end(int pipe, std::string& text, Clock::time_point deadline) {
  std::array<char, 4096> part{};
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd news{pipe, POLLIN, 0};
    int const ready = left > 0 ? poll(&news, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    ssize_t const count = read(pipe, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

struct End {
  int status = 0;
  bool in_time = true;
  std::string text;
};

/// Runs `work` in a new process with the writing end of a pipe; returns how it ended and what it wrote.
template <class Work>
End in_process(Work const& work, int seconds) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw InputOutputError("cannot create a pipe for a check");
  Descriptor const out(ends[0]);
  pid_t process = -1;
  {
    Descriptor const in(ends[1]);
    process = fork();
    if (process == 0) work(in.number());
  }
  if (process < 0) throw InputOutputError("cannot start a process for a check");
  setpgid(process, process);
  End end;
  end.in_time = read_to_end(out.number(), end.text, Clock::now() + std::chrono::seconds(seconds));
  if (!end.in_time) kill(-process, SIGKILL);
  while (waitpid(process, &end.status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

[[noreturn]] void send(int pipe, Finding const& finding) {
  std::string const text = std::to_string(static_cast<int>(finding.verdict)) + finding.text;
  static_cast<void>(write_all(pipe, text));
  _exit(0);
}

}  // namespace

Finding apart(std::function<Finding()> const& check, int seconds, bool starts_kokkos) {
  auto const work = [&](int pipe) {
    isolate_group(false);
    try {
      if (starts_kokkos) start_kokkos_for_tally();
      send(pipe, check());
    } catch (std::exception const& error) {
      send(pipe, failed(error.what()));
    } catch (...) {
      send(pipe, failed("it threw an object that is not a std::exception"));
    }
  };
  End const end = in_process(work, seconds);
  if (!end.in_time) return failed(fmt::format("did not end within {} s", seconds));
  if (WIFSIGNALED(end.status)) return failed(std::string("crashed: ") + strsignal(WTERMSIG(end.status)));
  if (end.text.empty()) return failed(fmt::format("the process exited early, with code {}", WEXITSTATUS(end.status)));
  return {static_cast<Finding::Verdict>(end.text.front() - '0'), end.text.substr(1)};
}

ProgramEnd run_program_with(std::vector<std::string> const& words, int seconds) {
  return run_other_program("/proc/self/exe", words, seconds);
}

ProgramEnd run_other_program(std::string const& program, std::vector<std::string> const& words, int seconds) {
  auto const work = [&](int pipe) {
    isolate_group(true);
    dup2(pipe, STDOUT_FILENO);
    dup2(pipe, STDERR_FILENO);
    std::string name = "halocline";
    std::vector<std::string> own = words;
    std::vector<char*> arguments{name.data()};
    for (std::string& word : own) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(127);
  };
  End const end = in_process(work, seconds);
  if (!end.in_time) return {-1, end.text};
  return {WIFEXITED(end.status) ? WEXITSTATUS(end.status) : 128 + WTERMSIG(end.status), end.text};
}

}  // namespace halocline::battery
