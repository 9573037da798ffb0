#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "framework/operator/test_problem.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/null_space_solver.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/pipelined_cg.hpp"
#include "solvers/linear/single_reduction_cg.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/verified_solver.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test_problem::make_operator;
using test_problem::Wall;

Criteria const to_ten_digits{.relative = 1e-10, .absolute = 0, .iterations = 2000};

std::vector<std::unique_ptr<LinearSolver>> methods(Criteria const& criteria = to_ten_digits) {
  std::vector<std::unique_ptr<LinearSolver>> all;
  all.push_back(std::make_unique<ConjugateGradients>(criteria));
  // Changes the mean of the vectors that it is applied to.
  all.push_back(std::make_unique<ConjugateGradients>(criteria, std::make_unique<JacobiPreconditioner>()));
  all.push_back(std::make_unique<SingleReductionCg>(criteria));
  all.push_back(std::make_unique<PipelinedCg>(criteria));
  all.push_back(std::make_unique<Minres>(criteria));
  all.push_back(std::make_unique<Gmres>(Gmres::Settings{.criteria = criteria}));
  return all;
}

/// An insulated or periodic plate, a solution of mean `mean_of_solution`, and its right-hand side.
struct Plate {
  static constexpr double mean_of_solution = 0.25;
  explicit Plate(bool periodic)
      : a(make_operator<double>(test::communicator().split(0),
                                {.cells = {14, 11}, .periodic = periodic, .wall = Wall::insulated})),
        ones(a->create_vector()),
        solution(a->create_vector()),
        b(a->create_vector()) {
    ones->fill(1);
    solution->randomize(1);
    solution->add(mean_of_solution - mean(*solution), *ones);
    a->apply(*solution, *b);
  }
  [[nodiscard]] double mean(Vector const& x) const { return ones->dot(x) / ones->square(); }
  /// Solves from a guess with the solution's mean. Returns the largest error.
  double error(SolveReport& report, std::unique_ptr<LinearSolver> method, NullSpacePart part) const {
    NullSpaceSolver solver(std::move(method), "method", part);
    solver.prepare(*a);
    auto const x = a->create_vector();
    x->randomize(2);
    x->add(mean_of_solution - mean(*x), *ones);
    report = solver.solve(*a, *b, *x);
    x->add(-1, *solution);
    return x->maximum();
  }

  std::unique_ptr<Operator> a;
  std::unique_ptr<Vector> ones, solution, b;
};

/// Errors are residuals times the norm of the inverse on the complement of the constants, at most
/// 1 / (2 - 2 cos(pi / 14)) = 20, with residuals of 1e-10 of some 40.
constexpr double largest_error = 1e-7;

TEST(NullSpace, TheSolutionHasTheMeanOfTheGuess) {
  for (bool const periodic : {false, true}) {
    Plate const plate(periodic);
    for (auto& method : methods()) {
      SolveReport report;
      EXPECT_LT(plate.error(report, std::move(method), NullSpacePart::keep), largest_error) << report.method;
      EXPECT_EQ(report.outcome, Outcome::converged) << report.method;
      EXPECT_EQ(report.remark, constants_in_null_space) << report.method;
    }
  }
}

TEST(NullSpace, AMeanHasNoSolutionUnlessItIsTakenOff) {
  Plate const plate(false);
  plate.b->add(0.125, *plate.ones);
  for (auto& method : methods()) {
    SolveReport report;
    static_cast<void>(plate.error(report, std::move(method), NullSpacePart::keep));
    EXPECT_EQ(report.outcome, Outcome::inconsistent);
    EXPECT_EQ(report.remark, constants_without_solution);
    EXPECT_EQ(report.iterations, 0);
  }
  for (auto& method : methods()) {
    SolveReport report;
    EXPECT_LT(plate.error(report, std::move(method), NullSpacePart::project), largest_error) << report.method;
    EXPECT_EQ(report.outcome, Outcome::converged) << report.method;
    EXPECT_EQ(report.remark, std::string(constants_in_null_space) + "; a mean of 0.125 was subtracted from the source");
  }
}

