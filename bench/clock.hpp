#pragma once

#include <functional>

namespace halocline::benchmarking {

/// The mean clock frequency of the multiprocessors during `work`, in hertz. `work` enqueues on the backend's default
/// instance and waits. 0 on hosts.
[[nodiscard]] double clock_during(std::function<void()> const& work);

}  // namespace halocline::benchmarking
