#pragma once

#include <vector>

#include "bench/benchmark.hpp"

// The same operator as an assembled matrix and as a stencil: Poisson's equation on the cells of a cube.

namespace halocline::benchmarking {

/// Products with the matrix, and iterations of conjugate gradients with it; the stencil is the peer.
[[nodiscard]] std::vector<Row> assembled(Options const& options);

}  // namespace halocline::benchmarking
