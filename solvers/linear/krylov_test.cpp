#include <gtest/gtest.h>

#include <cmath>

#include "framework/operator/test_problem.hpp"
#include "solvers/linear/bicgstab.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"

// Properties of the methods for indefinite and for unsymmetric operators.

namespace halocline {
namespace {

using test_operators::DiagonalOperator;
using test_operators::distance;
using test_operators::make_array;
using test_operators::RankOneOperator;
using test_operators::solve;
using test_operators::Solved;

constexpr Criteria tight{.relative = 1e-10, .absolute = 0, .iterations = 200};

/// Rotates each pair of entries by a right angle: A x is orthogonal to x for every x.
class Turn final : public Operator {
 public:
  explicit Turn(Index pairs) : rows_(2 * pairs) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return make_array(rows_); }
  void apply(Vector const& x, Vector& y) const override {
    auto const in = dynamic_cast<ArrayVector<double> const&>(x).values();
    auto const out = dynamic_cast<ArrayVector<double>&>(y).values();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
    auto const turned = Kokkos::create_mirror_view(out);
    for (std::size_t n = 0; n < host.extent(0); n += 2) {
      turned(n) = -host(n + 1);
      turned(n + 1) = host(n);
    }
    Kokkos::deep_copy(out, turned);
  }
  [[nodiscard]] double norm_bound() const override { return 1; }

 private:
  Index rows_;
};

std::unique_ptr<Vector> made_by(Operator const& a, Vector const& x) {
  auto b = a.create_vector();
  a.apply(x, *b);
  return b;
}

TEST(Krylov, NeedsAsManyStepsAsThereAreEigenvalues) {
  for (int const different : {1, 2, 3, 6}) {
    for (bool const indefinite : {false, true}) {
      DiagonalOperator const a(48, [&](Index row) {
        double const value = 1.0 + static_cast<double>(row % different);
        return indefinite && row % different % 2 == 1 ? -value : value;
      });
      auto const b = a.create_vector();
      b->fill(1);
      Minres minres(tight);
      Gmres gmres({.criteria = tight});
      for (LinearSolver* const solver : {static_cast<LinearSolver*>(&minres), static_cast<LinearSolver*>(&gmres)}) {
        SolveReport const report = solve(*solver, a, *b).report;
        EXPECT_EQ(report.outcome, Outcome::converged) << report.method << report.remark;
        EXPECT_EQ(report.iterations, different) << report.method;
      }
      if (indefinite) continue;
      BiCgStab bicgstab(tight);
      SolveReport const report = solve(bicgstab, a, *b).report;
      EXPECT_EQ(report.outcome, Outcome::converged);
      EXPECT_LE(report.iterations, different);
    }
  }
}

/// D has three eigenvalues; a change of rank one adds at most four to the degree of the minimal polynomial.
TEST(Krylov, SolvesWhatIsNotSymmetric) {
  RankOneOperator const a(40, 2);
  auto const solution = a.create_vector();
  solution->randomize(1);
  auto const b = made_by(a, *solution);
  for (bool const preconditioned : {false, true}) {
    auto const preconditioner = [&]() -> std::unique_ptr<Preconditioner> {
      return preconditioned ? std::make_unique<JacobiPreconditioner>() : nullptr;
    };
    Gmres gmres({.criteria = tight}, preconditioner());
    Gmres modified({.criteria = tight, .orthogonalisation = Orthogonalisation::modified}, preconditioner());
    Gmres flexible({.criteria = tight, .flexible = true}, preconditioner());
    BiCgStab bicgstab(tight, preconditioner());
    std::vector<SolveReport> reports;
    for (LinearSolver* const solver : {static_cast<LinearSolver*>(&gmres), static_cast<LinearSolver*>(&modified),
                                       static_cast<LinearSolver*>(&flexible), static_cast<LinearSolver*>(&bicgstab)}) {
      Solved const solved = solve(*solver, a, *b);
      EXPECT_EQ(solved.report.outcome, Outcome::converged) << solved.report.method << solved.report.remark;
      EXPECT_LE(solved.report.true_residual, 1e-10 * solved.report.initial_residual);
      EXPECT_LE(distance(*solved.x, *solution), 1e-8);
      reports.push_back(solved.report);
    }
    EXPECT_LE(reports[0].iterations, 7);
    // The same iterates by different arithmetic.
    for (std::size_t n = 1; n < 3; ++n) {
      ASSERT_EQ(reports[n].history.size(), reports[0].history.size());
      for (std::size_t k = 0; k < reports[0].history.size(); ++k) {
        EXPECT_NEAR(reports[n].history[k], reports[0].history[k], 1e-12 * reports[0].initial_residual);
      }
    }
  }
}

TEST(Gmres, RestartsNeverLoseGround) {
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {14, 11}});
  auto const b = a->create_vector();
  b->randomize(1);
  Index unrestarted = 0;
  for (Index const restart : {200, 10, 3}) {
    Gmres gmres({.criteria = {.relative = 1e-8, .absolute = 0, .iterations = 20000}, .restart = restart});
    SolveReport const report = solve(gmres, *a, *b).report;
    EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
    for (std::size_t n = 1; n < report.history.size(); ++n) {
      EXPECT_LE(report.history[n], report.history[n - 1] * (1 + 1e-10));
    }
    if (unrestarted == 0) unrestarted = report.iterations;
    EXPECT_GE(report.iterations, unrestarted);
    EXPECT_NEAR(report.final_residual, report.true_residual, 1e-6 * report.true_residual);
  }
}

