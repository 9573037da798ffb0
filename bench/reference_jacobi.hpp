#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// The 3-point Jacobi sweep by two kernels with one thread per point, in which all threads, or the first thread of
/// every block, add to a single-precision sum of squared changes; compared with a sweep. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> reference_jacobi_1d(Options const& options);

}  // namespace halocline::benchmarking
