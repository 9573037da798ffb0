#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// The signals that ask a run to stop. Batch systems and launchers send SIGUSR1 and SIGUSR2 by request, and the system
/// the last one to who has used up its time (ulimit -S -t).
inline constexpr std::array stopping_signals{SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

/// Tells apart what signals ask for: the first one asks for a stop at the next step, and another one for an end at
/// once. Batch systems and launchers repeat a signal, so the same one again soon after the first asks for nothing new.
/// Takes no lock, for handlers of signals.
class StopRequests {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds one_request{3};

  enum class Meaning { stop, nothing_new, end_at_once };
  Meaning add(int signal, Clock::time_point now = Clock::now()) noexcept;
  /// The first signal; 0: none has come.
  [[nodiscard]] int first() const noexcept { return first_; }

 private:
  std::atomic<Clock::rep> since_ = 0;  ///< 0: none has come
  std::atomic<int> first_ = 0;
};

/// While one of these lives, `stopping_signals` ask the run to stop at its next step instead of killing it, which is on
/// record at once; a second request ends it. One that the program was started to ignore stays ignored. Only a program's
/// own main makes one: signals belong to the whole process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(StopSignals const&) = delete;
  StopSignals& operator=(StopSignals const&) = delete;

 private:
  StopRequests requests_;
};

/// While one of these lives, `stopping_signals` end the program at once, as stopped: for work that has no steps and
/// leaves nothing half done. Otherwise as StopSignals, and never beside one.
class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();
  EndingSignals(EndingSignals const&) = delete;
  EndingSignals& operator=(EndingSignals const&) = delete;
};

/// The signal that asked this rank to stop, 0 when none has.
[[nodiscard]] int stop_signal() noexcept;
/// Collective. Whether any rank was asked to stop: ask between steps.
[[nodiscard]] bool stop_requested(Communicator const& communicator);

}  // namespace halocline
