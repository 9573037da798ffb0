#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/operator/array_vector.hpp"
#include "framework/operator/coarsening.hpp"
#include "framework/operator/generic_steps.hpp"
#include "framework/operator/solve_report.hpp"
#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

/// A diagonal operator: multiplies every entry by its own number. Knows its diagonal if requested.
class Scaling final : public Operator {
 public:
  Scaling(std::unique_ptr<Vector> entries, bool knows_diagonal)
      : entries_(std::move(entries)), knows_diagonal_(knows_diagonal) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return entries_->create(); }
  void apply(Vector const& x, Vector& y) const override { y.multiply(*entries_, x); }
  [[nodiscard]] bool diagonal(Vector& d) const override {
    if (knows_diagonal_) d.copy(*entries_);
    return knows_diagonal_;
  }

 private:
  std::unique_ptr<Vector> entries_;
  bool knows_diagonal_;
};

std::unique_ptr<Vector> array(Index rows, double value) {
  auto vector = std::make_unique<ArrayVector<double>>(test::communicator().split(0), rows);
  vector->fill(value);
  return vector;
}

TEST(OperatorFallback, JacobiSolvesADiagonalInOneStep) {
  auto entries = array(5, 0);
  entries->randomize(1);
  Scaling const a(std::move(entries), true);
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  auto const next = a.create_vector();
  auto const r = a.create_vector();
  b->randomize(2);
  x->randomize(3);
  double const residual = a.residual(*b, *x, *r);
  JacobiSquares const squares = jacobi_steps(a)->step(1, *b, *x, *next);
  EXPECT_DOUBLE_EQ(squares.residual, residual);
  (void)a.residual(*b, *next, *r);
  EXPECT_LE(r->maximum(), 4 * std::numeric_limits<double>::epsilon() * (1 + next->maximum()));
  next->add(-1, *x);
  EXPECT_NEAR(squares.change, next->square(), 1e-13 * next->square());
}

TEST(OperatorFallback, AnUnknownDiagonalIsAnErrorOfTheSolve) {
  Scaling const a(array(3, 2), false);
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  auto const y = a.create_vector();
  auto const message = testing::ThrowsMessage<SolveError>(testing::StrEq("the operator does not provide its diagonal"));
  EXPECT_THAT([&] { (void)jacobi_steps(a)->step(1, *b, *x, *y); }, message);
  EXPECT_THAT([&] { chebyshev_steps(a)->step({.direction = 0, .residual = 1}, *b, *x, *b->create(), *y); }, message);
  EXPECT_EQ(colours_of(a), 0);
  EXPECT_EQ(a.coarsen(), nullptr);
}

TEST(OperatorFallback, TheFirstChebyshevStepDoesNotReadItsDirection) {
  Scaling const a(array(3, 2), true);
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  auto const next = a.create_vector();
  auto const d = a.create_vector();
  b->fill(6);
  d->fill(std::numeric_limits<double>::quiet_NaN());
  chebyshev_steps(a)->step({.direction = 0, .residual = 0.5}, *b, *x, *d, *next);
  EXPECT_EQ(next->maximum(), 1.5);
}

// The estimate is twice a lower bound of the spectral radius.
TEST(OperatorFallback, TheNormIsEstimatedFromAbove) {
  for (double const value : {3.0, 1e-12, 1e12}) {
    Scaling const a(array(40, value), true);
    EXPECT_NEAR(a.norm_bound(), 2 * value, 1e-12 * value);
  }
  EXPECT_EQ(Scaling(array(4, 0), true).norm_bound(), 0);
  EXPECT_TRUE(std::isnan(Scaling(array(4, std::numeric_limits<double>::quiet_NaN()), true).norm_bound()));
}

TEST(Outcome, EveryOneHasAName) {
  EXPECT_STREQ(to_string(Outcome::converged), "converged");
  EXPECT_STREQ(to_string(Outcome::converged_to_rounding), "converged to rounding");
  EXPECT_STREQ(to_string(Outcome::not_a_number), "not a number");
  for (auto const outcome : {Outcome::iteration_limit, Outcome::diverged, Outcome::not_a_number, Outcome::breakdown,
                             Outcome::indefinite, Outcome::stalled}) {
    EXPECT_FALSE(reached(outcome)) << to_string(outcome);
  }
  EXPECT_TRUE(reached(Outcome::converged_to_rounding));
}

}  // namespace
}  // namespace halocline
