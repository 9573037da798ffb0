#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Sums of one large array, whole and by segments, by every body that the build has.
[[nodiscard]] std::vector<Row> reductions(Options const& options);
/// Sums of arrays that the caches hold, one after the other, on GPUs in a graph.
[[nodiscard]] std::vector<Row> small_reductions(Options const& options);

}  // namespace halocline::benchmarking
