#pragma once

#include <memory>
#include <vector>

#include "bench/benchmark.hpp"
#include "framework/operator/operator.hpp"

namespace halocline::benchmarking {

/// -laplace(u) on the cells of the unit cube with u = 0 on its walls, integrated over the cells.
[[nodiscard]] std::unique_ptr<Operator> poisson(Index cells, Precision precision);
/// Cells along an axis: those requested, else suitable ones for the backend.
[[nodiscard]] std::vector<Index> poisson_cubes(Options const& options);

/// u = sin(pi x) sin(pi y) sin(pi z), for a vector of such an operator in double precision.
void fill_with_sines(Vector& u);
/// With numbers that no earlier run has used.
void fill_randomly(Vector& u);

}  // namespace halocline::benchmarking