/// Eigenvalues over ten decades. With an orthogonal basis, the residual of the recurrence equals that of x up to
/// rounding times the condition number, 1e-6; with a basis that has lost orthogonality, it does not.
TEST(Gmres, KeepsItsBasisOrthogonal) {
  DiagonalOperator const a(36, [](Index row) { return std::pow(10.0, -static_cast<double>(row % 36) * 10 / 35); });
  auto const b = a.create_vector();
  b->fill(1);
  for (Orthogonalisation const way : {Orthogonalisation::classical_twice, Orthogonalisation::modified}) {
    Gmres gmres(
        {.criteria = {.relative = 1e-13, .absolute = 0, .iterations = 35}, .restart = 36, .orthogonalisation = way});
    SolveReport const report = solve(gmres, a, *b).report;
    EXPECT_EQ(report.iterations, 35);
    EXPECT_NEAR(report.final_residual, report.true_residual, 1e-6 * report.initial_residual);
  }
}

TEST(Gmres, NeedsABasisThatReachesTheSolution) {
  Turn const a(9);
  auto const b = a.create_vector();
  b->randomize(1);
  Gmres two({.criteria = tight, .restart = 2});
  SolveReport const solved = solve(two, a, *b).report;
  EXPECT_EQ(solved.outcome, Outcome::converged);
  EXPECT_EQ(solved.iterations, 2);
  Gmres one({.criteria = tight, .restart = 1});
  SolveReport const stalled = solve(one, a, *b).report;
  EXPECT_EQ(stalled.outcome, Outcome::stalled);
  EXPECT_EQ(stalled.iterations, 1);
}

TEST(BiCgStab, SaysWhereItBreaksDown) {
  Turn const a(9);
  auto const b = a.create_vector();
  b->randomize(1);
  BiCgStab bicgstab(tight);
  SolveReport const report = solve(bicgstab, a, *b).report;
  EXPECT_EQ(report.outcome, Outcome::breakdown);
  EXPECT_EQ(report.remark, "a product that the method divides by is zero to rounding; use gmres");
}

/// Alternates between zero and weights from 0.1 to 1.9: only a flexible method converges with it.
class Fickle final : public Preconditioner {
 public:
  void prepare(Operator const& a) override {
    odd_ = false;
    weights_ = a.create_vector();
    weights_->randomize(7);
    auto const one = a.create_vector();
    one->fill(1);
    weights_->combine(1, *one, 0.9);
  }
  void apply(Vector const& r, Vector& z) override {
    odd_ = !odd_;
    if (odd_) return z.copy(r);
    z.multiply(*weights_, r);
  }

 private:
  bool odd_ = false;
  std::unique_ptr<Vector> weights_;
};

