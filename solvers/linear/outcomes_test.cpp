#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "framework/deck/deck.hpp"
#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/throw_site.hpp"
#include "solvers/linear/bicgstab.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/linear/jacobi.hpp"
#include "solvers/linear/krylov_solver.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/pipelined_cg.hpp"
#include "solvers/linear/single_reduction_cg.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"

// Every outcome of a solve, provoked once for each method that can end with it.

namespace halocline {
namespace {

using test_operators::alternating_error;
using test_operators::DiagonalOperator;
using test_operators::DisturbedOperator;
using test_operators::make_array;
using test_problem::make_operator;
using test_problem::Wall;
using testing::StrEq;
using testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The methods that use the operator's diagonal.
std::vector<std::unique_ptr<LinearSolver>> diagonal_solvers_with(Criteria const& criteria) {
  std::vector<std::unique_ptr<LinearSolver>> all;
  all.push_back(std::make_unique<ConjugateGradients>(criteria, std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<SingleReductionCg>(criteria, std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<PipelinedCg>(criteria, std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<Minres>(criteria, std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<BiCgStab>(criteria, std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<Gmres>(Gmres::Settings{.criteria = criteria, .flexible = true},
                                        std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<Chebyshev>(Chebyshev::Settings{.criteria = criteria}));
  all.push_back(std::make_unique<Jacobi>(criteria));
  return all;
}

std::vector<std::unique_ptr<LinearSolver>> solvers_with(Criteria const& criteria) {
  std::vector<std::unique_ptr<LinearSolver>> all = diagonal_solvers_with(criteria);
  all.push_back(std::make_unique<ConjugateGradients>(criteria));
  all.push_back(std::make_unique<SingleReductionCg>(criteria));
  all.push_back(std::make_unique<PipelinedCg>(criteria));
  all.push_back(std::make_unique<Minres>(criteria));
  all.push_back(std::make_unique<BiCgStab>(criteria));
  all.push_back(std::make_unique<Gmres>(Gmres::Settings{.criteria = criteria}));
  return all;
}

/// Every form of conjugate gradients, each with its own preconditioner.
template <class Preconditioned>
std::vector<std::unique_ptr<LinearSolver>> conjugate_gradients_with(Criteria const& criteria,
                                                                    Preconditioned const& preconditioner) {
  std::vector<std::unique_ptr<LinearSolver>> all;
  all.push_back(std::make_unique<ConjugateGradients>(criteria, preconditioner()));
  all.push_back(std::make_unique<SingleReductionCg>(criteria, preconditioner()));
  all.push_back(std::make_unique<PipelinedCg>(criteria, preconditioner()));
  return all;
}
std::vector<std::unique_ptr<LinearSolver>> conjugate_gradients_with(Criteria const& criteria) {
  return conjugate_gradients_with(criteria, [] { return nullptr; });
}

SolveReport solve(LinearSolver& solver, Operator const& a, Vector const& b, Vector& x) {
  solver.prepare(a);
  return solver.solve(a, b, x);
}

/// b = value except on one row of the last rank.
std::unique_ptr<ArrayVector<double>> right_hand_side(Index rows, double value, double odd_one) {
  auto b = make_array(rows);
  Index const last = b->size() - 1;
  test_operators::set(*b, [=](Index row) { return row == last ? odd_one : value; });
  return b;
}

TEST(Outcomes, ANumberThatIsNoneInTheRightHandSide) {
  DiagonalOperator const a(7, [](Index row) { return 1.0 + static_cast<double>(row); });
  for (double const odd : {nan, infinity}) {
    auto const b = right_hand_side(7, 1, odd);
    for (auto const& solver : solvers_with({})) {
      auto const x = a.create_vector();
      SolveReport const report = solve(*solver, a, *b, *x);
      EXPECT_EQ(report.outcome, Outcome::not_a_number) << report.method;
      EXPECT_LE(report.iterations, 1);
    }
  }
}

TEST(Outcomes, ANumberThatIsNoneInTheInitialGuess) {
  DiagonalOperator const a(7, [](Index) { return 2.0; });
  auto const b = right_hand_side(7, 1, 1);
  for (auto const& solver : solvers_with({})) {
    auto const x = right_hand_side(7, 0, nan);
    EXPECT_EQ(solve(*solver, a, *b, *x).outcome, Outcome::not_a_number);
  }
}

TEST(Outcomes, AnOperatorThatMakesNaN) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  int calls = 0;
  DisturbedOperator const broken(*a, [&calls](Vector& y) {
    if (++calls > 25) y.fill(nan);
  });
  auto const b = a->create_vector();
  b->randomize(1);
  for (auto const& solver : solvers_with({.relative = 1e-14, .absolute = 0, .iterations = 1000})) {
    calls = 0;
    auto const x = a->create_vector();
    SolveReport const report = solve(*solver, broken, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::not_a_number) << report.method;
    EXPECT_TRUE(std::isnan(report.true_residual)) << report.method;
  }
}

/// With tolerances relative to b, a good guess needs no iteration.
TEST(Outcomes, TolerancesMayBeRelativeToTheRightHandSide) {
  DiagonalOperator const a(20, [](Index row) { return 1.0 + static_cast<double>(row % 5); });
  auto const solution = a.create_vector();
  solution->randomize(1);
  auto const b = a.create_vector();
  a.apply(*solution, *b);
  double const b_norm = std::sqrt(b->square());
  for (double const error : {1e-9, 1e-3, 1e3}) {
    for (auto const& solver : solvers_with(
             {.relative = 1e-6, .absolute = 0, .iterations = 1000, .relative_to = RelativeTo::right_hand_side})) {
      auto const x = a.create_vector();
      x->randomize(2);
      x->scale(error);
      x->add(1, *solution);
      SolveReport const report = solve(*solver, a, *b, *x);
      EXPECT_EQ(report.outcome, Outcome::converged) << report.method;
      EXPECT_LE(report.true_residual, 1e-6 * b_norm) << report.method;
      if (error < 1e-6) {
        EXPECT_LE(report.iterations, 1) << report.method;  // Jacobi computes a residual by a step from it
      } else {
        EXPECT_GE(report.iterations, 1) << report.method;
      }
    }
  }
}

TEST(Outcomes, NoToleranceIsMetByNaN) {
  Convergence convergence({.relative = nan, .absolute = nan, .iterations = 1});
  convergence.begin(1, 0);
  EXPECT_FALSE(convergence.reached(0));
  Convergence sane({.relative = 0.5, .absolute = 0, .iterations = 1});
  sane.begin(1, 0);
  EXPECT_FALSE(sane.reached(nan));
  EXPECT_EQ(sane.failure(nan)->outcome, Outcome::not_a_number);
  EXPECT_EQ(sane.failure(infinity)->outcome, Outcome::diverged);
}

TEST(Outcomes, ARelativeToleranceIsOfTheInitialResidualOrTheRightHandSide) {
  Criteria criteria{.relative = 0.5, .absolute = 0, .iterations = 1};
  EXPECT_EQ(criteria.target(8, 2), 4);
  criteria.relative_to = RelativeTo::right_hand_side;
  EXPECT_EQ(criteria.target(8, 2), 1);
  EXPECT_EQ(criteria.target(8, 0), 4) << "nothing is a fraction of zero";
}

/// A plate at 300, slightly warmed. In single precision, with such a large x, the worst-case rounding error of b - A x
/// exceeds all of b - A x. Actual rounding errors are much smaller, and average out.
TEST(Outcomes, WhatIsSmallBesideALargeOffsetIsSolvedFor) {
  auto const a =
      make_operator<float>(test::communicator().split(0), {.cells = {256, 256}, .wall = Wall::cold, .contrast = 0});
  auto const offset = a->create_vector();
  offset->fill(300);
  // By a uniform source.
  auto const warming = a->create_vector();
  auto const source = a->create_vector();
  source->fill(1);
  ConjugateGradients cg({.relative = 1e-4, .absolute = 0, .iterations = 4000});
  ASSERT_TRUE(reached(solve(cg, *a, *source, *warming).outcome));
  warming->scale(10 / warming->maximum());
  auto const solution = a->create_vector();
  solution->combine(1, *offset, 1);
  solution->add(1, *warming);
  auto const b = a->create_vector();
  a->apply(*solution, *b);
  Criteria const criteria{.relative = 1e-4, .absolute = 0, .iterations = 4000};
  auto const r = a->create_vector();
  double const initial = std::sqrt(a->residual(*b, *offset, *r));
  ASSERT_LT(initial, rounding_level(Precision::single, a->norm_bound(), std::sqrt(offset->square()), 0));
  for (auto& solver : solvers_with(criteria)) {
    // These monitor b - A x only, whose noise hides their gains.
    if (dynamic_cast<Jacobi*>(solver.get()) != nullptr || dynamic_cast<Chebyshev*>(solver.get()) != nullptr) continue;
    auto const x = a->create_vector();
    x->copy(*offset);
    SolveReport const report = solve(*solver, *a, *b, *x);
    EXPECT_TRUE(reached(report.outcome)) << report.method << ": " << report.remark;
    EXPECT_GT(report.iterations, 0) << report.method;
    x->add(-1, *solution);
    // At least four fifths of the warming are found.
    EXPECT_LT(x->maximum(), 2) << report.method;
  }
}

TEST(Outcomes, NormsThatOverflowEndNothingWell) {
  DiagonalOperator const a(100, [](Index) { return 1.0; });
  auto const b = a.create_vector();
  b->fill(1e158);
  for (RelativeTo const relative_to : {RelativeTo::initial_residual, RelativeTo::right_hand_side}) {
    for (auto& solver : solvers_with({.relative = 1e-8, .absolute = 0, .iterations = 50, .relative_to = relative_to})) {
      auto const x = a.create_vector();
      x->fill(1e158 * (1 - 1e-8));
      SolveReport const report = solve(*solver, a, *b, *x);
      EXPECT_EQ(report.outcome, Outcome::overflow) << report.method;
      EXPECT_FALSE(report.remark.empty()) << report.method;
    }
  }
}

TEST(Outcomes, EveryFailureComesWithAdvice) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {16, 16}});
  auto const b = a->create_vector();
  b->randomize(1);
  auto const x = a->create_vector();
  Jacobi jacobi({.relative = 1e-8, .absolute = 0, .iterations = 1000}, 1.9);
  SolveReport const report = solve(jacobi, *a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_NE(report.remark.find("use a method that suits the operator"), std::string::npos) << report.remark;
}

TEST(Outcomes, WhatRoundingExplains) {
  EXPECT_DOUBLE_EQ(rounding_level(Precision::double_, 3, 5, 7), 10 * 0x1p-52 * 22);
  EXPECT_DOUBLE_EQ(rounding_level(Precision::single, 3, 5, 7), 10 * 0x1p-23 * 22);
}

class Identity final : public Preconditioner {
 public:
  void prepare(Operator const&) override {}
  void apply(Vector const& r, Vector& z) override { z.copy(r); }
};

TEST(Outcomes, AnIndefiniteOperator) {
  DiagonalOperator const a(6, [](Index row) { return row % 2 == 0 ? 1.0 : -1.0; });
  auto const b = right_hand_side(6, 1, 1);
  for (bool const preconditioned : {false, true}) {
    auto const preconditioner = [&] { return preconditioned ? std::make_unique<JacobiPreconditioner>() : nullptr; };
    for (auto const& solver : conjugate_gradients_with({}, preconditioner)) {
      auto const x = a.create_vector();
      SolveReport const report = solve(*solver, a, *b, *x);
      // D^-1 A is the identity, but D^-1 is not a positive definite preconditioner.
      EXPECT_NE(report.outcome, Outcome::converged);
      EXPECT_TRUE(report.outcome == Outcome::indefinite || report.outcome == Outcome::breakdown) << report.method;
      EXPECT_FALSE(report.remark.empty());
    }
  }
  Chebyshev chebyshev({});
  auto const x = a.create_vector();
  EXPECT_FALSE(reached(solve(chebyshev, a, *b, *x).outcome));
}

TEST(Outcomes, ANegativeDefiniteOperator) {
  DiagonalOperator const a(6, [](Index row) { return -1.0 - static_cast<double>(row); });
  auto const b = right_hand_side(6, 1, 1);
  for (auto const& solver : conjugate_gradients_with({})) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::indefinite);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.remark, "conjugate gradients need a positive definite operator; use minres");
  }
}

/// One eigenvalue of eight is negative; the residual's component along it is so small that directions find it late.
TEST(Outcomes, AnOperatorThatProvesIndefiniteInTheEnd) {
  DiagonalOperator const a(24, [](Index row) { return row % 8 == 7 ? -1.0 : 1.0 + static_cast<double>(row % 8); });
  auto const b = a.create_vector();
  test_operators::set(dynamic_cast<ArrayVector<double>&>(*b), [](Index row) { return row % 8 == 7 ? 1e-3 : 1.0; });
  for (bool const preconditioned : {false, true}) {
    auto const preconditioner = [&] { return preconditioned ? std::make_unique<Identity>() : nullptr; };
    for (auto const& solver : conjugate_gradients_with({}, preconditioner)) {
      auto const x = a.create_vector();
      SolveReport const report = solve(*solver, a, *b, *x);
      EXPECT_EQ(report.outcome, Outcome::indefinite) << report.method << ' ' << to_string(report.outcome);
      EXPECT_EQ(report.remark, "conjugate gradients need a positive definite operator; use minres");
      EXPECT_GT(report.iterations, 1);
      EXPECT_LE(report.iterations, 7);
    }
  }
}

/// Rotates every residual by a right angle.
class Sideways final : public Preconditioner {
 public:
  void prepare(Operator const& a) override { other_ = a.create_vector(); }
  void apply(Vector const&, Vector& z) override { z.fill(0); }

