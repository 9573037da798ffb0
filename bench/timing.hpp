#pragma once

#include <functional>
#include <vector>

#include "framework/runtime/index.hpp"

namespace halocline::benchmarking {

/// Seconds from before the first to after the last of `runs` runs of `work`, which only enqueues on the backend's
/// default instance. By events if there is a device.
[[nodiscard]] double elapsed(std::function<void()> const& work, int runs);

/// Sorted seconds of `repetitions` runs of `work`, which only enqueues on the backend's default instance, after two
/// warm-up runs. By events if there is a device.
[[nodiscard]] std::vector<double> time_each(std::function<void()> const& work, int repetitions);

[[nodiscard]] inline double median(std::vector<double> const& sorted) { return sorted[sorted.size() / 2]; }

/// Seconds of the fastest copy that moves `bytes`, half of them read and half written: the library's copy, a kernel
/// that copies 16 bytes per thread, and on hosts also streaming stores. Measured once per process for each number of
/// bytes.
[[nodiscard]] double fastest_copy(Index bytes, int repetitions);

}  // namespace halocline::benchmarking
