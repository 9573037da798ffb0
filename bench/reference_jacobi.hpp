#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// The 3-point Jacobi sweep by two kernels of one thread a point, whose sum of squared changes is one number in single
/// precision that all threads, or the first of every block, add to; beside a sweep. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> reference_jacobi_1d(Options const& options);

}  // namespace halocline::benchmarking