 private:
  std::unique_ptr<Vector> other_;
};

TEST(Outcomes, APreconditionerThatBreaksDown) {
  DiagonalOperator const a(6, [](Index) { return 1.0; });
  auto const b = right_hand_side(6, 1, 1);
  for (auto const& solver : conjugate_gradients_with({}, [] { return std::make_unique<Sideways>(); })) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::breakdown) << report.method;
    EXPECT_EQ(report.remark,
              "the preconditioned residual is orthogonal to the residual; choose another preconditioner");
  }
}

/// Reverses the sign of every residual.
class Backwards final : public Preconditioner {
 public:
  void prepare(Operator const&) override {}
  void apply(Vector const& r, Vector& z) override {
    z.copy(r);
    z.scale(-1);
  }
};

TEST(Outcomes, APreconditionerThatIsNotDefinite) {
  DiagonalOperator const a(6, [](Index) { return 1.0; });
  auto const b = right_hand_side(6, 1, 1);
  for (auto const& solver : conjugate_gradients_with({}, [] { return std::make_unique<Backwards>(); })) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::indefinite) << report.method;
    EXPECT_EQ(report.remark, "the preconditioner is not positive definite; choose another one");
  }
}

TEST(Outcomes, ADiagonalWithAZero) {
  Index const rows = 5;
  DiagonalOperator const a(rows, [](Index row) { return row == 0 ? 0.0 : 1.0; });
  auto const b = right_hand_side(rows, 1, 1);
  for (auto const& solver : diagonal_solvers_with({})) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::breakdown) << report.method;
    EXPECT_EQ(report.remark, "a diagonal has an entry of zero") << report.method;
  }
}

