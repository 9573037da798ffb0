#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Sweeps by every form and by the tunings that a search tries. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> tunings(Options const& options);

}  // namespace halocline::benchmarking
