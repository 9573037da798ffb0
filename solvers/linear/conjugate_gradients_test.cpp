#include "solvers/linear/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "framework/operator/test_problem.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"

// Norms and residual replacement of conjugate gradients, besides what is tested for all methods.

namespace halocline {
namespace {

using test_operators::DiagonalOperator;
using test_problem::make_operator;

constexpr Criteria tight{.relative = 1e-8, .absolute = 0, .iterations = 5000};

std::unique_ptr<Operator> jumping_operator() {
  return make_operator<double>(test::communicator().split(0), {.cells = {31, 17}, .contrast = 1e4});
}

std::unique_ptr<Vector> random(Operator const& a, std::uint64_t seed) {
  auto x = a.create_vector();
  x->randomize(seed);
  return x;
}

/// The root of r . D^-1 r with r = b - A x.
double natural_norm(Operator const& a, Vector const& b, Vector const& x) {
  JacobiPreconditioner m;
  m.prepare(a);
  auto const r = a.create_vector();
  auto const z = a.create_vector();
  static_cast<void>(a.residual(b, x, *r));
  return std::sqrt(m.apply_dot(*r, *z));
}

SolveReport solve(Operator const& a, Vector const& b, Vector& x, Criteria const& criteria, CgOptions const& options) {
  ConjugateGradients solver(criteria, std::make_unique<JacobiPreconditioner>(), options);
  solver.prepare(a);
  return solver.solve(a, b, x);
}

TEST(CgNorm, NaturalIsOfThePreconditionedResidual) {
  auto const a = jumping_operator();
  auto const b = random(*a, 1);
  for (bool const flexible : {false, true}) {
    auto const x = random(*a, 2);
    double const initial = natural_norm(*a, *b, *x);
    SolveReport const report = solve(*a, *b, *x, tight, {.flexible = flexible, .norm = ResidualNorm::natural});
    EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
    EXPECT_NEAR(report.initial_residual, initial, 1e-12 * initial);
    EXPECT_EQ(report.history.front(), report.initial_residual);
    double const final = natural_norm(*a, *b, *x);
    EXPECT_LE(final, 1e-8 * initial);
    EXPECT_NEAR(report.final_residual, final, 1e-3 * final);
    // The iterate before did not meet the criteria yet.
    ASSERT_GE(report.history.size(), 2U);
    EXPECT_GT(report.history[report.history.size() - 2], 1e-8 * initial);
    auto const r = a->create_vector();
    EXPECT_DOUBLE_EQ(report.true_residual, std::sqrt(a->residual(*b, *x, *r)));
  }
}

TEST(CgNorm, NaturalIsRelativeToTheRightHandSide) {
  auto const a = jumping_operator();
  auto const b = random(*a, 1);
  auto const x = random(*a, 2);
  x->scale(1e3);
  Criteria const criteria{
      .relative = 1e-6, .absolute = 0, .iterations = 5000, .relative_to = RelativeTo::right_hand_side};
  auto const zero = a->create_vector();
  double const target = 1e-6 * natural_norm(*a, *b, *zero);
  SolveReport const report = solve(*a, *b, *x, criteria, {.norm = ResidualNorm::natural});
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_LE(natural_norm(*a, *b, *x), target);
  EXPECT_GT(report.history[report.history.size() - 2], target);
}

TEST(CgNorm, WithoutAPreconditionerBothAreOne) {
  auto const a = jumping_operator();
  auto const b = random(*a, 1);
  SolveReport reports[2];
  for (int n = 0; n < 2; ++n) {
    auto const x = a->create_vector();
    ConjugateGradients solver(tight, nullptr, {.norm = n == 0 ? ResidualNorm::two : ResidualNorm::natural});
    solver.prepare(*a);
    reports[n] = solver.solve(*a, *b, *x);
  }
  EXPECT_EQ(reports[0].history, reports[1].history);
}

TEST(CgNorm, NothingToDoAndNothingToMeasure) {
  DiagonalOperator const a(8, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const zero = a.create_vector();
  auto const x = a.create_vector();
  SolveReport report = solve(a, *zero, *x, tight, {.norm = ResidualNorm::natural});
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.iterations, 0);
  auto const b = random(a, 1);
  b->scale(std::numeric_limits<double>::infinity());
  report = solve(a, *b, *x, tight, {.norm = ResidualNorm::natural});
  EXPECT_EQ(report.outcome, Outcome::not_a_number);
  // D is A: after one step nothing is left to precondition.
  auto const c = random(a, 2);
  x->fill(0);
  report = solve(a, *c, *x, tight, {.norm = ResidualNorm::natural});
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.iterations, 1);
}

/// Multiplies by a number for which r . M^-1 r is not the square of a norm.
class Multiple final : public Preconditioner {
 public:
  explicit Multiple(double factor) : factor_(factor) {}
  void prepare(Operator const& /*a*/) override {}
  void apply(Vector const& r, Vector& z) override {
    z.copy(r);
    z.scale(factor_);
  }