TEST(Outcomes, AnUnknownDiagonal) {
  DiagonalOperator const a(
      5, [](Index) { return 2.0; }, false);
  auto const b = right_hand_side(5, 1, 1);
  Jacobi solver({});
  auto const x = a.create_vector();
  SolveReport const report = solve(solver, a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::breakdown);
  EXPECT_EQ(report.remark, "the operator does not provide its diagonal");
}

TEST(Outcomes, TheIterationLimit) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {40, 40}});
  auto const b = a->create_vector();
  b->randomize(1);
  for (Index const limit : {1, 2, 15, 25}) {
    for (auto const& solver : solvers_with({.relative = 1e-12, .absolute = 0, .iterations = limit})) {
      auto const x = a->create_vector();
      SolveReport const report = solve(*solver, *a, *b, *x);
      EXPECT_EQ(report.outcome, Outcome::iteration_limit) << report.method;
      EXPECT_EQ(report.iterations, limit) << report.method;
      EXPECT_FALSE(report.remark.empty());
      bool const needs_symmetry = report.method.starts_with("cg") || report.method == "minres";
      EXPECT_EQ(report.remark.find("verify: true") != std::string::npos, needs_symmetry) << report.method;
      // The returned x is that of the last iteration.
      auto const r = a->create_vector();
      EXPECT_NEAR(report.true_residual, std::sqrt(a->residual(*b, *x, *r)), 1e-12 * report.initial_residual);
    }
  }
}

