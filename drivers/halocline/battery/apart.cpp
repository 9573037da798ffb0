#include "drivers/halocline/battery/apart.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

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

/// A process, its parent and the processor time that its threads have used so far.
struct Process {
  pid_t number = 0;
  pid_t parent = 0;
  double seconds = 0;
};

/// From /proc/…/stat; empty if the process has ended.
std::optional<Process> read_process(std::filesystem::path const& folder) {
  std::ifstream file(folder / "stat");
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  // The second field, a name in parentheses, may contain anything.
  std::size_t const name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  Process process{.number = static_cast<pid_t>(std::stol(text))};
  std::string state, skipped;
  fields >> state >> process.parent;
  for (int field = 5; field <= 13; ++field) fields >> skipped;
  double user = 0, system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  process.seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return process;
}

/// The longest processor time of a process and of all that it and its descendants have started and that still run.
double longest_processor_time(pid_t root) {
  std::vector<Process> all;
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())) == 0) continue;
    if (auto const process = read_process(entry.path())) all.push_back(*process);
  }
  double longest = 0;
  std::vector<pid_t> family{root};
  for (std::size_t n = 0; n < family.size(); ++n) {
    for (Process const& process : all) {
      if (process.number == family[n]) longest = std::max(longest, process.seconds);
      if (process.parent == family[n]) family.push_back(process.number);
    }
  }
  return longest;
}

/// Reads what has arrived. Whether the other end is still open.
bool read_some(int pipe, std::string& text) {
  std::array<char, 4096> part{};
  ssize_t const count = read(pipe, part.data(), part.size());
  if (count < 0 && errno == EINTR) return true;
  if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Whether something arrives, or the other end is closed, within a fifth of a second.
bool has_news(int pipe) {
  constexpr int milliseconds = 200;
  pollfd news{pipe, POLLIN, 0};
  return poll(&news, 1, milliseconds) > 0;
}

struct End {
  int status = 0;
  bool computed_too_long = false;
  bool waited_too_long = false;
  std::string text;
};

constexpr double patience = 10;  ///< longest duration, in units of the longest processor time

/// Reads all that `process` writes until it closes its end or exceeds a limit, at which it is killed.
void attend(int pipe, pid_t process, double seconds, End& end) {
  auto const begin = Clock::now();
  for (;;) {
    if (has_news(pipe)) {
      if (!read_some(pipe, end.text)) return;
      continue;
    }
    std::chrono::duration<double> const passed = Clock::now() - begin;
    end.computed_too_long = passed.count() > seconds && longest_processor_time(process) > seconds;
    end.waited_too_long = !end.computed_too_long && passed.count() > patience * seconds;
    if (!end.computed_too_long && !end.waited_too_long) continue;
    kill(-process, SIGKILL);
    return;
  }
}

/// Runs `work` in a new process with the writing end of a pipe; returns how it ended and what it wrote.
template <class Work>
End in_process(Work const& work, double seconds) {
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
  attend(out.number(), process, seconds, end);
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

Finding apart(std::function<Finding()> const& check, double seconds, bool starts_kokkos) {
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
  if (end.computed_too_long) {
    return {Finding::Verdict::inconclusive,
            fmt::format("took more than {:g} s of processor time; --limit grants more", seconds)};
  }
  if (end.waited_too_long) return failed(fmt::format("did not end within {:g} s, though it waits", patience * seconds));
  if (WIFSIGNALED(end.status)) return failed(std::string("crashed: ") + strsignal(WTERMSIG(end.status)));
  if (end.text.empty()) return failed(fmt::format("the process exited early, with code {}", WEXITSTATUS(end.status)));
  return {static_cast<Finding::Verdict>(end.text.front() - '0'), end.text.substr(1)};
}

ProgramEnd run_program_with(std::vector<std::string> const& words) {
  return run_other_program("/proc/self/exe", words);
}

ProgramEnd run_other_program(std::string const& program, std::vector<std::string> const& words) {
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
  End const end = in_process(work, std::numeric_limits<double>::infinity());
  return {WIFEXITED(end.status) ? WEXITSTATUS(end.status) : 128 + WTERMSIG(end.status), end.text};
}

}  // namespace halocline::battery