TEST(Gmres, IsFlexibleWhereItIsToldTo) {
  RankOneOperator const a(40, 2);
  auto const b = a.create_vector();
  b->randomize(1);
  Gmres flexible({.criteria = tight, .flexible = true}, std::make_unique<Fickle>());
  Gmres rigid({.criteria = tight}, std::make_unique<Fickle>());
  SolveReport const solved = solve(flexible, a, *b).report;
  EXPECT_EQ(solved.outcome, Outcome::converged);
  EXPECT_EQ(solved.method, "fgmres");
  SolveReport const astray = solve(rigid, a, *b).report;
  EXPECT_FALSE(reached(astray.outcome));
  EXPECT_GT(astray.true_residual, 10 * astray.final_residual);
}

/// Conjugate gradients to a tenth of the residual: a different linear operator for each residual.
class InnerIteration final : public Preconditioner {
 public:
  void prepare(Operator const& a) override {
    a_ = &a;
    inner_.prepare(a);
  }
  void apply(Vector const& r, Vector& z) override {
    z.fill(0);
    EXPECT_EQ(inner_.solve(*a_, r, z).outcome, Outcome::converged);
  }

 private:
  Operator const* a_ = nullptr;
  ConjugateGradients inner_{{.relative = 0.1, .absolute = 0, .iterations = 1000}};
};

TEST(ConjugateGradients, AreFlexibleWhereTheyAreToldTo) {
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {40, 36}});
  auto const b = a->create_vector();
  b->randomize(1);
  Criteria const criteria{.relative = 1e-10, .absolute = 0, .iterations = 100};
  ConjugateGradients flexible(criteria, std::make_unique<InnerIteration>(), {.flexible = true});
  ConjugateGradients rigid(criteria, std::make_unique<InnerIteration>());
  SolveReport const solved = solve(flexible, *a, *b).report;
  EXPECT_EQ(solved.outcome, Outcome::converged);
  // Each step gains at least a tenth, and conjugate directions gain more.
  EXPECT_LE(solved.iterations, 11);
  EXPECT_GT(solve(rigid, *a, *b).report.iterations, solved.iterations);
}

TEST(ConjugateGradients, FlexibleOnesTakeTheSameStepsByOnePreconditioner) {
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  auto const b = a->create_vector();
  b->randomize(1);
  ConjugateGradients rigid(tight, std::make_unique<ChebyshevPreconditioner>(3, 20));
  ConjugateGradients flexible(tight, std::make_unique<ChebyshevPreconditioner>(3, 20), {.flexible = true});
  SolveReport const expected = solve(rigid, *a, *b).report;
  SolveReport const report = solve(flexible, *a, *b).report;
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_NEAR(static_cast<double>(report.iterations), static_cast<double>(expected.iterations), 1);
  for (std::size_t n = 0; n < 10; ++n) {
    EXPECT_NEAR(report.history[n], expected.history[n], 1e-10 * expected.initial_residual);
  }
}

TEST(Gmres, SaysThatAnOperatorIsSingular) {
  DiagonalOperator const a(30, [](Index row) { return static_cast<double>(row % 3); });
  auto const b = a.create_vector();
  b->fill(1);  // not in the range of A, which has zeros on the diagonal
  Gmres gmres({.criteria = tight});
  SolveReport const report = solve(gmres, a, *b).report;
  EXPECT_EQ(report.outcome, Outcome::breakdown);
  EXPECT_EQ(report.remark, "the operator is singular");
  EXPECT_NEAR(report.true_residual, std::sqrt(b->square() / 3), 1e-10);
}

