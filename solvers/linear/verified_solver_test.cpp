#include "solvers/linear/verified_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "framework/operator/test_problem.hpp"
#include "solvers/linear/assembled_solver.hpp"
#include "solvers/linear/bicgstab.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/linear/jacobi.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"

namespace halocline {
namespace {

using test_operators::alternating_error;
using test_operators::DiagonalOperator;
using test_operators::DisturbedOperator;
using test_operators::RankOneOperator;
using test_problem::make_operator;
using test_problem::Wall;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A method and its needs, as registered.
struct Method {
  std::unique_ptr<LinearSolver> solver;
  OperatorNeed need;
};

std::vector<Method> definite_methods(Criteria const& criteria) {
  std::vector<Method> all;
  all.push_back({std::make_unique<ConjugateGradients>(criteria), OperatorNeed::positive_definite});
  all.push_back({std::make_unique<ConjugateGradients>(criteria, std::make_unique<JacobiPreconditioner>()),
                 OperatorNeed::positive_definite});
  all.push_back(
      {std::make_unique<Chebyshev>(Chebyshev::Settings{.criteria = criteria}), OperatorNeed::positive_definite});
  return all;
}

std::vector<Method> general_methods(Criteria const& criteria) {
  std::vector<Method> all;
  all.push_back({std::make_unique<BiCgStab>(criteria), OperatorNeed::nothing});
  all.push_back({std::make_unique<Gmres>(Gmres::Settings{.criteria = criteria}), OperatorNeed::nothing});
  return all;
}

std::vector<Method> symmetric_methods(Criteria const& criteria) {
  std::vector<Method> all = general_methods(criteria);
  all.push_back({std::make_unique<Minres>(criteria), OperatorNeed::symmetric});
  return all;
}

std::vector<Method> all_methods(Criteria const& criteria) {
  std::vector<Method> all = symmetric_methods(criteria);
  for (Method& method : definite_methods(criteria)) all.push_back(std::move(method));
  all.push_back({std::make_unique<Jacobi>(criteria, 0.9), OperatorNeed::nothing});
  return all;
}

SolveReport verified(Method method, Operator const& a, Vector const& b, Vector& x) {
  VerifiedSolver solver(std::move(method.solver), "named", method.need);
  solver.prepare(a);
  return solver.solve(a, b, x);
}

/// Conjugate gradients with the checks that they need.
Method conjugate_gradients(Criteria const& criteria = {}) {
  return {std::make_unique<ConjugateGradients>(criteria), OperatorNeed::positive_definite};
}

std::unique_ptr<Vector> filled(Operator const& a, double value) {
  auto b = a.create_vector();
  b->fill(value);
  return b;
}

/// Solves A x = A y for a known y and checks the estimate.
void expect_error_known(Method method, Operator const& a, Criteria const& criteria) {
  auto const solution = a.create_vector();
  solution->randomize(7);
  auto const b = a.create_vector();
  a.apply(*solution, *b);
  auto const x = a.create_vector();
  SolveReport const report = verified(std::move(method), a, *b, *x);
  auto const context = testing::Message() << report.method << ", tolerance " << criteria.relative;
  ASSERT_EQ(report.outcome, Outcome::converged) << context << report.remark;
  ASSERT_TRUE(report.verification && report.verification->error_estimate) << context;
  // Jacobi's few iterations with a loose tolerance do not suffice for a reliable estimate.
  if (report.method != "jacobi") {
    EXPECT_EQ(report.verification->doubt, "") << context;
  }
  solution->add(-1, *x);
  double const error = std::sqrt(solution->square() / x->square());
  EXPECT_LE(*report.verification->error_estimate, 2 * error) << context;
  EXPECT_GE(*report.verification->error_estimate, error / 2) << context;
}

TEST(ErrorEstimate, IsRightWithinAFactorOfTwo) {
  auto const smooth = make_operator<double>(test::communicator().split(0), {.cells = {30, 22}});
  auto const rough = make_operator<double>(test::communicator().split(0), {.cells = {24, 20}, .contrast = 1e5});
  DiagonalOperator const spread(40, [](Index row) { return std::pow(10.0, static_cast<double>(row % 40) / 13); });
  for (double const tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
    Criteria const criteria{.relative = tolerance, .absolute = 0, .iterations = 100000};
    for (Operator const* const a : {static_cast<Operator const*>(smooth.get()),
                                    static_cast<Operator const*>(rough.get()), static_cast<Operator const*>(&spread)}) {
      // With the inverse diagonal of a diagonal matrix, the solve is exact: there is no error to estimate.
      for (Method& method : a == &spread ? symmetric_methods(criteria) : all_methods(criteria)) {
        expect_error_known(std::move(method), *a, criteria);
      }
    }
    RankOneOperator const unsymmetric(40, 3);
    for (Method& method : general_methods(criteria)) expect_error_known(std::move(method), unsymmetric, criteria);
  }
}

TEST(ErrorEstimate, SeesWhatTheResidualDoesNot) {
  // Most of the error belongs to small eigenvalues, most of the residual to large ones.
  DiagonalOperator const a(60, [](Index row) { return std::pow(10.0, -static_cast<double>(row % 60) / 10); });
  for (double const tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    Criteria const criteria{.relative = tolerance, .absolute = 0, .iterations = 10000};
    expect_error_known(conjugate_gradients(criteria), a, criteria);
    expect_error_known({std::make_unique<Minres>(criteria), OperatorNeed::symmetric}, a, criteria);
  }
}

TEST(ErrorEstimate, OfADiagonalIsTheError) {
  DiagonalOperator const a(30, [](Index row) { return 1.0 + static_cast<double>(row % 7); });
  expect_error_known(conjugate_gradients({.relative = 1e-3, .absolute = 0, .iterations = 100}), a, {});
}

TEST(ErrorEstimate, IsZeroForAnExactSolution) {
  DiagonalOperator const a(10, [](Index) { return 2.0; });
  auto const x = filled(a, 0.5);
  SolveReport const report = verified(conjugate_gradients(), a, *filled(a, 1), *x);
  EXPECT_LE(report.verification->error_estimate.value_or(1), 1e-15);
  EXPECT_EQ(report.verification->doubt, "");
}

/// Cells on the right conduct 1e10 times better; the wall on that side determines the size of the residual.
std::unique_ptr<DiagonalOperator> two_scales() {
  return std::make_unique<DiagonalOperator>(
      40, [](Index row) { return row % 40 < 20 ? 1.0 + 0.1 * static_cast<double>(row % 5) : 1e10; });
}

TEST(ErrorEstimate, IsComplainedOfWhereTheErrorIsLarge) {
  auto const a = two_scales();
  auto const b = a->create_vector();
  test_operators::set(dynamic_cast<ArrayVector<double>&>(*b), [](Index row) { return row % 40 < 20 ? 1.0 : 1e11; });
  for (ErrorDemand const demand : {ErrorDemand{}, ErrorDemand{.error = 1e-2, .fails = true}, ErrorDemand{.error = 1}}) {
    VerifiedSolver solver(
        std::make_unique<ConjugateGradients>(Criteria{.relative = 1e-10, .absolute = 0, .iterations = 100}), "named",
        OperatorNeed::positive_definite, NullSpacePart::keep, demand);
    auto const x = a->create_vector();
    solver.prepare(*a);
    SolveReport const report = solver.solve(*a, *b, *x);
    ASSERT_TRUE(report.verification && report.verification->error_estimate) << report.remark;
    EXPECT_NEAR(*report.verification->error_estimate, 0.09, 0.05);
    EXPECT_EQ(report.outcome, demand.fails ? Outcome::unverified : Outcome::converged);
    std::string const& said = demand.fails ? report.remark : report.verification->complaint;
    EXPECT_EQ(said.empty(), demand.error == 1) << said;
    EXPECT_EQ(said.find("more than `solver.verify.error`, 0.01") == std::string::npos, said.empty()) << said;
  }
}

/// Claims to have converged, without solving for unknowns that hardly affect the residual.
class Blind final : public LinearSolver {
 public:
  /// Solves number `first` to `last`, counted from 1, give up.
  explicit Blind(int first = 0, int last = 0) : first_(first), last_(last) {}
  void prepare(Operator const& a) override { inverse_ = a.create_vector(); }
  SolveReport solve(Operator const& a, Vector const& b, Vector& x) override {
    test_operators::set(dynamic_cast<ArrayVector<double>&>(*inverse_),
                        [](Index row) { return row % 40 < 20 ? 0.0 : 1e-10; });
    x.multiply(*inverse_, b);
    SolveReport report;
    ++solves_;
    report.outcome = solves_ >= first_ && solves_ <= last_ ? Outcome::iteration_limit : Outcome::converged;
    report.true_residual = std::sqrt(a.residual(b, x, *inverse_));
    return report;
  }

