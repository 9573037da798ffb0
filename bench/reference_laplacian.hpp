#pragma once

#include <vector>

#include "bench/benchmark.hpp"

// The 7-point Laplacian by kernels that were written by hand for one operator on plain arrays, beside a sweep of the
// same arithmetic on the same arrays. Only on NVIDIA's GPUs.

namespace halocline::benchmarking {

/// Cubes.
[[nodiscard]] std::vector<Row> reference_laplacian(Options const& options);
/// Boxes of every other shape whose extents are one to four times a number.
[[nodiscard]] std::vector<Row> reference_laplacian_shapes(Options const& options);
/// Planes of which the second-level cache does not hold three, 256 of them or as many as make 2^30 points.
[[nodiscard]] std::vector<Row> reference_laplacian_planes(Options const& options);

}  // namespace halocline::benchmarking
