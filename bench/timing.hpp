#pragma once

#include <functional>
#include <vector>

#include "framework/runtime/index.hpp"

namespace halocline::benchmarking {

/// Seconds from before the first to after the end of the last of `runs` runs of `work`, which only enqueues on the
/// default instance of the backend. By events on the device where there is one.
[[nodiscard]] double elapsed(std::function<void()> const& work, int runs);

/// Seconds of one run of `work`, which only enqueues on the default instance of the backend: `repetitions` times,
/// sorted, after two runs that do not count. By events on the device where there is one.
[[nodiscard]] std::vector<double> time_each(std::function<void()> const& work, int repetitions);

[[nodiscard]] inline double median(std::vector<double> const& sorted) { return sorted[sorted.size() / 2]; }

/// Seconds that the fastest copy takes to move `bytes`, half of them read and half written: the library's copy, a
/// kernel that copies 16 bytes a thread, on hosts also stores that go past the caches. Measured once in a process for
/// each number of bytes.
[[nodiscard]] double fastest_copy(Index bytes, int repetitions);

}  // namespace halocline::benchmarking
