#pragma once

#include <vector>

#include "bench/benchmark.hpp"

// The 7-point Laplacian by kernels hand-written for one operator on plain arrays, compared with a sweep with the same
// arithmetic on the same arrays. Only on GPUs of NVIDIA and AMD.

namespace halocline::benchmarking {

/// Cubes.
[[nodiscard]] std::vector<Row> reference_laplacian(Options const& options);
/// Boxes of all non-cubic shapes whose extents are one to four times a number.
[[nodiscard]] std::vector<Row> reference_laplacian_shapes(Options const& options);
/// Planes so large that the second-level cache cannot hold three; 256 of them or as many as make 2^30 points.
[[nodiscard]] std::vector<Row> reference_laplacian_planes(Options const& options);
/// Cubes by the earlier kernels, one optimisation step after the other.
[[nodiscard]] std::vector<Row> reference_laplacian_steps(Options const& options);
/// Cubes by blocks of 128 to 1024 threads.
[[nodiscard]] std::vector<Row> reference_laplacian_blocks(Options const& options);
/// Planes split into 2 to 16 subdomains along y and along x; 1024 planes or as many as make 2^30 points.
[[nodiscard]] std::vector<Row> reference_laplacian_splits(Options const& options);
/// 32 planes of rows of a length, by default 1024, half as many rows as that to eight times as many.
[[nodiscard]] std::vector<Row> reference_laplacian_growing(Options const& options);
/// 2^27 points in planes of 1 to 64 MiB, whose rows have one of three lengths, the requested length, or 64 points.
[[nodiscard]] std::vector<Row> reference_laplacian_strides(Options const& options);

}  // namespace halocline::benchmarking
