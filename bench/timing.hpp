#pragma once

#include <algorithm>
#include <cstddef>
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

/// The value below which this part of the values lies, between two of them by linear interpolation.
[[nodiscard]] inline double quantile(std::vector<double> const& sorted, double part) {
  double const place = part * static_cast<double>(sorted.size() - 1);
  auto const before = static_cast<std::size_t>(place);
  std::size_t const after = std::min(before + 1, sorted.size() - 1);
  return sorted[before] + (place - static_cast<double>(before)) * (sorted[after] - sorted[before]);
}

[[nodiscard]] inline double median(std::vector<double> const& sorted) { return quantile(sorted, 0.5); }

/// Seconds of the fastest copy that moves `bytes`, half of them read and half written: the library's copy, a kernel
/// that copies 16 bytes per thread, and on hosts also streaming stores. Measured once per process for each number of
/// bytes.
[[nodiscard]] double fastest_copy(Index bytes, int repetitions);

}  // namespace halocline::benchmarking