TEST(Minres, KnowsItsResidual) {
  auto const positive = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  DiagonalOperator const indefinite(40, [](Index row) {
    double const value = 1 + 0.37 * static_cast<double>(row % 17);
    return row % 2 == 0 ? value : -value;
  });
  for (Operator const* const a :
       {static_cast<Operator const*>(positive.get()), static_cast<Operator const*>(&indefinite)}) {
    auto const solution = a->create_vector();
    solution->randomize(1);
    auto const b = made_by(*a, *solution);
    for (Index const iterations : {1, 2, 5, 300}) {
      Minres alone({.relative = 1e-9, .absolute = 0, .iterations = iterations});
      SolveReport const report = solve(alone, *a, *b).report;
      EXPECT_NEAR(report.final_residual, report.true_residual, 1e-8 * report.initial_residual);
      for (std::size_t n = 1; n < report.history.size(); ++n) EXPECT_LE(report.history[n], report.history[n - 1]);
      EXPECT_EQ(report.outcome, iterations == 300 ? Outcome::converged : Outcome::iteration_limit);
      if (a == &indefinite) continue;
      Minres preconditioned({.relative = 1e-9, .absolute = 0, .iterations = iterations},
                            std::make_unique<ChebyshevPreconditioner>(4, 20));
      SolveReport const other = solve(preconditioned, *a, *b).report;
      EXPECT_NEAR(other.final_residual, other.true_residual, 1e-8 * other.initial_residual);
      EXPECT_EQ(other.outcome, iterations == 300 ? Outcome::converged : Outcome::iteration_limit);
      if (iterations == 300) {
        EXPECT_LT(other.iterations, report.iterations / 2);
      }
    }
  }
}

/// A right-hand side in other units, a power of two times as large, changes no bit of the solution.
TEST(Minres, SolvesInAnyUnits) {
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  auto const b = a->create_vector();
  b->randomize(1);
  Minres solver(tight, std::make_unique<ChebyshevPreconditioner>(4, 20));
  SolveReport const expected = solve(solver, *a, *b).report;
  EXPECT_EQ(expected.outcome, Outcome::converged);
  for (double const unit : {0x1p-200, 0x1p80, 0x1p200}) {
    auto const scaled = a->create_vector();
    scaled->copy(*b);
    scaled->scale(unit);
    SolveReport const report = solve(solver, *a, *scaled).report;
    EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
    EXPECT_EQ(report.iterations, expected.iterations);
    EXPECT_EQ(report.final_residual, unit * expected.final_residual);
  }
}

TEST(Minres, WithTheInverseAsPreconditionerTakesOneStep) {
  DiagonalOperator const a(50, [](Index row) { return 1.0 + static_cast<double>(row * row); });
  auto const b = a.create_vector();
  b->randomize(1);
  Minres solver(tight, std::make_unique<JacobiPreconditioner>());
  EXPECT_EQ(solve(solver, a, *b).report.iterations, 1);
}

TEST(Minres, NeedsAPositivePreconditioner) {
  DiagonalOperator const a(50, [](Index row) { return row % 2 == 0 ? 1.0 + static_cast<double>(row) : -5.0; });
  auto const b = a.create_vector();
  test_operators::set(dynamic_cast<ArrayVector<double>&>(*b), [](Index row) { return row % 2 == 0 ? 0.1 : 10.0; });
  Minres solver(tight, std::make_unique<JacobiPreconditioner>());
  SolveReport const report = solve(solver, a, *b).report;
  EXPECT_EQ(report.outcome, Outcome::indefinite);
  EXPECT_EQ(report.remark, "the preconditioner is not positive definite; choose another one");
}

/// The scale of the preconditioned operator does not depend on the operator's scale.
TEST(Minres, ThinksNoLargeOperatorSingular) {
  for (double const size : {1e-20, 1.0, 1e20}) {
    DiagonalOperator const a(50, [size](Index row) { return size * (1.0 + static_cast<double>(row % 7)); });
    auto const b = a.create_vector();
    b->fill(1);
    Minres solver(tight, std::make_unique<ChebyshevPreconditioner>(2, 10));
    SolveReport const report = solve(solver, a, *b).report;
    EXPECT_EQ(report.outcome, Outcome::converged) << size << report.remark;
  }
}

TEST(Minres, SolvesWhatIsSingularWhereThereIsASolution) {
  DiagonalOperator const a(60, [](Index row) { return static_cast<double>(row % 5) - 2; });
  auto const solution = a.create_vector();
  solution->randomize(1);
  auto const b = made_by(a, *solution);
  Minres solver(tight);
  SolveReport const report = solve(solver, a, *b).report;
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
  EXPECT_LE(report.iterations, 4);
  b->fill(1);
  EXPECT_FALSE(reached(solve(solver, a, *b).report.outcome));
}

}  // namespace
}  // namespace halocline
