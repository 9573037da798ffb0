#include "drivers/halocline/child_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "drivers/halocline/standard_output.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/stop.hpp"

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;

/// Time for a command to end its own children after a signal, as mpirun ends its ranks.
constexpr std::chrono::seconds grace{5};

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw StoppedError(std::string("cannot create a pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    close(ends_[0]);
    close_in();
  }
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;

  [[nodiscard]] int out() const { return ends_[0]; }
  [[nodiscard]] int in() const { return ends_[1]; }
  void close_in() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

/// In the new process: executes the command, with only its own files open. Returns if that fails.
void become(std::vector<char*> const& words, sigset_t const& mask, pid_t parent, int output) {
  setpgid(0, 0);
  // The kernel signals this process when its parent ends, even by SIGKILL; the parent may already have ended.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  int const nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(signal_through_mpirun, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(words[0], words.data());
}

/// Starts a command in a process group of its own, so that Ctrl-C reaches this process alone.
pid_t start(ChildCommand& command, sigset_t const& mask, int output) {
  std::vector<char*> pointers;
  for (std::string& word : command.words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // Closed by a successful exec; until then the child can report an error through it.
  Pipe failure;
  pid_t const parent = getpid();
  pid_t const process = fork();
  if (process == 0) {
    become(pointers, mask, parent, output);
    int const reason = errno;
    _exit(write(failure.in(), &reason, sizeof(reason)) > 0 ? 127 : 126);
  }
  failure.close_in();
  int error = process < 0 ? errno : 0;
  if (process > 0 && read(failure.out(), &error, sizeof(error)) > 0) waitpid(process, nullptr, 0);
  if (error != 0) throw InputError(command.name + " cannot be started: " + std::strerror(error));
  return process;
}

/// What a pipe had when it was read.
enum class Read { some, nothing_now, end };

/// Forwards a part of the available output: it may come faster than all of it can be forwarded.
Read relay(int pipe) {
  std::array<char, 1 << 14> text{};
  ssize_t const count = read(pipe, text.data(), text.size());
  if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR) ? Read::nothing_now : Read::end;
  // Of another process of this program, which has escaped names.
  say_as_it_is(std::string_view(text.data(), static_cast<std::size_t>(count)));
  return Read::some;
}

/// The stopping signals that have arrived since the last call.
std::vector<int> arrived(int descriptor) {
  std::vector<int> signals;
  signalfd_siginfo signal{};
  while (read(descriptor, &signal, sizeof(signal)) > 0) {
    if (signal.ssi_signo != SIGCHLD) signals.push_back(static_cast<int>(signal.ssi_signo));
  }
  return signals;
}

/// Waits for input on any of `descriptors`, or until `deadline`.
void wait_for_news(std::array<pollfd, 2>& descriptors, std::optional<Clock::time_point> deadline) {
  int milliseconds = -1;
  if (deadline) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    // The caller waits again if that is not all.
    milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }
  poll(descriptors.data(), descriptors.size(), milliseconds);
}

std::set<pid_t> children() {
  std::ifstream file("/proc/thread-self/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

/// While an object of this class exists, orphaned processes become children of this one: ranks left by an mpirun that
/// was itself killed.
class Inheritance {
 public:
  Inheritance() : own_(children()) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Inheritance() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Inheritance(Inheritance const&) = delete;
  Inheritance& operator=(Inheritance const&) = delete;

  /// Repeats until there are none: the end of one may leave others.
  void kill_all() const {
    bool found = true;
    while (found) {
      found = false;
      for (pid_t const child : children()) {
        if (own_.contains(child)) continue;
        found = true;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
    }
  }

 private:
  std::set<pid_t> own_;  ///< children that this process already had when it was started
};

/// By nohup, for instance: a blocked signal would be delivered to the descriptor even if it is ignored.
bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGCHLD);
  for (int const signal : stopping_signals) {
    if (!is_ignored(signal)) sigaddset(&held, signal);
  }
  // If SIGCHLD is ignored, as inherited from the parent, the end of a child is never signalled.
  std::signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &held, &before_);
  descriptor_ = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw StoppedError(std::string("signals cannot be read: ") + std::strerror(errno));
}

HeldSignals::~HeldSignals() {
  // All pending signals have been handled by now.
  arrived(descriptor_);
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::stopping() const {
  sigset_t pending;
  sigpending(&pending);
  for (int const signal : stopping_signals) {
    if (sigismember(&pending, signal) == 1) return true;
  }
  return false;
}

CommandEnd run_command(ChildCommand command, HeldSignals const& signals) {
  Inheritance const inheritance;
  Pipe output;
  fcntl(output.out(), F_SETFL, O_NONBLOCK);
  pid_t const process = start(command, signals.before(), output.in());
  output.close_in();
  std::array<pollfd, 2> news{{{signals.descriptor(), POLLIN, 0}, {output.out(), POLLIN, 0}}};
  CommandEnd end;
  StopRequests requests;
  std::optional<Clock::time_point> deadline;
  std::optional<Clock::time_point> start_by;
  // A hundred years and more, up to infinity, are no limit: the clock could not represent some.
  constexpr double endless = 100 * 365.25 * 86400;
  if (command.start > 0 && command.start < endless)
    start_by = Clock::now() + std::chrono::milliseconds(std::llround(1000 * command.start));
  while (waitpid(process, &end.status, WNOHANG) == 0) {
    wait_for_news(news, deadline ? deadline : start_by);
    if (relay(output.out()) == Read::end) news[1].fd = -1;
    for (int const signal : arrived(signals.descriptor())) {
      StopRequests::Meaning const meaning = requests.add(signal);
      if (meaning == StopRequests::Meaning::nothing_new) continue;
      end.asked = true;
      end.ended = meaning == StopRequests::Meaning::end_at_once || !command.listens();
      kill(process, end.ended ? SIGTERM : command.asked_by != 0 ? command.asked_by : signal);
      if (end.ended && !deadline) deadline = Clock::now() + grace;
    }
    if (start_by && Clock::now() >= *start_by) {
      start_by.reset();
      end.late = !command.listens();
      if (end.late) deadline = Clock::now();
    }
    if (deadline && Clock::now() >= *deadline) kill(-process, SIGKILL);
  }
  // First, as those that are left may still print.
  if (WIFSIGNALED(end.status)) inheritance.kill_all();
  while (relay(output.out()) == Read::some) {
  }
  return end;
}

}  // namespace halocline
