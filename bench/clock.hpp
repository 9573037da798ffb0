#pragma once

#include <functional>

namespace halocline::benchmarking {

/// The clock of the multiprocessors, in hertz, on average over `work`, which enqueues on the default instance of the
/// backend and waits. 0 where only a host could tell.
[[nodiscard]] double clock_during(std::function<void()> const& work);

}  // namespace halocline::benchmarking
