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

/// How mpirun ended.
struct MpirunEnd {
  int status = 0;        ///< as waitpid tells it
  bool stopped = false;  ///< because a signal to this process made it
};

/// The one signal that mpirun passes on to its ranks and lives on; any that would end it, it answers by killing them.
inline constexpr int passed_signal = SIGUSR1;

/// Runs the command `words`, which is mpirun, in a process group of its own, says what it writes, and returns when it
/// and its ranks have ended. It ends with this process, however that ends. Signals that stop a run are passed on once
/// `ranks_listen` says so; earlier ones, and a second request, end mpirun, which has five seconds for it. Throws
/// InputError when it cannot be started.
[[nodiscard]] MpirunEnd run_mpirun(std::vector<std::string> words, HeldSignals const& signals,
                                   std::function<bool()> const& ranks_listen);

}  // namespace halocline
