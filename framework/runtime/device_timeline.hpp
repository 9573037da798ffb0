#pragma once

#include <vector>

#include "framework/runtime/trace.hpp"

namespace halocline::trace {

/// A stretch of a device's time.
struct DeviceSpan {
  char const* name;
  Clock::time_point begin;
  Clock::time_point end;
  bool beside;  ///< on another stream than that of sweeps
};

/// Records from now on.
void start_device_timeline();
/// Ends the recording, and waits for the device.
[[nodiscard]] std::vector<DeviceSpan> take_device_timeline();

}  // namespace halocline::trace