TEST(Outcomes, ATrueResidualThatNobodyCanReach) {
  // In double precision no method can reach a tolerance of 1e-30.
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  auto const b = a->create_vector();
  b->randomize(1);
  for (auto const& solver : solvers_with({.relative = 1e-30, .absolute = 0, .iterations = 100000})) {
    auto const x = a->create_vector();
    SolveReport const report = solve(*solver, *a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged_to_rounding) << report.method << ": " << to_string(report.outcome);
    EXPECT_LT(report.iterations, 10000) << report.method;
    EXPECT_LE(report.true_residual,
              rounding_level(Precision::double_, a->norm_bound(), std::sqrt(x->square()), std::sqrt(b->square())));
  }
}

TEST(Outcomes, ARightHandSideOfZero) {
  DiagonalOperator const a(7, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const b = a.create_vector();
  for (auto const& solver : solvers_with({})) {
    auto const zero = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *zero);
    EXPECT_TRUE(reached(report.outcome)) << report.method;
    EXPECT_LE(report.iterations, 1);
    EXPECT_EQ(zero->maximum(), 0);
    auto const x = a.create_vector();
    x->fill(1);
    EXPECT_TRUE(reached(solve(*solver, a, *b, *x).outcome)) << report.method;
    EXPECT_LE(x->maximum(), 1e-8);
  }
}

