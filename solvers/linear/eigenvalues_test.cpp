#include "solvers/linear/eigenvalues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/test_operators.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test_operators::DiagonalOperator;

TEST(TridiagonalBounds, AreThoseOfTheDiscreteLaplacian) {
  for (int const n : {1, 2, 3, 10, 101}) {
    std::vector<double> const diagonal(static_cast<std::size_t>(n), 2.0);
    std::vector<double> const off_diagonal(static_cast<std::size_t>(n - 1), -1.0);
    auto const [smallest, largest] = tridiagonal_bounds(diagonal, off_diagonal);
    double const angle = std::numbers::pi / (2.0 * (n + 1));
    EXPECT_NEAR(smallest, 4 * std::pow(std::sin(angle), 2), 1e-14);
    EXPECT_NEAR(largest, 4 * std::pow(std::sin(n * angle), 2), 1e-14);
  }
}

TEST(TridiagonalBounds, RefuseWhatIsNoMatrix) {
  auto const message = [](char const* text) { return testing::ThrowsMessage<DefectError>(testing::StrEq(text)); };
  EXPECT_THAT([] { (void)tridiagonal_bounds({}, {}); }, message("eigenvalues of an empty matrix"));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([nan] { (void)tridiagonal_bounds(std::array{nan}, {}); },
              testing::ThrowsMessage<UnsuitableOperator>(testing::HasSubstr("the Lanczos matrix is not finite")));
}

TEST(LanczosBounds, OfAFullRunAreTheExtremeEigenvalues) {
  // Five different eigenvalues: five steps of conjugate gradients find them all.
  DiagonalOperator const a(10, [](Index row) { return 1.0 + static_cast<double>(row % 5) * 3; });
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  b->fill(1);
  ConjugateGradients solver({.relative = 0, .absolute = 0, .iterations = 5});
  solver.prepare(a);
  (void)solver.solve(a, *b, *x);
  ASSERT_GE(solver.coefficients().size(), 4U);
  auto const [smallest, largest] = lanczos_bounds(solver.coefficients());
  EXPECT_NEAR(smallest, 1, 0.02);
  EXPECT_NEAR(largest, 13, 0.02);
}

TEST(LanczosBounds, TakeTheStepThatConvergesIntoAccount) {
  // Two eigenvalues need two steps; without the second one, the larger eigenvalue is not found.
  DiagonalOperator const a(6, [](Index row) { return row % 2 == 0 ? 1.0 : 3.0; });
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  b->randomize(1);
  ConjugateGradients solver({.relative = 1e-12, .absolute = 0, .iterations = 100});
  solver.prepare(a);
  EXPECT_EQ(solver.solve(a, *b, *x).iterations, 2);
  EigenvalueBounds const bounds = lanczos_bounds(solver.coefficients());
  EXPECT_NEAR(bounds.smallest, 1, 1e-10);
  EXPECT_NEAR(bounds.largest, 3, 1e-10);
}

TEST(RitzBounds, OfAFullSpaceAreTheExtremeEigenvalues) {
  for (double const size : {1e-300, 1.0, 1e300}) {
    DiagonalOperator const a(10, [size](Index row) { return size * (static_cast<double>(row % 5) - 2); });
    auto const [smallest, largest] = ritz_bounds(a, a.norm_bound(), 20);
    EXPECT_NEAR(smallest / size, -2, 1e-13);
    EXPECT_NEAR(largest / size, 2, 1e-13);
  }
}

TEST(RitzBounds, OfASingleUnknown) {
  DiagonalOperator const a(1, [](Index) { return 3.0; });
  EXPECT_NEAR(ritz_bounds(a, 3, 20).smallest, 3, 1e-14);
}

TEST(RitzBounds, LieInsideTheSpectrum) {
  DiagonalOperator const a(200, [](Index row) { return 1.0 + static_cast<double>(row); });
  EigenvalueBounds before{a.norm_bound(), 0};
  for (Index const steps : {1, 3, 10, 40}) {
    EigenvalueBounds const bounds = ritz_bounds(a, a.norm_bound(), steps);
    EXPECT_GE(bounds.smallest, 1);
    EXPECT_LE(bounds.largest, a.norm_bound());
    EXPECT_LT(bounds.smallest, before.smallest);
    EXPECT_GT(bounds.largest, before.largest);
    before = bounds;
  }
}

TEST(RitzBounds, AreNoNumbersWhereTheOperatorMakesNone) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  DiagonalOperator const a(5, [nan](Index row) { return row == 2 ? nan : 1.0; });
  EXPECT_TRUE(std::isnan(ritz_bounds(a, 1, 5).smallest));
  DiagonalOperator const zero(5, [](Index) { return 0.0; });
  EXPECT_EQ(ritz_bounds(zero, 0, 5).largest, 0);
}

TEST(EstimateEigenvalues, OfADiagonalAreOne) {
  DiagonalOperator const a(5, [](Index row) { return 1.0 + static_cast<double>(row); });
  EigenvalueBounds const bounds = estimate_eigenvalues(a, 10);
  EXPECT_NEAR(bounds.smallest, 1, 1e-10);
  EXPECT_NEAR(bounds.largest, 1, 1e-10);
}

TEST(EstimateEigenvalues, LieInsideTheSpectrumOfTheScaledOperator) {
  // Scaled by its diagonal, a diagonal matrix is the identity.
  DiagonalOperator const a(20, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const [smallest, largest] = estimate_eigenvalues(a, 1);
  EXPECT_NEAR(smallest, 1, 1e-9);
  EXPECT_NEAR(largest, 1, 1e-9);
}

TEST(EstimateEigenvalues, OfASingularOperatorAreThoseBesideItsNullSpace) {
  // D^-1 A of a chain with insulated ends: 1 - cos(k pi / (n - 1)).
  for (Index const size : {2, 3, 4, 7}) {
    auto const a =
        test_problem::make_operator<double>(test::communicator().split(test::communicator().rank()),
                                            {.cells = {size}, .wall = test_problem::Wall::insulated, .contrast = 0});
    auto const [smallest, largest] = estimate_eigenvalues(*a, size);
    EXPECT_NEAR(largest, 2, 1e-9) << size;
    EXPECT_NEAR(smallest, 1 - std::cos(std::numbers::pi / static_cast<double>(size - 1)), 1e-9) << size;
  }
}

TEST(EstimateEigenvalues, NeedADefiniteOperatorWithADiagonal) {
  DiagonalOperator const unknown(
      4, [](Index) { return 1.0; }, false);
  EXPECT_THAT([&] { (void)estimate_eigenvalues(unknown, 3); },
              testing::ThrowsMessage<UnsuitableOperator>(testing::StrEq(
                  "the eigenvalues cannot be estimated: breakdown, the operator does not provide its diagonal")));
}

}  // namespace
}  // namespace halocline