 private:
  int first_;
  int last_;
  int solves_ = 0;
  std::unique_ptr<Vector> inverse_;
};

TEST(ErrorEstimate, IsNotTrustedWhereTheMethodDoesNotSeeTheError) {
  auto const a = two_scales();
  for (bool const gives_up : {false, true}) {
    for (bool const fails : {false, true}) {
      VerifiedSolver solver(gives_up ? std::make_unique<Blind>(2, 100) : std::make_unique<Blind>(), "named",
                            OperatorNeed::nothing, NullSpacePart::keep, {.error = 1e9, .fails = fails});
      auto const x = a->create_vector();
      solver.prepare(*a);
      SolveReport const report = solver.solve(*a, *filled(*a, 1), *x);
      EXPECT_EQ(report.verification->error_estimate.has_value(), !gives_up);
      EXPECT_NE(report.verification->doubt, "");
      EXPECT_EQ(report.outcome, fails ? Outcome::unverified : Outcome::converged);
      std::string const& said = fails ? report.remark : report.verification->complaint;
      EXPECT_NE(said.find(gives_up ? "is unknown: " : "is unreliable: "), std::string::npos) << said;
    }
  }
}

TEST(ErrorEstimate, IsNotTrustedWhereTheSizeOfTheInverseIsNotFound) {
  auto const a = two_scales();
  VerifiedSolver solver(std::make_unique<Blind>(2, 2), "named", OperatorNeed::nothing, NullSpacePart::keep,
                        {.error = 1e9});
  auto const x = a->create_vector();
  solver.prepare(*a);
  SolveReport const report = solver.solve(*a, *filled(*a, 1), *x);
  EXPECT_TRUE(report.verification->error_estimate);
  EXPECT_EQ(report.verification->doubt, "the method cannot estimate the norm of the inverse operator");
  EXPECT_NE(report.verification->complaint.find("is unreliable: "), std::string::npos);
}

TEST(ErrorEstimate, IsNotKnownOfASolutionThatIsZeroAndLeavesAResidual) {
  auto const a = two_scales();
  auto const b = a->create_vector();
  test_operators::set(dynamic_cast<ArrayVector<double>&>(*b), [](Index row) { return row % 40 < 20 ? 1.0 : 0.0; });
  auto const x = a->create_vector();
  SolveReport const report = verified({std::make_unique<Blind>(), OperatorNeed::nothing}, *a, *b, *x);
  EXPECT_FALSE(report.verification->error_estimate);
  EXPECT_EQ(report.verification->doubt, "the solution is zero, and the residual is not");
}

TEST(ErrorEstimate, IsOfTheSolutionAlone) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  auto const b = filled(*a, 1);
  auto plain = a->create_vector();
  auto x = a->create_vector();
  ConjugateGradients solver({.relative = 1e-5, .absolute = 0, .iterations = 500});
  solver.prepare(*a);
  SolveReport const expected = solver.solve(*a, *b, *plain);
  Index told = 0;
  VerifiedSolver verifying(std::make_unique<ConjugateGradients>(solver.criteria()), "cg",
                           OperatorNeed::positive_definite);
  verifying.set_observer([&told](Index, double) { ++told; });
  verifying.prepare(*a);
  for (int repeat = 0; repeat < 2; ++repeat) {
    told = 0;
    x->fill(0);
    SolveReport const report = verifying.solve(*a, *b, *x);
    EXPECT_EQ(report.history, expected.history);
    EXPECT_EQ(report.true_residual, expected.true_residual);
    EXPECT_EQ(told, static_cast<Index>(expected.history.size())) << "the estimate is nobody's progress";
    EXPECT_EQ(verifying.criteria().relative, 1e-5);
  }
  x->add(-1, *plain);
  EXPECT_EQ(x->maximum(), 0);
}

TEST(ErrorEstimate, OfASolutionInSinglePrecision) {
  auto const a = make_operator<float>(test::communicator().split(0), {.cells = {20, 16}});
  expect_error_known(conjugate_gradients({.relative = 1e-3, .absolute = 0, .iterations = 500}), *a, {.relative = 1e-3});
}

TEST(SymmetryDefect, IsThatOfTheMatrix) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {17, 13}, .contrast = 1e4});
  auto const single = make_operator<float>(test::communicator().split(0), {.cells = {17, 13}, .contrast = 1e4});
  EXPECT_TRUE(is_symmetric(symmetry_defect(*a, a->norm_bound()), Precision::double_));
  double const defect = symmetry_defect(*single, single->norm_bound());
  EXPECT_TRUE(is_symmetric(defect, Precision::single));
  EXPECT_GT(defect, 0) << "rounding is there to be seen";
  for (double const strength : {1.0, 1e-6, 1e-10}) {
    RankOneOperator const unsymmetric(40, strength);
    double const found = symmetry_defect(unsymmetric, unsymmetric.norm_bound());
    EXPECT_FALSE(is_symmetric(found, Precision::double_)) << strength;
    EXPECT_LT(found, strength);
  }
}

