#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Sums of one large array, whole and by segments, by every body of this build.
[[nodiscard]] std::vector<Row> reductions(Options const& options);
/// Sums of arrays that fit into caches, one after the other, on GPUs in a graph.
[[nodiscard]] std::vector<Row> small_reductions(Options const& options);
/// The sum of one large array in a cooperative launch with one, two, … up to the maximum of resident blocks per
/// multiprocessor, compared with launches of the same blocks that sum nothing. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> reduction_grids(Options const& options);

}  // namespace halocline::benchmarking