TEST(Outcomes, AnInitialGuessThatIsTheSolution) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  auto const b = a->create_vector();
  for (auto const& solver : solvers_with({})) {
    auto const x = a->create_vector();
    x->randomize(1);
    a->apply(*x, *b);
    SolveReport const report = solve(*solver, *a, *b, *x);
    EXPECT_TRUE(reached(report.outcome)) << report.method;
    EXPECT_LE(report.iterations, 10) << report.method;
  }
}

TEST(Outcomes, ASingularOperatorWithASolution) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {14, 11}, .wall = Wall::insulated});
  auto const b = a->create_vector();
  auto const x = a->create_vector();
  x->randomize(1);
  a->apply(*x, *b);
  for (auto const& solver : conjugate_gradients_with({.relative = 1e-8, .absolute = 0, .iterations = 2000})) {
    x->fill(0);
    SolveReport const report = solve(*solver, *a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_EQ(report.remark, constants_in_null_space);
  }
}

TEST(Outcomes, ASingularOperatorWithoutASolution) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {14, 11}, .wall = Wall::insulated});
  auto const b = a->create_vector();
  b->randomize(1);
  auto const one = a->create_vector();
  one->fill(1);
  b->add(1, *one);
  for (auto const& solver : solvers_with({.relative = 1e-8, .absolute = 0, .iterations = 20000})) {
    auto const x = a->create_vector();
    SolveReport const report = solve(*solver, *a, *b, *x);
    EXPECT_FALSE(reached(report.outcome)) << report.method << ": " << to_string(report.outcome);
    if (dynamic_cast<KrylovSolver const*>(solver.get()) == nullptr) continue;
    EXPECT_EQ(report.outcome, Outcome::inconsistent) << report.method;
    EXPECT_EQ(report.remark, constants_without_solution) << report.method;
  }
  // An operator that does not declare its null space.
  DisturbedOperator const silent(*a, [](Vector&) {});
  for (auto const& solver : conjugate_gradients_with({.relative = 1e-8, .absolute = 0, .iterations = 20000})) {
    auto const x = a->create_vector();
    SolveReport const report = solve(*solver, silent, *b, *x);
    EXPECT_FALSE(reached(report.outcome)) << report.method << ": " << to_string(report.outcome);
    EXPECT_NE(report.remark.find("non-zero mean: there is no solution"), std::string::npos) << report.remark;
  }
}

TEST(Outcomes, ASolveBeforeItsPreparationIsAnError) {
  Section root("deck", "A deck of a solver alone.");
  root.section(solver_section());
  DiagonalOperator const a(4, [](Index) { return 1.0; });
  auto const b = right_hand_side(4, 1, 1);
  for (std::string const& method : solvers().names()) {
    for (std::string const more : {"", ", assembled: true", ", verify: true"}) {
      if (method == "multigrid" && more == ", assembled: true") continue;
      std::string text = "solver: {method: ";
      text.append(method).append(more).append("}");
      auto const solver = make_solver(Deck("test.yaml", text).read(root).section("solver"));
      auto const x = a.create_vector();
      EXPECT_THAT([&] { static_cast<void>(solver->solve(a, *b, *x)); },
                  ThrowsMessage<DefectError>(
                      StrEq("a linear solver was to solve before it was prepared: call prepare(a) first")))
          << text;
    }
  }
}

