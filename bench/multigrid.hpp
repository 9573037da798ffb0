#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

[[nodiscard]] std::vector<Row> multigrid_cycles(Options const& options);
[[nodiscard]] std::vector<Row> full_multigrid(Options const& options);

}  // namespace halocline::benchmarking
