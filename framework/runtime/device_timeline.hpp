#pragma once

#include <vector>

#include "framework/runtime/index.hpp"
#include "framework/runtime/trace.hpp"

namespace halocline::trace {

/// A time span of a device's work.
struct DeviceSpan {
  char const* name;
  Clock::time_point begin;
  Clock::time_point end;
  bool beside;  ///< on another stream than the sweeps' stream
};

/// Starts recording.
void start_device_timeline();
struct DeviceTimeline {
  std::vector<DeviceSpan> spans;
  Index lost = 0;  ///< spans beyond the recording limit
};
/// Ends the recording and waits for the device.
[[nodiscard]] DeviceTimeline take_device_timeline();

}  // namespace halocline::trace
