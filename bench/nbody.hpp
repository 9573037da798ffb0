#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Mutual attractions of bodies, by every form and precision, with the bound set by the instructions of an interaction,
/// and their potentials.
[[nodiscard]] std::vector<Row> nbody(Options const& options);

}  // namespace halocline::benchmarking