TEST(Outcomes, AnIterationThatDiverges) {
  // Jacobi needs weight * eigenvalues of D^-1 A below 2: here they reach almost 2, and the weight is 1.9.
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {30, 20}});
  auto const b = a->create_vector();
  b->randomize(1);
  Jacobi solver({.relative = 1e-8, .absolute = 0, .iterations = 100000}, 1.9);
  auto const x = a->create_vector();
  SolveReport const report = solve(solver, *a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_LT(report.iterations, 1000);
}

TEST(Outcomes, AnIterationThatStalls) {
  // b - A x is wrong by plus or minus one vector, far above rounding: the residual of the recurrence falls, the true
  // one does not.
  DiagonalOperator const a(9, [](Index row) { return 1.0 + static_cast<double>(row); });
  DisturbedOperator const noisy(a, alternating_error(a, 1e-4), true);
  auto const b = right_hand_side(9, 1, 1);
  for (auto const& solver : conjugate_gradients_with({.relative = 1e-12, .absolute = 0, .iterations = 5000})) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, noisy, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::stalled) << report.method << ' ' << to_string(report.outcome);
    EXPECT_FALSE(report.remark.empty());
  }
}

/// With equal sources on a line, the 2-norm of the residual of conjugate gradients rises for half as many iterations as
/// cells, while the error falls in the energy norm.
TEST(Outcomes, APlateauOfResidualsIsNoStall) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {3000}, .contrast = 0});
  auto const b = a->create_vector();
  b->fill(1);
  Criteria const criteria{.relative = 1e-8, .absolute = 0, .iterations = 3000};
  auto all = conjugate_gradients_with(criteria);
  for (auto& more : conjugate_gradients_with(criteria, [] { return std::make_unique<JacobiPreconditioner>(); })) {
    all.push_back(std::move(more));
  }
  for (auto const& solver : all) {
    auto const x = a->create_vector();
    SolveReport const report = solve(*solver, *a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.method << ": " << report.remark;
    EXPECT_GT(report.iterations, 1000) << "without a plateau this tests nothing";
    EXPECT_GE(*std::min_element(report.history.begin(), report.history.begin() + 1000), report.history.front());
  }
}

/// A preconditioner that becomes useless after three iterations, so that almost nothing is gained.
class Tiring final : public Preconditioner {
 public:
  void prepare(Operator const&) override {}
  void apply(Vector const& r, Vector& z) override { z.copy(r); }
  [[nodiscard]] double apply_dot(Vector const& r, Vector& z) override {
    apply(r, z);
    return (++calls_ <= 3 ? 1 : 1e-20) * r.square();
  }

 private:
  int calls_ = 0;
};

TEST(Outcomes, AnErrorThatNoLongerFallsInTheEnergyNormIsAStall) {
  DiagonalOperator const a(9, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const b = right_hand_side(9, 1, 1);
  ConjugateGradients cg({.relative = 1e-12, .absolute = 0, .iterations = 100000}, std::make_unique<Tiring>());
  auto const x = a.create_vector();
  SolveReport const report = solve(cg, a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::stalled) << to_string(report.outcome);
  EXPECT_LT(report.iterations, 1100);
  EXPECT_EQ(report.remark, descent_stalled_remark);
}

TEST(Outcomes, APlateauIsAThousandResidualsOrHalfOfAllWithoutANewSmallestOne) {
  Convergence convergence({.relative = 1e-8, .absolute = 0, .iterations = 1});
  convergence.begin(1, 0);
  auto const residuals = [&](int count, double residual) {
    for (int n = 0; n < count; ++n) {
      EXPECT_FALSE(convergence.on_plateau());
      EXPECT_FALSE(convergence.failure(residual));
    }
  };
  convergence.descend(1);
  residuals(1000, 1);
  EXPECT_TRUE(convergence.on_plateau());
  EXPECT_TRUE(convergence.descended(Precision::double_));
  residuals(1000, 1);
  EXPECT_TRUE(convergence.on_plateau());
  EXPECT_FALSE(convergence.descended(Precision::double_)) << "nothing fell on the second one";
  for (int n = 1; n <= 3000; ++n) residuals(1, 1 - 1e-5 * n);
  convergence.descend(1e-15);
  residuals(2499, 1);
  EXPECT_EQ(convergence.until_plateau(), 1);
  residuals(1, 1);
  EXPECT_TRUE(convergence.on_plateau());
  EXPECT_FALSE(convergence.descended(Precision::single)) << "less than the square of epsilon";
  residuals(1, 1);
  convergence.descend(1e-15);
  EXPECT_TRUE(convergence.descended(Precision::double_));
  EXPECT_FALSE(convergence.descended(Precision::double_));
}

/// u_n - u_(n-1) on the rows of a rank.
class Upwind final : public Operator {
 public:
  explicit Upwind(Index rows) : zero_(make_array(rows)) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return zero_->create(); }
  void apply(Vector const& x, Vector& y) const override {
    std::vector<double> const values = test_problem::values_of<double>(x);
    auto& result = dynamic_cast<ArrayVector<double>&>(y);
    Index const first = result.first_row();
    test_operators::set(result, [&](Index row) {
      auto const n = static_cast<std::size_t>(row - first);
      return values[n] - (n > 0 ? values[n - 1] : 0);
    });
  }
  [[nodiscard]] bool diagonal(Vector& d) const override { return d.fill(1), true; }
  [[nodiscard]] double norm_bound() const override { return 2; }

 private:
  std::unique_ptr<ArrayVector<double>> zero_;
};

