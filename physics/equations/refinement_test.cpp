#include "solvers/multigrid/refinement.hpp"
#include "framework/operator/single_precision_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "physics/equations/test_problems.hpp"
#include "solvers/multigrid/test_chain.hpp"

// Multigrid cycles in single precision that solve to the accuracy of double precision.

namespace halocline {
namespace {

using namespace halocline::test;

constexpr Criteria usual{.relative = 1e-10, .absolute = 0, .iterations = 200};
/// Relative error of a residual's norm: its entries and their squares are rounded to single precision.
constexpr double rounded = 4e-7;

struct Problem {
  std::string name;
  std::vector<Index> cells;
  BoundaryKind walls = BoundaryKind::dirichlet;
  double jump = 1;
  bool stretched = false;
};

std::vector<Problem> problems() {
  return {{.name = "line", .cells = {67}},
          {.name = "few", .cells = {4, 1}},
          {.name = "plane", .cells = {64, 64}},
          {.name = "primes", .cells = {37, 41}, .stretched = true},
          {.name = "box", .cells = {16, 24, 20}, .walls = BoundaryKind::robin},
          {.name = "jump", .cells = {64, 64}, .jump = 1e3}};
}

std::unique_ptr<Operator> make(Problem const& problem) {
  auto const mesh = unit_mesh(problem.cells, {.stretched = problem.stretched, .periodic = {}});
  auto const k = cell_field<double>(
      mesh, [&](Index i, Index j, Index) { return ((i / 16 + j / 16) & 1) == 1 ? problem.jump : 1.0; });
  return make_diffusion<double>({.mesh = mesh, .conditions = all_walls(problem.walls)},
                                {.conductivity = problem.jump == 1 ? nullptr : &k});
}

double true_residual(Operator const& a, Vector const& b, Vector const& x) {
  auto const r = a.create_vector();
  return std::sqrt(a.residual(b, x, *r));
}

SolveReport refine(Operator const& a, Vector const& b, Vector& x, Criteria const& criteria = usual,
                   MultigridSettings const& settings = {}) {
  MultigridRefinement solver(criteria, settings);
  solver.prepare(a);
  return solver.solve(a, b, x);
}

std::unique_ptr<Vector> random_like(Operator const& a, double scale = 1) {
  auto b = a.create_vector();
  b->randomize(1);
  b->scale(scale);
  return b;
}

/// Jacobi iterations, which hardly reduce the error.
TEST(Refinement, WeakCyclesConvergeAllTheSame) {
  auto const a = make({.name = "plane", .cells = {24, 24}});
  auto const b = random_like(*a);
  auto const x = a->create_vector();
  MultigridSettings const weak{.smoother = {.name = "jacobi", .sweeps = 1}, .levels = 1, .bottom_sweeps = 1};
  Criteria const criteria{.relative = 1e-8, .absolute = 0, .iterations = 2000};
  SolveReport const report = refine(*a, *b, *x, criteria, weak);
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
  EXPECT_GT(report.iterations, 100) << "cycles that are not weak test nothing";
}

TEST(Refinement, GetsWhereDoublePrecisionDoes) {
  for (Problem const& problem : problems()) {
    for (MultigridStart const start : {MultigridStart::cycle, MultigridStart::full}) {
      auto const a = make(problem);
      auto const b = random_like(*a);
      auto const x = a->create_vector();
      x->randomize(2);
      double const initial = true_residual(*a, *b, *x);
      SolveReport const report = refine(*a, *b, *x, usual, {.start = start});
      EXPECT_EQ(report.outcome, Outcome::converged) << problem.name << ": " << report.remark;
      EXPECT_EQ(report.method, "multigrid");
      EXPECT_NEAR(report.initial_residual, initial, rounded * initial) << problem.name;
      double const left = true_residual(*a, *b, *x);
      EXPECT_LE(left, 1e-10 * initial * (1 + rounded)) << problem.name;
      // The residual has lost digits by cancellation against b, which has sixteen in double precision.
      EXPECT_NEAR(report.true_residual, left, rounded * left + 1e-15 * a->norm_bound() * std::sqrt(x->square()));
      EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
    }
  }
}

TEST(Refinement, TakesAboutTheIterationsOfMultigridInDouble) {
  for (Problem const& problem : problems()) {
    auto const a = make(problem);
    auto const b = random_like(*a);
    auto const x = a->create_vector();
    auto const y = a->create_vector();
    MultigridSolver in_double(usual, {});
    in_double.prepare(*a);
    Index const expected = in_double.solve(*a, *b, *y).iterations;
    // Without steepest descent while cycles converge well without it; this may cost a few more.
    EXPECT_LE(static_cast<double>(refine(*a, *b, *x).iterations), 1.5 * static_cast<double>(expected) + 2)
        << problem.name;
  }
}

TEST(Refinement, ScalesOfAProblemDoNotMatter) {
  auto const a = make({.name = "plane", .cells = {40, 24}});
  auto const x = a->create_vector();
  Index const usual_iterations = refine(*a, *random_like(*a), *x).iterations;
  for (double const scale : {1e-120, 1e-30, 1e30, 1e120}) {
    auto const b = random_like(*a, scale);
    x->fill(0);
    SolveReport const report = refine(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << scale;
    EXPECT_EQ(report.iterations, usual_iterations) << scale;
    // A distant guess with a small right-hand side.
    x->randomize(2);
    EXPECT_EQ(refine(*a, *b, *x).outcome, Outcome::converged) << scale;
  }
}

TEST(Refinement, ToRounding) {
  auto const a = make({.name = "plane", .cells = {33, 64}});
  auto const b = random_like(*a);
  auto const x = a->create_vector();
  SolveReport const report = refine(*a, *b, *x, {.relative = 1e-30, .absolute = 0, .iterations = 500});
  EXPECT_EQ(report.outcome, Outcome::converged_to_rounding) << report.remark;
  EXPECT_LE(true_residual(*a, *b, *x),
            rounding_level(Precision::double_, a->norm_bound(), std::sqrt(x->square()), std::sqrt(b->square())));
}

TEST(Refinement, NothingToDo) {
  auto const a = make({.name = "plane", .cells = {9, 8}});
  auto const zero = a->create_vector();
  auto const x = a->create_vector();
  SolveReport const report = refine(*a, *zero, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x->maximum(), 0);
}

TEST(Refinement, Failures) {
  auto const a = make({.name = "plane", .cells = {64, 40}});
  auto const x = a->create_vector();
  SolveReport const limited = refine(*a, *random_like(*a), *x, {.relative = 1e-10, .absolute = 0, .iterations = 2});
  EXPECT_EQ(limited.outcome, Outcome::iteration_limit);
  EXPECT_EQ(limited.iterations, 2);
  EXPECT_EQ(limited.remark, "raise the number of iterations or use it as a preconditioner of cg");

  x->fill(0);
  auto const b = random_like(*a);
  b->fill(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refine(*a, *b, *x).outcome, Outcome::not_a_number);
  b->fill(1e200);
  EXPECT_EQ(refine(*a, *b, *x).outcome, Outcome::overflow);

  // This operator has no single-precision form.
  auto const chain = test_chain::poisson(60);
  auto const y = chain.create_vector();
  SolveReport const refused = refine(chain, *random_like(chain), *y);
  EXPECT_EQ(refused.outcome, Outcome::breakdown);
  EXPECT_EQ(refused.remark, "the operator has no single-precision form");
}

TEST(Refinement, OfAnOperatorOfSinglePrecisionIsMultigrid) {
  auto const mesh = unit_mesh({48, 32});
  auto const a = make_diffusion<float>({.mesh = mesh, .conditions = all_walls(BoundaryKind::dirichlet)});
  auto const b = random_like(*a);
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  Criteria const criteria{.relative = 1e-4, .absolute = 0, .iterations = 100};
  SolveReport const report = refine(*a, *b, *x, criteria);
  MultigridSolver plain(criteria, {});
  plain.prepare(*a);
  EXPECT_EQ(report.history, plain.solve(*a, *b, *y).history);
}

TEST(RoundedResidual, IsTheResidualRounded) {
  for (Problem const& problem : problems()) {
    auto const a = make(problem);
    auto const single = a->in_single_precision();
    auto const b = random_like(*a);
    auto const x = a->create_vector();
    auto const exact = a->create_vector();
    auto const expected = single->rounded().create_vector();
    auto const r = single->rounded().create_vector();
    x->randomize(2);
    double const square = a->residual(*b, *x, *exact);
    for (double const scale : {1.0, 0x1p-40, 0x1p40}) {
      EXPECT_NEAR(single->residual(scale, *b, *x, *r), square, 2 * rounded * square);
      expected->convert(*exact, scale);
      expected->add(-1, *r);
      // Both are rounded once, from numbers that differ by a few roundings of a sum.
      EXPECT_LE(expected->maximum(), std::numeric_limits<float>::epsilon() * scale * exact->maximum()) << problem.name;
    }
    auto const sum = a->create_vector();
    auto const converted = a->create_vector();
    sum->copy(*x);
    sum->add_converted(0x1p-3, *r);
    converted->convert(*r, 0x1p-3);
    x->add(1, *converted);
    x->add(-1, *sum);
    EXPECT_EQ(x->maximum(), 0);
  }
}

}  // namespace
}  // namespace halocline
