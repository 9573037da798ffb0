#pragma once

#include <vector>

#include "framework/runtime/index.hpp"
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
struct DeviceTimeline {
  std::vector<DeviceSpan> spans;
  Index lost = 0;  ///< spans beyond those that are kept
};
/// Ends the recording, and waits for the device.
[[nodiscard]] DeviceTimeline take_device_timeline();

}  // namespace halocline::trace
