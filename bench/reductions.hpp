#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Sums of one large array, whole and by segments, by every body that the build has.
[[nodiscard]] std::vector<Row> reductions(Options const& options);
/// Sums of arrays that the caches hold, one after the other, on GPUs in a graph.
[[nodiscard]] std::vector<Row> small_reductions(Options const& options);
/// The sum of one large array in one cooperative launch by one block a multiprocessor, two, … as many as it holds,
/// beside launches of the same blocks that have nothing to add up. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> reduction_grids(Options const& options);

}  // namespace halocline::benchmarking