/// In the end only rounding errors are left, among them a mean, along which there is no curvature. Pipelined reductions
/// reach less, because the rounding errors of more recurrences add up.
TEST(NullSpace, AllThatRoundingAllowsIsReached) {
  for (bool const periodic : {false, true}) {
    Plate const plate(periodic);
    for (auto& method : methods({.relative = 0, .absolute = 0, .iterations = 2000})) {
      if (dynamic_cast<PipelinedCg*>(method.get()) != nullptr) continue;
      SolveReport report;
      EXPECT_LT(plate.error(report, std::move(method), NullSpacePart::keep), largest_error) << report.method;
      EXPECT_EQ(report.outcome, Outcome::converged_to_rounding) << report.method << ": " << report.remark;
    }
  }
}

/// A mean within the tolerance counts as zero.
TEST(NullSpace, AMeanBelowTheToleranceIsNoObstacle) {
  Plate const plate(false);
  plate.b->add(1e-13, *plate.ones);
  SolveReport report;
  static_cast<void>(plate.error(report, std::make_unique<ConjugateGradients>(to_ten_digits), NullSpacePart::keep));
  EXPECT_EQ(report.outcome, Outcome::converged);
}

/// Part of the plate is fixed: the operator is regular, and sources with a mean have a solution.
TEST(NullSpace, RegularOperatorsAreLeftAlone) {
  auto const a =
      make_operator<double>(test::communicator().split(0), {.cells = {14, 11}, .wall = Wall::insulated, .shift = 1e-3});
  auto const b = a->create_vector();
  b->fill(1);
  auto const x = a->create_vector();
  NullSpaceSolver solver(std::make_unique<ConjugateGradients>(to_ten_digits), "cg", NullSpacePart::keep);
  solver.prepare(*a);
  SolveReport const report = solver.solve(*a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.remark, "");
  EXPECT_NEAR(x->maximum(), 1000, 1e-4);
}

/// A shift may change entries by less than their rounding errors, so that only the operator's construction shows that
/// there is one.
TEST(NullSpace, OperatorsHeldByLessThanRoundingShowsAreLeftAlone) {
  auto const a = make_operator<float>(test::communicator().split(0),
                                      {.cells = {30, 30}, .wall = Wall::insulated, .shift = 1e-7, .contrast = 0});
  auto const b = a->create_vector();
  b->fill(1e-7);
  for (NullSpacePart const part : {NullSpacePart::keep, NullSpacePart::project}) {
    auto const x = a->create_vector();
    NullSpaceSolver solver(std::make_unique<ConjugateGradients>(to_ten_digits), "cg", part);
    solver.prepare(*a);
    SolveReport const report = solver.solve(*a, *b, *x);
    EXPECT_NE(report.outcome, Outcome::inconsistent);
    EXPECT_EQ(report.remark.find("null space"), std::string::npos) << report.remark;
    EXPECT_EQ(report.remark.find("singular"), std::string::npos) << report.remark;
  }
}

TEST(NullSpace, NumbersTooSmallToBeSquaredAreNotCalledInconsistent) {
  Plate const plate(false);
  auto const x = plate.a->create_vector();
  plate.b->scale(1e-200);
  NullSpaceSolver solver(std::make_unique<ConjugateGradients>(to_ten_digits), "cg", NullSpacePart::keep);
  solver.prepare(*plate.a);
  SolveReport const report = solver.solve(*plate.a, *plate.b, *x);
  EXPECT_EQ(report.outcome, Outcome::breakdown);
  EXPECT_EQ(report.remark, underflow_remark);
}

TEST(NullSpace, AVerifiedSolveOfWhatIsProjectedIsNotInconsistent) {
  Plate const plate(false);
  plate.b->add(0.125, *plate.ones);
  for (Index const iterations : {2, 2000}) {
    VerifiedSolver solver(
        std::make_unique<NullSpaceSolver>(
            std::make_unique<ConjugateGradients>(Criteria{.relative = 0, .absolute = 0, .iterations = iterations}),
            "cg", NullSpacePart::project),
        "cg", OperatorNeed::positive_definite, NullSpacePart::project);
    solver.prepare(*plate.a);
    auto const x = plate.a->create_vector();
    SolveReport const report = solver.solve(*plate.a, *plate.b, *x);
    EXPECT_EQ(report.outcome, iterations == 2 ? Outcome::iteration_limit : Outcome::converged_to_rounding);
    if (iterations > 2) {
      ASSERT_TRUE(report.verification->error_estimate);
      EXPECT_LT(*report.verification->error_estimate, largest_error);
    }
  }
}

}  // namespace
}  // namespace halocline
