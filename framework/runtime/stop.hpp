#pragma once

#include <array>
#include <csignal>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// The signals that ask a run to stop.
inline constexpr std::array stopping_signals{SIGTERM, SIGINT, SIGHUP};

/// While one of these lives, `stopping_signals` ask the run to stop at its next step instead of killing it; a second
/// one kills as usual, and one that the program was started to ignore stays ignored. Only a program's own main makes
/// one: signals belong to the whole process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(StopSignals const&) = delete;
  StopSignals& operator=(StopSignals const&) = delete;
};

/// The signal that asked this rank to stop, 0 when none has.
[[nodiscard]] int stop_signal() noexcept;
/// Collective. Whether any rank was asked to stop: ask between steps.
[[nodiscard]] bool stop_requested(Communicator const& communicator);

}  // namespace halocline