TEST(Verification, AnUnsymmetricOperatorIsNotSolvedWith) {
  RankOneOperator const a(30, 0.5);
  auto const b = filled(a, 1);
  Criteria const criteria{};
  std::vector<Method> needing = definite_methods(criteria);
  needing.push_back({std::make_unique<Minres>(criteria), OperatorNeed::symmetric});
  for (Method& method : needing) {
    auto const x = filled(a, 3);
    SolveReport const report = verified(std::move(method), a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::unsymmetric);
    EXPECT_EQ(report.method, "named");
    EXPECT_EQ(report.remark, "the method needs a symmetric operator; use gmres or bicgstab");
    EXPECT_EQ(report.iterations, 0);
    EXPECT_GT(report.verification->symmetry_defect.value_or(0), 1e-6);
    EXPECT_FALSE(report.verification->error_estimate);
    EXPECT_EQ(x->maximum(), 3);
    auto const r = a.create_vector();
    EXPECT_EQ(report.true_residual, std::sqrt(a.residual(*b, *x, *r)));
  }
  for (Method& method : general_methods(criteria)) {
    auto const x = a.create_vector();
    SolveReport const report = verified(std::move(method), a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.method;
    EXPECT_FALSE(report.verification->symmetry_defect) << "nobody asked";
  }
}

TEST(Verification, AnIndefiniteOperatorIsForMinimalResiduals) {
  DiagonalOperator const a(30, [](Index row) { return row % 5 == 0 ? -0.5 : 1.0 + static_cast<double>(row % 7); });
  auto const b = filled(a, 1);
  for (Method& method : definite_methods({})) {
    auto const x = a.create_vector();
    SolveReport const report = verified(std::move(method), a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::indefinite);
    EXPECT_EQ(report.remark,
              "an eigenvalue is negative, but the method needs a positive definite operator; use minres");
    EXPECT_NEAR(report.verification->smallest_ritz_value.value_or(0), -0.5, 1e-10);
  }
  auto const x = a.create_vector();
  SolveReport const report = verified({std::make_unique<Minres>(Criteria{}), OperatorNeed::symmetric}, a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_FALSE(report.verification->smallest_ritz_value);
}

TEST(Verification, ADefiniteOperatorPasses) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {20, 16}, .shift = 1e-3});
  for (Method& method : all_methods({.relative = 1e-8, .absolute = 0, .iterations = 100000})) {
    auto const x = a->create_vector();
    SolveReport const report = verified(std::move(method), *a, *filled(*a, 1), *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.method;
    EXPECT_EQ(report.remark, "") << report.method;
    EXPECT_GT(report.verification->smallest_ritz_value.value_or(1), 1e-3);
  }
}

