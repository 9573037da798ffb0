#include "bench/multigrid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "bench/poisson.hpp"
#include "bench/timing.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace halocline::benchmarking {
namespace {

/// All levels together have 8/7 of the unknowns of the finest one.
constexpr double levels = 8.0 / 7;
/// Minimum traffic of a V-cycle per unknown, in numbers: the downward pass reads b and writes x and an eighth of a
/// vector; the upward pass reads b, x and an eighth, and writes x.
constexpr double of_cycle = (2.125 + 3.125) * levels;
/// The same for full multigrid: each level is visited once more than the next finer one; the right-hand side is
/// restricted, the solution is interpolated.
constexpr double of_full = of_cycle * levels + 2 * 1.125 * levels;

std::string cube(std::string const& what, Precision precision, Index cells) {
  return fmt::format("{}, {}, {} x {} x {}", what, precision == Precision::single ? "single" : "double", cells, cells,
                     cells);
}

double bytes_of(double numbers, Precision precision, Index cells) {
  double const unknowns = std::pow(static_cast<double>(cells), 3);
  return numbers * unknowns * (precision == Precision::single ? 4 : 8);
}

Row cycle(Precision precision, int sweeps, Index cells, Options const& options) {
  Row row;
  row.problem = cube("V-cycle", precision, cells);
  row.bytes = bytes_of(of_cycle, precision, cells);
  {
    auto const a = poisson(cells, precision);
    Multigrid multigrid({.smoother = {.sweeps = sweeps}});
    multigrid.prepare(*a);
    auto const r = a->create_vector();
    auto const z = a->create_vector();
    auto const left = a->create_vector();
    fill_randomly(*r);
    multigrid.apply(*r, *z);
    // A cycle reduces the residual by a factor of ten; one with a missing level or a wrong colour does not.
    double const reduction = std::sqrt(a->residual(*r, *z, *left) / r->square());
    if (!(reduction < 0.3)) throw DefectError(fmt::format("{}: leaves {} of a residual", row.problem, reduction));
    row.form = fmt::format("V({0},{0}), {1} levels", sweeps, multigrid.levels());
    row.seconds = time_each([&] { multigrid.apply(*r, *z); }, options.repetitions);
  }
  row.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), options.repetitions);
  return row;
}

/// The right-hand side is a product of sines, an eigenvector of the discrete operator, so that the error is known.
Row full(int sweeps, Index cells, Options const& options) {
  Row row;
  row.problem = cube("full multigrid", Precision::double_, cells);
  row.bytes = bytes_of(of_full, Precision::double_, cells);
  {
    auto const a = poisson(cells, Precision::double_);
    Multigrid multigrid({.smoother = {.sweeps = sweeps}, .start = MultigridStart::full});
    multigrid.prepare(*a);
    double const h = 1 / static_cast<double>(cells);
    double const sine = std::sin(std::numbers::pi * h / 2);
    double const eigenvalue = 3 * 4 * sine * sine / (h * h);
    double const laplacian = 3 * std::numbers::pi * std::numbers::pi;
    auto const exact = a->create_vector();
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    fill_with_sines(*exact);
    b->copy(*exact);
    b->scale(laplacian * h * h * h);
    multigrid.start(*b, *x);
    double const whole = std::sqrt(exact->square());
    exact->add(-1, *x);
    double const error = std::sqrt(exact->square()) / whole / (laplacian / eigenvalue - 1);
    if (!(error < 1.5)) throw DefectError(fmt::format("{}: {} of the discretisation's error", row.problem, error));
    row.form = fmt::format("V({0},{0}), {1:.3f} of the discretisation's error", sweeps, error);
    row.seconds = time_each([&] { multigrid.start(*b, *x); }, options.repetitions);
  }
  row.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), options.repetitions);
  return row;
}

}  // namespace

std::vector<Row> multigrid_cycles(Options const& options) {
  std::vector<Row> rows;
  for (Precision const precision : {Precision::double_, Precision::single}) {
    for (Index const cells : poisson_cubes(options)) rows.push_back(cycle(precision, 2, cells, options));
  }
  return rows;
}

std::vector<Row> full_multigrid(Options const& options) {
  std::vector<Row> rows;
  for (int const sweeps : {2, 3}) {
    for (Index const cells : poisson_cubes(options)) rows.push_back(full(sweeps, cells, options));
  }
  return rows;
}

}  // namespace halocline::benchmarking
