#pragma once

#include <vector>

#include "bench/benchmark.hpp"

// An operator as an assembled matrix, beside the same as a stencil: Poisson's equation on the cells of a cube.

namespace halocline::benchmarking {

/// Products with the matrix, and iterations of conjugate gradients with it; what the stencil takes is the peer.
[[nodiscard]] std::vector<Row> assembled(Options const& options);

}  // namespace halocline::benchmarking
