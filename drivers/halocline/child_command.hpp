#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace halocline {

/// While one of these lives, the signals that stop a run, and those that tell the end of a child, wait until they are
/// asked for: none is lost.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(HeldSignals const&) = delete;
  HeldSignals& operator=(HeldSignals const&) = delete;

  /// What was held before: the mask that a child starts with.
  [[nodiscard]] sigset_t const& before() const { return before_; }
  /// Whether a signal that stops a run has come.
  [[nodiscard]] bool stopping() const;
  /// Descriptor that signals are read from.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// A command that is run in a process of its own.
struct ChildCommand {
  std::string name;                ///< what messages call it: "--ranks: mpirun"
  std::vector<std::string> words;  ///< the program first, which is looked for on PATH
  /// Whether it has come so far that a signal makes it stop in its own time.
  std::function<bool()> listens;
  int asked_by = 0;  ///< the signal that does; 0: whichever asks this process
  double start = 0;  ///< seconds in which it has to come so far, or it is killed; 0: it may take its time
};

/// How a command ended.
struct CommandEnd {
  int status = 0;      ///< as waitpid tells it
  bool asked = false;  ///< a signal to this process asked for a stop meanwhile
  bool ended = false;  ///< a signal to this process made it end at once
  bool late = false;   ///< it did not start in time, and was killed
};

/// The one signal that mpirun passes on to its ranks and lives on; any that would end it, it answers by killing them.
inline constexpr int signal_through_mpirun = SIGUSR1;

/// Runs a command in a process group of its own, says what it writes, and returns when it has ended. It ends with this
/// process, however that ends. Signals that stop a run are passed on once it listens; earlier ones, and a second
/// request, end it, which has five seconds for it. Where it is killed, so is what it leaves behind. Throws InputError
/// when it cannot be started.
[[nodiscard]] CommandEnd run_command(ChildCommand command, HeldSignals const& signals);

}  // namespace halocline