/// An insulated plate, and a right-hand side that has a solution.
struct InsulatedPlate {
  std::unique_ptr<Operator> a =
      make_operator<double>(test::communicator().split(0), {.cells = {14, 11}, .wall = Wall::insulated});
  std::unique_ptr<Vector> b = a->create_vector();
  InsulatedPlate() {
    auto const solution = a->create_vector();
    solution->randomize(1);
    a->apply(*solution, *b);
  }
};

TEST(Verification, ASingularOperatorIsRemarkedOn) {
  InsulatedPlate const plate;
  for (Method& method : all_methods({.relative = 1e-6, .absolute = 0, .iterations = 20000})) {
    auto const x = plate.a->create_vector();
    SolveReport const report = verified(std::move(method), *plate.a, *plate.b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.method;
    EXPECT_EQ(report.remark, "the operator is singular: the solution is determined only up to a constant")
        << report.method;
    double const estimate = report.verification->error_estimate.value_or(nan);
    EXPECT_GT(estimate, 1e-9) << report.method;
    EXPECT_LT(estimate, 1e-3) << report.method;
  }
  DiagonalOperator const gap(20, [](Index row) { return static_cast<double>(row % 4); });
  auto const b = gap.create_vector();
  gap.apply(*filled(gap, 1), *b);
  auto const x = gap.create_vector();
  SolveReport const report = verified(conjugate_gradients(), gap, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.remark, "the operator is singular: the solution is not unique");
}

/// A long time step on an insulated plate: the constants are fixed by a few units of the last place of an entry.
TEST(Verification, AnOperatorThatIsNearlySingularIsNot) {
  auto const a = make_operator<float>(test::communicator().split(0),
                                      {.cells = {40, 40}, .wall = Wall::insulated, .shift = 5e-6, .contrast = 0});
  auto const b = filled(*a, 1);
  for (Index const iterations : {1, 20000}) {
    auto const x = a->create_vector();
    SolveReport const report =
        verified(conjugate_gradients({.relative = 1e-6, .absolute = 0, .iterations = iterations}), *a, *b, *x);
    EXPECT_NE(report.outcome, Outcome::inconsistent);
    EXPECT_EQ(report.remark.find("singular"), std::string::npos) << report.remark;
  }
}

TEST(Verification, SourcesThatDoNotSumToZeroHaveNoSolution) {
  InsulatedPlate plate;
  auto const one = filled(*plate.a, 1);
  for (double const mean : {1.0, 1e-3}) {
    plate.b->add(mean, *one);
    for (Method& method : all_methods({.relative = 1e-8, .absolute = 0, .iterations = 20000})) {
      auto const x = plate.a->create_vector();
      SolveReport const report = verified(std::move(method), *plate.a, *plate.b, *x);
      EXPECT_EQ(report.outcome, Outcome::inconsistent) << report.method << ": " << report.remark;
      EXPECT_EQ(report.remark,
                "constants are in the null space of the operator, and the right-hand side has a non-zero mean; "
                "subtract it (solver.null_space: project), or fix the unknown somewhere");
      EXPECT_FALSE(report.verification->error_estimate);
    }
    plate.b->add(-mean, *one);
  }
}

TEST(Verification, AMeanBelowTheToleranceIsNoObstacle) {
  InsulatedPlate plate;
  auto const one = filled(*plate.a, 1);
  plate.b->add(0.1e-6 * std::sqrt(plate.b->square() / one->square()), *one);
  auto const x = plate.a->create_vector();
  SolveReport const report =
      verified(conjugate_gradients({.relative = 1e-6, .absolute = 0, .iterations = 2000}), *plate.a, *plate.b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_TRUE(report.verification->error_estimate) << "the mean that is left over is no error";
  // The limit ends this solve, not that mean.
  x->fill(0);
  EXPECT_EQ(
      verified(conjugate_gradients({.relative = 1e-6, .absolute = 0, .iterations = 3}), *plate.a, *plate.b, *x).outcome,
      Outcome::iteration_limit);
}

TEST(Verification, AnInitialGuessMayHaveAnyMean) {
  // The shift's effect on the mean is below the rounding level: the mean of the guess must be kept.
  auto const a = make_operator<double>(test::communicator().split(0),
                                       {.cells = {14, 11}, .wall = Wall::insulated, .shift = 1e-16});
  auto const solution = filled(*a, 1);
  auto const b = a->create_vector();
  a->apply(*solution, *b);
  auto const x = a->create_vector();
  x->randomize(3);
  x->combine(1, *solution, 1e-3);
  SolveReport const report =
      verified(conjugate_gradients({.relative = 0, .absolute = 0, .iterations = 500}), *a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged_to_rounding);
}

TEST(Verification, ANullSpaceThatIsNotOfConstants) {
  DiagonalOperator const a(30, [](Index row) { return 0.7 * static_cast<double>(row % 6); });
  auto const b = a.create_vector();
  b->randomize(5);
  std::vector<Method> methods = symmetric_methods({.relative = 1e-8, .absolute = 0, .iterations = 1000});
  methods.push_back(conjugate_gradients({.relative = 1e-8, .absolute = 0, .iterations = 1000}));
  for (Method& method : methods) {
    auto const x = a.create_vector();
    SolveReport const report = verified(std::move(method), a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::inconsistent) << report.method << ": " << report.remark;
    EXPECT_EQ(report.remark,
              "the operator is singular, and the right-hand side has a part in its null space; subtract that part");
  }
}

TEST(Verification, ANullPartBelowTheToleranceIsNoObstacle) {
  DiagonalOperator const a(30, [](Index row) { return 0.7 * static_cast<double>(row % 6); });
  auto const b = a.create_vector();
  a.apply(*filled(a, 1), *b);
  b->add(1e-9, *filled(a, 1));
  auto const x = a.create_vector();
  Method limited = conjugate_gradients({.relative = 1e-6, .absolute = 0, .iterations = 2});
  EXPECT_EQ(verified(std::move(limited), a, *b, *x).outcome, Outcome::iteration_limit);
}

/// D A D, whose null vector is D^-1 times that of A.
class ScaledOperator final : public Operator {
 public:
  explicit ScaledOperator(Operator const& a) : a_(a), scale_(a.create_vector()), scaled_(a.create_vector()) {
    scale_->randomize(9);
    auto const one = a.create_vector();
    one->fill(1);
    scale_->add(1.5, *one);
  }
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override {
    scaled_->multiply(*scale_, x);
    a_.apply(*scaled_, y);
    y.multiply(*scale_, y);
  }

 private:
  Operator const& a_;
  std::unique_ptr<Vector> scale_, scaled_;
};

TEST(Verification, ANullVectorOfAnyShape) {
  InsulatedPlate const plate;
  ScaledOperator const a(*plate.a);
  for (Method& method : symmetric_methods({.relative = 1e-8, .absolute = 0, .iterations = 2000})) {
    auto const x = a.create_vector();
    SolveReport const report = verified(std::move(method), a, *filled(a, 1), *x);
    EXPECT_EQ(report.outcome, Outcome::inconsistent) << report.method << ": " << report.remark;
  }
}

TEST(Verification, AnOperatorThatMakesNaN) {
  DiagonalOperator const sound(7, [](Index) { return 2.0; });
  DisturbedOperator const broken(sound, [](Vector& y) { y.fill(nan); });
  for (Method& method : all_methods({})) {
    auto const x = sound.create_vector();
    SolveReport const report = verified(std::move(method), broken, *filled(sound, 1), *x);
    EXPECT_EQ(report.outcome, Outcome::not_a_number) << report.method;
    EXPECT_FALSE(report.remark.empty() && report.method == "named");
    EXPECT_FALSE(report.verification->error_estimate);
  }
  // Breaks only after the checks of the operator, within the solve.
  int calls = 0;
  DisturbedOperator const breaking(sound, [&calls](Vector& y) {
    if (++calls > 60) y.fill(nan);
  });
  auto const x = sound.create_vector();
  VerifiedSolver solver(std::make_unique<ConjugateGradients>(Criteria{}), "cg", OperatorNeed::positive_definite);
  solver.prepare(breaking);
  calls = 60;
  EXPECT_EQ(solver.solve(breaking, *filled(sound, 1), *x).outcome, Outcome::not_a_number);
}

TEST(Verification, ANormThatIsNoNumber) {
  DiagonalOperator const a(7, [](Index row) { return row == 3 ? nan : 1.0; });
  auto const x = a.create_vector();
  SolveReport const report = verified(conjugate_gradients(), a, *filled(a, 1), *x);
  EXPECT_EQ(report.outcome, Outcome::not_a_number);
  EXPECT_EQ(report.remark, "the norm of the operator is not finite");
  EXPECT_TRUE(std::isnan(report.true_residual));
}

TEST(Verification, LargeNumbersAreInRange) {
  DiagonalOperator const large(6, [](Index row) { return 1e300 * (1.0 + static_cast<double>(row % 3)); });
  auto const x = large.create_vector();
  SolveReport const report = verified(conjugate_gradients(), large, *filled(large, 1), *x);
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
  EXPECT_LE(report.verification->symmetry_defect.value_or(1), 1e-15);
  EXPECT_NEAR(report.verification->smallest_ritz_value.value_or(0), 1e300, 1e290);
  EXPECT_LE(report.verification->error_estimate.value_or(1), 1e-9);
}

TEST(Verification, SquaresOutOfRangeEndASolve) {
  DiagonalOperator const a(6, [](Index row) { return 1.0 + static_cast<double>(row % 3); });
  auto const x = a.create_vector();
  SolveReport const report = verified(conjugate_gradients(), a, *filled(a, 1e300), *x);
  EXPECT_EQ(report.outcome, Outcome::overflow);
  EXPECT_FALSE(report.verification->error_estimate);
}

TEST(Verification, AStalledSolveStaysOne) {
  // As in the test of outcomes: b - A x is wrong by plus or minus one vector.
  DiagonalOperator const a(9, [](Index row) { return 1.0 + static_cast<double>(row); });
  DisturbedOperator const noisy(a, alternating_error(a, 1e-4), true);
  auto const x = a.create_vector();
  SolveReport const report =
      verified(conjugate_gradients({.relative = 1e-12, .absolute = 0, .iterations = 5000}), noisy, *filled(a, 1), *x);
  EXPECT_EQ(report.outcome, Outcome::stalled) << to_string(report.outcome);
  EXPECT_FALSE(report.verification->error_estimate);
}

/// z = sign r + strength (w . r) v.
class Lopsided final : public Preconditioner {
 public:
  Lopsided(double sign, double strength) : sign_(sign), strength_(strength) {}
  void prepare(Operator const& a) override {
    v_ = a.create_vector();
    w_ = a.create_vector();
    v_->randomize(11);
    w_->randomize(12);
    v_->scale(1 / std::sqrt(v_->square() * w_->square()));
  }
  void apply(Vector const& r, Vector& z) override {
    z.copy(r);
    z.scale(sign_);
    z.add(strength_ * w_->dot(r), *v_);
  }

 private:
  double sign_, strength_;
  std::unique_ptr<Vector> v_, w_;
};

TEST(Verification, OfThePreconditioner) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {17, 13}, .contrast = 0});
  auto const b = filled(*a, 1);
  struct Case {
    double sign, strength;
    Outcome outcome;
  };
  for (auto const& [sign, strength, outcome] :
       {Case{1, 0, Outcome::converged}, Case{1, 0.3, Outcome::unsymmetric}, Case{-1, 0, Outcome::indefinite},
        Case{nan, 0, Outcome::not_a_number}}) {
    for (bool const minres : {false, true}) {
      auto preconditioner = std::make_unique<Lopsided>(sign, strength);
      std::unique_ptr<LinearSolver> solver;
      if (minres)
        solver = std::make_unique<Minres>(Criteria{}, std::move(preconditioner));
      else
        solver = std::make_unique<ConjugateGradients>(Criteria{}, std::move(preconditioner));
      auto const x = a->create_vector();
      SolveReport const report = verified({std::move(solver), OperatorNeed::symmetric}, *a, *b, *x);
      EXPECT_EQ(report.outcome, outcome) << report.remark;
      EXPECT_EQ(report.iterations > 0, outcome == Outcome::converged);
      if (outcome == Outcome::converged) {
        EXPECT_LE(report.verification->preconditioner_symmetry_defect.value_or(1), 1e-15);
      }
    }
    // A flexible method accepts any preconditioner.
    auto const x = a->create_vector();
    auto flexible = std::make_unique<ConjugateGradients>(Criteria{}, std::make_unique<Lopsided>(sign, strength),
                                                         CgOptions{.flexible = true});
    SolveReport const report = verified({std::move(flexible), OperatorNeed::symmetric}, *a, *b, *x);
    EXPECT_FALSE(report.verification->preconditioner_symmetry_defect);
  }
}

TEST(Verification, APreconditionerOfLargeNumbers) {
  DiagonalOperator const large(6, [](Index row) { return 1e300 * (1.0 + static_cast<double>(row % 3)); });
  auto const x = large.create_vector();
  Method method{std::make_unique<ConjugateGradients>(Criteria{}, std::make_unique<JacobiPreconditioner>()),
                OperatorNeed::positive_definite};
  SolveReport const report = verified(std::move(method), large, *filled(large, 1), *x);
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
}

TEST(Verification, OfAnAssembledMatrix) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {17, 13}});
  Criteria const criteria{.relative = 1e-4, .absolute = 0, .iterations = 500};
  expect_error_known({std::make_unique<AssembledSolver>(std::make_unique<ConjugateGradients>(criteria)),
                      OperatorNeed::positive_definite},
                     *a, criteria);
}

}  // namespace
}  // namespace halocline
