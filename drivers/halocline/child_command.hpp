#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace halocline {

/// While an object of this class exists, the signals that stop a run and SIGCHLD are blocked and read on request, so
/// that none is lost.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(HeldSignals const&) = delete;
  HeldSignals& operator=(HeldSignals const&) = delete;

  /// The signal mask before, with which a child starts.
  [[nodiscard]] sigset_t const& before() const { return before_; }
  /// Whether a signal that stops a run has come.
  [[nodiscard]] bool stopping() const;
  /// Descriptor that signals are read from.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// A command to be run in a separate process.
struct ChildCommand {
  std::string name;                ///< the name in messages: "--ranks: mpirun"
  std::vector<std::string> words;  ///< the program, searched on PATH, and its arguments
  /// Whether the command has started far enough to handle a stopping signal itself.
  std::function<bool()> listens;
  int asked_by = 0;  ///< the signal that asks it to stop; 0: the one that this process received
  double start = 0;  ///< seconds until `listens` must be true, or it is killed; 0: no limit
};

/// How a command ended.
struct CommandEnd {
  int status = 0;      ///< as returned by waitpid
  bool asked = false;  ///< a signal to this process requested a stop
  bool ended = false;  ///< a signal to this process ended it at once
  bool late = false;   ///< it did not start in time, and was killed
};

/// The only signal that mpirun forwards to its ranks without ending; on other ending signals it kills them.
inline constexpr int signal_through_mpirun = SIGUSR1;

/// Runs a command in a process group of its own, forwards its output, and returns when it has ended. It ends whenever
/// this process ends. Signals that stop a run are forwarded once it listens. Earlier signals, and a second request, end
/// it; it has five seconds for that. If it is killed, its remaining children are killed, too. Throws InputError if it
/// cannot be started.
[[nodiscard]] CommandEnd run_command(ChildCommand command, HeldSignals const& signals);

}  // namespace halocline
