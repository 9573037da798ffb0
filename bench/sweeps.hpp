#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

[[nodiscard]] std::vector<Row> laplacian_3d(Options const& options);
[[nodiscard]] std::vector<Row> laplacian_sizes(Options const& options);
[[nodiscard]] std::vector<Row> jacobi_3d(Options const& options);
[[nodiscard]] std::vector<Row> jacobi_2d(Options const& options);
[[nodiscard]] std::vector<Row> jacobi_1d(Options const& options);
[[nodiscard]] std::vector<Row> star_25(Options const& options);
[[nodiscard]] std::vector<Row> leapfrog(Options const& options);
[[nodiscard]] std::vector<Row> dot_product(Options const& options);

}  // namespace halocline::benchmarking
