#pragma once

#include <vector>

#include "bench/benchmark.hpp"

// The 7-point Laplacian by kernels that were written by hand for one operator on plain arrays, beside a sweep of the
// same arithmetic on the same arrays. Only on GPUs of NVIDIA and AMD.

namespace halocline::benchmarking {

/// Cubes.
[[nodiscard]] std::vector<Row> reference_laplacian(Options const& options);
/// Boxes of every other shape whose extents are one to four times a number.
[[nodiscard]] std::vector<Row> reference_laplacian_shapes(Options const& options);
/// Planes of which the second-level cache does not hold three, 256 of them or as many as make 2^30 points.
[[nodiscard]] std::vector<Row> reference_laplacian_planes(Options const& options);
/// Cubes by the kernels that came before, one step after the other.
[[nodiscard]] std::vector<Row> reference_laplacian_steps(Options const& options);
/// Cubes by blocks of 128 to 1024 threads.
[[nodiscard]] std::vector<Row> reference_laplacian_blocks(Options const& options);
/// Planes as subdomains of 2 to 16 parts along y and along x, 1024 planes or as many as make 2^30 points.
[[nodiscard]] std::vector<Row> reference_laplacian_splits(Options const& options);
/// 2^27 points in planes of 1 to 64 MiB, whose rows have one of three lengths, that which is asked for, or 64 points.
[[nodiscard]] std::vector<Row> reference_laplacian_strides(Options const& options);

}  // namespace halocline::benchmarking
