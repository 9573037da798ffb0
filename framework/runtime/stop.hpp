#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// The signals that ask a run to stop. Batch systems and launchers send SIGUSR1 and SIGUSR2 on request; the system
/// sends SIGXCPU when the CPU time limit is reached (ulimit -S -t).
inline constexpr std::array stopping_signals{SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

/// Interprets signals: the first one asks for a stop at the next step, a later one for an immediate end. Batch systems
/// and launchers repeat a signal, so the same one again soon after the first is ignored. Lock-free, for signal
/// handlers.
class StopRequests {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds one_request{3};

  enum class Meaning { stop, nothing_new, end_at_once };
  Meaning add(int signal, Clock::time_point now = Clock::now()) noexcept;
  /// The first signal; 0: none has arrived.
  [[nodiscard]] int first() const noexcept { return first_; }

 private:
  std::atomic<Clock::rep> since_ = 0;  ///< 0: none has arrived
  std::atomic<int> first_ = 0;
};

/// While one of these lives, `stopping_signals` ask the run to stop at its next step instead of killing it, and are
/// recorded at once; a second request ends the run immediately. A signal that was ignored at the program's start stays
/// ignored. Only a program's own main creates one: signals belong to the whole process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(StopSignals const&) = delete;
  StopSignals& operator=(StopSignals const&) = delete;

 private:
  StopRequests requests_;
};

/// While one of these lives, `stopping_signals` end the program at once with ExitCode::stopped: for work without steps
/// that leaves nothing incomplete. Otherwise as StopSignals; never use both at once.
class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();
  EndingSignals(EndingSignals const&) = delete;
  EndingSignals& operator=(EndingSignals const&) = delete;
};

/// The signal that asked this rank to stop; 0: none.
[[nodiscard]] int stop_signal() noexcept;
/// Collective. Whether any rank was asked to stop; call between steps.
[[nodiscard]] bool stop_requested(Communicator const& communicator);

}  // namespace halocline
