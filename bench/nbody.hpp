#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Attractions of bodies by each other, by every form and precision, beside what the instructions of an interaction
/// allow, and their potentials.
[[nodiscard]] std::vector<Row> nbody(Options const& options);

}  // namespace halocline::benchmarking