 private:
  double factor_;
};

TEST(CgNorm, APreconditionerThatMakesNoNormIsNoAnswer) {
  DiagonalOperator const a(8, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const b = random(a, 1);
  for (double const factor : {0.0, -1.0}) {
    ConjugateGradients solver(tight, std::make_unique<Multiple>(factor), {.norm = ResidualNorm::natural});
    solver.prepare(a);
    auto const x = a.create_vector();
    SolveReport const report = solver.solve(a, *b, *x);
    EXPECT_EQ(report.outcome, factor == 0 ? Outcome::breakdown : Outcome::indefinite);
    EXPECT_DOUBLE_EQ(report.initial_residual, std::sqrt(b->square()));
  }
}

/// Hides that its inverse is a diagonal matrix.
class Hidden final : public Preconditioner {
 public:
  void prepare(Operator const& a) override { inner_.prepare(a); }
  void apply(Vector const& r, Vector& z) override { inner_.apply(r, z); }
  double apply_dot(Vector const& r, Vector& z) override { return inner_.apply_dot(r, z); }

 private:
  JacobiPreconditioner inner_;
};

TEST(CgScaling, WithinAPassGivesTheSameBits) {
  auto const a = jumping_operator();
  auto const b = random(*a, 1);
  for (Criteria const& criteria : {tight, Criteria{.relative = 0, .absolute = 0, .iterations = 50}}) {
    ConjugateGradients within(criteria, std::make_unique<JacobiPreconditioner>());
    ConjugateGradients beside(criteria, std::make_unique<Hidden>());
    within.prepare(*a);
    beside.prepare(*a);
    for (std::uint64_t const seed : {2, 3}) {
      auto const x = random(*a, seed);
      auto const y = random(*a, seed);
      SolveReport const report = within.solve(*a, *b, *x);
      SolveReport const expected = beside.solve(*a, *b, *y);
      EXPECT_EQ(report.outcome, expected.outcome);
      EXPECT_EQ(report.history, expected.history);
      x->add(-1, *y);
      EXPECT_EQ(x->maximum(), 0);
    }
  }
}

/// To about the last digits: without replacement, the recurrence's residual falls on and on, and the solve must restart
/// from b - A x.
TEST(CgReplacement, NeedsNoNewStart) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {64, 64}, .contrast = 0});
  auto const solution = random(*a, 3);
  auto const b = a->create_vector();
  a->apply(*solution, *b);
  auto const r = a->create_vector();
  SolveReport reports[2];
  for (bool const replaces : {false, true}) {
    auto const x = random(*a, 4);
    x->scale(1e6);  // the digits lost by cancellation must be recovered
    ConjugateGradients solver({.relative = 1e-20, .absolute = 1e-11, .iterations = 5000}, nullptr,
                              {.replaces_residuals = replaces});
    solver.prepare(*a);
    SolveReport& report = reports[replaces ? 1 : 0];
    report = solver.solve(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
    EXPECT_LE(std::sqrt(a->residual(*b, *x, *r)), 1e-11);
  }
  EXPECT_LE(static_cast<double>(reports[1].iterations), 0.9 * static_cast<double>(reports[0].iterations));
}

}  // namespace
}  // namespace halocline
