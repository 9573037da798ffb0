#include "framework/runtime/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "framework/runtime/descriptor.hpp"

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;

/// Time for a child to end the processes that it has started itself.
constexpr std::chrono::seconds grace{2};
constexpr std::chrono::milliseconds poll_interval{10};
constexpr std::size_t longest_text = 1 << 16;  // bytes

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Signal settings and files of a new child.
class Start {
 public:
  explicit Start(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Start() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  Start(Start const&) = delete;
  Start& operator=(Start const&) = delete;

  /// \return an errno; 0: the process has started
  [[nodiscard]] int process(std::vector<std::string>& words, std::vector<std::string>& environment, pid_t& number) {
    return posix_spawnp(&number, words.front().c_str(), &files_, &attributes_, pointers_to(words).data(),
                        pointers_to(environment).data());
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// Appends available output. False at the end of the pipe.
bool read_into(std::string& text, int pipe) {
  std::array<char, 4096> part{};
  while (true) {
    ssize_t const count = read(pipe, part.data(), part.size());
    if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR);
    text.append(part.data(), std::min(static_cast<std::size_t>(count), longest_text - text.size()));
  }
}

/// Whether a process causes this signal itself.
bool is_fault(int signal) {
  constexpr std::array faults{SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  return std::find(faults.begin(), faults.end(), signal) != faults.end();
}

/// A running child process.
class Child {
 public:
  Child(pid_t process, int pipe) : process_(process), news_{pipe, POLLIN, 0} {}

  /// Whether it ends before `deadline`; reads its output meanwhile.
  [[nodiscard]] bool ended_by(Clock::time_point deadline) {
    while (!ended()) {
      if (Clock::now() >= deadline) return false;
      poll(&news_, 1, static_cast<int>(poll_interval.count()));
      if (news_.fd >= 0 && !read_into(said_, news_.fd)) news_.fd = -1;
    }
    if (news_.fd >= 0) read_into(said_, news_.fd);
    return true;
  }
  /// Kills the whole group; a launcher first gets time to end what it has started.
  void kill_all() {
    kill(-process_, SIGTERM);
    bool const gone = ended_by(Clock::now() + grace);
    kill(-process_, SIGKILL);
    while (!gone && waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  [[nodiscard]] ChildEnd end() const {
    if (lost_) return {.said = said_, .failure = "ended with unknown status"};
    // Shells and launchers report the signal that ended their child as 128 + signal.
    int const told = WIFEXITED(status_) ? WEXITSTATUS(status_) - 128 : 0;
    int const signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : told;
    if (signal > 0 && signal < NSIG) {
      return {said_, fmt::format("was ended by signal {} ({})", signal, strsignal(signal)),
              is_fault(signal) ? ChildEnd::Cause::fault : ChildEnd::Cause::outside};
    }
    int const code = WEXITSTATUS(status_);
    return {said_, code == 0 ? "" : fmt::format("ended with code {}", code), ChildEnd::Cause::code};
  }
  [[nodiscard]] std::string const& said() const { return said_; }

 private:
  [[nodiscard]] bool ended() {
    pid_t const found = waitpid(process_, &status_, WNOHANG);
    // No status is available if the parent of this program made it ignore SIGCHLD.
    lost_ = found < 0 && errno == ECHILD;
    return found == process_ || lost_;
  }

  pid_t process_;
  pollfd news_;
  int status_ = 0;
  bool lost_ = false;
  std::string said_;
};

}  // namespace

ChildEnd run_child(std::vector<std::string> words, std::vector<std::string> environment,
                   std::chrono::milliseconds timeout) {
  Clock::time_point const deadline = Clock::now() + timeout;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {.failure = std::string("has no pipe: ") + std::strerror(errno)};
  Descriptor const out(ends[0]);
  fcntl(out.number(), F_SETFL, O_NONBLOCK);
  pid_t process = 0;
  {
    Descriptor const in(ends[1]);
    if (int const error = Start(in.number()).process(words, environment, process); error != 0) {
      return {.failure = std::string("cannot be started: ") + std::strerror(error)};
    }
  }
  Child child(process, out.number());
  if (child.ended_by(deadline)) return child.end();
  child.kill_all();
  return {.said = child.said(),
          .failure = fmt::format("did not end within {:g} s", 1e-3 * static_cast<double>(timeout.count()))};
}

}  // namespace halocline
