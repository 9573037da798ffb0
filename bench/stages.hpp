#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Stages of a declared physics compared with hand-written ones: Gray-Scott by SSP-RK2 on a periodic plane.
[[nodiscard]] std::vector<Row> stages(Options const& options);

}  // namespace halocline::benchmarking
