#include "solvers/linear/contrast_solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/jacobi.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"

namespace halocline {
namespace {

using test_operators::DiagonalOperator;
using testing::HasSubstr;

/// One, except `large` on one row of all ranks' rows.
DiagonalOperator jumping(double large, bool knows_diagonal = true) {
  return DiagonalOperator(
      5, [=](Index row) { return row == 2 ? large : 1.0; }, knows_diagonal);
}

/// The report of a solve by this method with a right-hand side of ones.
SolveReport solved(std::unique_ptr<LinearSolver> method, Operator const& a) {
  ContrastSolver solver(std::move(method));
  auto const b = a.create_vector();
  b->fill(1);
  return test_operators::solve(solver, a, *b).report;
}

std::unique_ptr<LinearSolver> cg(double relative, CgOptions options = {}) {
  return std::make_unique<ConjugateGradients>(Criteria{.relative = relative, .absolute = 0, .iterations = 100},
                                              std::make_unique<JacobiPreconditioner>(), options);
}

TEST(ContrastSolver, CautionsWhereContrastTimesToleranceExceedsAHundredth) {
  EXPECT_EQ(solved(cg(1e-8), jumping(0.9e6)).caution, "");
  std::string const caution = solved(cg(1e-8), jumping(1.1e6)).caution;
  EXPECT_THAT(caution, HasSubstr("differ by a factor of 1.1e+06, and its relative tolerance, 1e-08, hides errors"));
  // Small entries as well as large ones.
  EXPECT_EQ(solved(cg(1e-8), jumping(1.1e-6)).caution, "");
  EXPECT_NE(solved(cg(1e-8), jumping(0.9e-6)).caution, "");
}

TEST(ContrastSolver, RoundingIsAToleranceOfItsOwn) {
  auto const caution = [](double large) {
    // So many rows that one of them keeps a residual of rounding.
    DiagonalOperator const a(64,
                             [=](Index row) { return row == 2 ? 3 * large : 3.0 + 0.1 * static_cast<double>(row); });
    ContrastSolver solver(cg(0));
    auto const b = a.create_vector();
    b->randomize(1);
    SolveReport const report = test_operators::solve(solver, a, *b).report;
    EXPECT_EQ(report.outcome, Outcome::converged_to_rounding);
    return report.caution;
  };
  EXPECT_EQ(caution(1e12), "");
  EXPECT_THAT(caution(1e15), HasSubstr("what rounding allows, 2.2e-16,"));
}

TEST(ContrastSolver, CriteriaThatSeeSmallRowsNeedNoCaution) {
  // The square root of the contrast counts in the natural norm.
  EXPECT_EQ(solved(cg(1e-8, {.norm = ResidualNorm::natural}), jumping(0.9e12)).caution, "");
  EXPECT_NE(solved(cg(1e-8, {.norm = ResidualNorm::natural}), jumping(1.1e12)).caution, "");
  Criteria const criteria{.relative = 1e-4, .absolute = 0, .iterations = 10};
  EXPECT_EQ(solved(std::make_unique<Jacobi>(criteria, 1, StoppingQuantity::change), jumping(1e8)).caution, "");
  EXPECT_NE(solved(std::make_unique<Jacobi>(criteria, 1, StoppingQuantity::residual), jumping(1e8)).caution, "");
}

TEST(ContrastSolver, ADiagonalThatIsNotKnownOrHasAZeroIsNotJudged) {
  Criteria const criteria{.relative = 1e-4, .absolute = 0, .iterations = 10};
  EXPECT_EQ(solved(std::make_unique<ConjugateGradients>(criteria), jumping(1e8, false)).caution, "");
  auto const a = jumping(0);
  ContrastSolver solver(std::make_unique<ConjugateGradients>(criteria));
  EXPECT_NO_THROW(solver.prepare(a));
}

TEST(ContrastSolver, AFailedSolveIsExplainedByItsOutcomeAlone) {
  Criteria const criteria{.relative = 1e-4, .absolute = 0, .iterations = 1};
  SolveReport const report = solved(std::make_unique<ConjugateGradients>(criteria), jumping(1e8));
  EXPECT_EQ(report.outcome, Outcome::iteration_limit);
  EXPECT_EQ(report.caution, "");
}

}  // namespace
}  // namespace halocline