/// Jacobi's residual travels through all unknowns before it vanishes.
TEST(Outcomes, JacobiMayGainNothingForAsManyStepsAsUnknowns) {
  Upwind const a(1500);
  auto const b = a.create_vector();
  test_operators::set(dynamic_cast<ArrayVector<double>&>(*b), [](Index row) { return row % 1500 == 0 ? 1.0 : 0.0; });
  Jacobi jacobi({.relative = 1e-8, .absolute = 0, .iterations = 2000});
  auto const x = a.create_vector();
  SolveReport const report = solve(jacobi, a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
  EXPECT_GE(report.iterations, 1500);
}

TEST(Outcomes, JacobiStallsWhereErrorsAreTurnedRound) {
  DiagonalOperator const a(9, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const b = right_hand_side(9, 1, 1);
  Jacobi jacobi({.relative = 1e-8, .absolute = 0, .iterations = 100000}, 2);
  auto const x = a.create_vector();
  SolveReport const report = solve(jacobi, a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::stalled) << to_string(report.outcome);
  EXPECT_LT(report.iterations, 1100);
}

TEST(Outcomes, NumbersTooSmallToBeSquaredAreNotTakenForZero) {
  DiagonalOperator const a(4, [](Index) { return 1.0; });
  auto const b = right_hand_side(4, 1e-200, 1e-200);
  for (auto const& solver : solvers_with({})) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::breakdown) << report.method;
    EXPECT_EQ(report.remark, "the residual is too small to be squared; scale the problem");
  }
}

TEST(Outcomes, NumbersTooLargeToBeSquaredAreNumbers) {
  DiagonalOperator const a(4, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const b = right_hand_side(4, 1e200, -1e200);
  for (auto const& solver : solvers_with({})) {
    auto const x = a.create_vector();
    SolveReport const report = solve(*solver, a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::overflow) << report.method;
    EXPECT_EQ(report.remark, "entries are too large to be multiplied with each other; scale the problem")
        << report.method;
  }
}

TEST(Outcomes, ASolveIsNotHarmedByTheNumbersOfTheOneBefore) {
  DiagonalOperator const a(7, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const bad = right_hand_side(7, 1, nan);
  auto const good = right_hand_side(7, 1, 2);
  for (auto const& solver : solvers_with({})) {
    auto x = a.create_vector();
    EXPECT_EQ(solve(*solver, a, *bad, *x).outcome, Outcome::not_a_number);
    x = a.create_vector();
    SolveReport const report = solver->solve(a, *good, *x);
    EXPECT_TRUE(reached(report.outcome)) << report.method << ": " << report.remark;
  }
}

TEST(Outcomes, AnArmedThrowSiteThrowsFromTheSolve) {
  DiagonalOperator const a(4, [](Index) { return 1.0; });
  auto const b = right_hand_side(4, 1, 1);
  for (auto const& solver : solvers_with({})) {
    solver->prepare(a);
    auto const x = a.create_vector();
    setenv("HALOCLINE_THROW_AT", ("solve:" + std::to_string(test::communicator().rank())).c_str(), 1);
    arm_throw_sites(test::communicator().rank());
    EXPECT_THROW((void)solver->solve(a, *b, *x), Error);
    unsetenv("HALOCLINE_THROW_AT");
    arm_throw_sites(test::communicator().rank());
  }
}

}  // namespace
}  // namespace halocline
