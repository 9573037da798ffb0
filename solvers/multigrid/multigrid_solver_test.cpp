#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/deck/deck.hpp"
#include "framework/operator/coarsening.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/multigrid/factory.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/test_chain.hpp"

// Multigrid as a solver: every outcome of a solve, provoked once; and multigrid in decks.

namespace halocline {
namespace {

using test_chain::Chain;
using test_chain::poisson;
using test_operators::DisturbedOperator;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Criteria usual{.relative = 1e-9, .absolute = 0, .iterations = 100};

/// Another operator, disturbed, with the coarsening of the original one.
class Disturbed final : public Operator {
 public:
  Disturbed(Operator const& a, std::function<void(Vector&)> disturb, bool residuals_only = false)
      : a_(a), disturbed_(a, std::move(disturb), residuals_only) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override { disturbed_.apply(x, y); }
  double residual(Vector const& b, Vector const& x, Vector& r) const override { return disturbed_.residual(b, x, r); }
  [[nodiscard]] Relaxation const* relaxation() const override { return a_.relaxation(); }
  [[nodiscard]] std::unique_ptr<Coarsening> coarsen() const override { return a_.coarsen(); }
  [[nodiscard]] double norm_bound() const override { return a_.norm_bound(); }

 private:
  Operator const& a_;
  DisturbedOperator disturbed_;
};

SolveReport solve(Operator const& a, Vector const& b, Vector& x, Criteria const& criteria,
                  MultigridSettings const& settings = {}) {
  MultigridSolver solver(criteria, settings);
  solver.prepare(a);
  return solver.solve(a, b, x);
}

std::unique_ptr<Vector> random_like(Operator const& a) {
  auto b = a.create_vector();
  b->randomize(1);
  return b;
}

double true_residual(Operator const& a, Vector const& b, Vector const& x) {
  auto const r = b.create();
  return std::sqrt(a.residual(b, x, *r));
}

TEST(MultigridSolver, Converges) {
  auto const a = poisson(60);
  auto const b = random_like(a);
  auto const x = a.create_vector();
  SolveReport const report = solve(a, *b, *x, usual);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.method, "multigrid");
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_DOUBLE_EQ(report.true_residual, true_residual(a, *b, *x));
  EXPECT_LE(report.true_residual, 1e-9 * report.initial_residual);
  // Starting from the solution, nothing is left to do.
  EXPECT_EQ(solve(a, *b, *x, {.relative = 1e-9, .absolute = report.true_residual, .iterations = 100}).iterations, 0);
}

TEST(MultigridSolver, ConvergesByCyclesThatAreNotSymmetric) {
  auto const a = poisson(60);
  auto const b = random_like(a);
  MultigridSettings const f{.cycle = CycleShape::f, .smoother = {.sweeps = 1}};
  MultigridSettings const v{.cycle = CycleShape::v, .smoother = {.sweeps = 1}};
  auto const x = a.create_vector();
  SolveReport const report = solve(a, *b, *x, usual, f);
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
  auto const y = a.create_vector();
  EXPECT_LT(report.iterations, solve(a, *b, *y, usual, v).iterations);

  ConjugateGradients flexible(usual, std::make_unique<Multigrid>(f), {.flexible = true});
  flexible.prepare(a);
  x->fill(0);
  SolveReport const faster = flexible.solve(a, *b, *x);
  EXPECT_EQ(faster.outcome, Outcome::converged);
  EXPECT_LE(faster.iterations, report.iterations);
}

TEST(MultigridSolver, ConvergesToRoundingWhereTheToleranceIsOutOfReach) {
  auto const a = poisson(60);
  auto const b = random_like(a);
  auto const x = a.create_vector();
  SolveReport const report = solve(a, *b, *x, {.relative = 1e-30, .absolute = 0, .iterations = 5000});
  EXPECT_EQ(report.outcome, Outcome::converged_to_rounding);
  EXPECT_LE(report.true_residual,
            rounding_level(Precision::double_, a.norm_bound(), std::sqrt(x->square()), std::sqrt(b->square())));
}

TEST(MultigridSolver, ZeroIsSolvedByZero) {
  auto const a = poisson(9);
  auto const zero = a.create_vector();
  auto const x = a.create_vector();
  SolveReport const report = solve(a, *zero, *x, usual);
  EXPECT_TRUE(reached(report.outcome));
  EXPECT_EQ(report.iterations, 0);
}

TEST(MultigridSolver, TheIterationLimit) {
  auto const a = poisson(60);
  auto const b = random_like(a);
  for (Index const limit : {1, 3}) {
    auto const x = a.create_vector();
    SolveReport const report = solve(a, *b, *x, {.relative = 1e-12, .absolute = 0, .iterations = limit});
    EXPECT_EQ(report.outcome, Outcome::iteration_limit);
    EXPECT_EQ(report.iterations, limit);
    EXPECT_EQ(report.remark, "raise the number of iterations or use it as a preconditioner of cg");
    EXPECT_DOUBLE_EQ(report.true_residual, true_residual(a, *b, *x));
  }
}

TEST(MultigridSolver, ANumberThatIsNone) {
  auto const a = poisson(9);
  auto const b = random_like(a);
  auto const bad = a.create_vector();
  bad->fill(nan);
  auto const x = a.create_vector();
  SolveReport report = solve(a, *bad, *x, usual);
  EXPECT_EQ(report.outcome, Outcome::not_a_number);
  EXPECT_EQ(report.remark, "some entries are not finite; check coefficients, sources and the initial guess");
  EXPECT_TRUE(std::isnan(report.true_residual));

  // Only in the product A z, and in a later iteration.
  int calls = 0;
  Disturbed const broken(a, [&calls](Vector& y) {
    if (++calls > 4) y.fill(nan);
  });
  x->fill(0);
  report = solve(broken, *b, *x, {.relative = 1e-14, .absolute = 0, .iterations = 100});
  EXPECT_EQ(report.outcome, Outcome::not_a_number);
  EXPECT_LE(report.iterations, 5);
}

TEST(MultigridSolver, AnIndefiniteOperator) {
  Chain const negative(std::vector<double>(9, -2), std::vector<double>(8, 1));
  auto const b = random_like(negative);
  auto const x = negative.create_vector();
  SolveReport const report = solve(negative, *b, *x, usual);
  EXPECT_EQ(report.outcome, Outcome::indefinite);
  EXPECT_EQ(report.remark,
            "multigrid as a solver needs a positive definite operator; use it as a preconditioner of gmres");
  EXPECT_EQ(x->maximum(), 0);

  // The cycle is definite, the operator is not: the sign of A is reversed, that of its coarsening is not.
  auto const a = poisson(9);
  Disturbed const turned(a, [](Vector& y) { y.scale(-1); });
  EXPECT_EQ(solve(turned, *b, *x, usual).outcome, Outcome::indefinite);
}

TEST(MultigridSolver, BreaksDownWithoutASmoother) {
  for (std::string const kind : {"red_black", "chebyshev", "jacobi"}) {
    for (bool const coarsens : {false, true}) {
      auto const a = poisson(9, {.colours = false, .diagonal = false, .coarsens = coarsens});
      auto const b = random_like(a);
      auto const x = a.create_vector();
      MultigridSettings const settings{.smoother = {.name = kind}};
      SolveReport const report = solve(a, *b, *x, usual, settings);
      EXPECT_EQ(report.outcome, Outcome::breakdown);
      EXPECT_THAT(report.remark, testing::EndsWith("the operator does not provide its diagonal"));

      ConjugateGradients preconditioned(usual, std::make_unique<Multigrid>(settings));
      preconditioned.prepare(a);
      SolveReport const unprepared = preconditioned.solve(a, *b, *x);
      EXPECT_EQ(unprepared.outcome, Outcome::breakdown);
      EXPECT_EQ(unprepared.true_residual, std::sqrt(b->square()));
    }
  }
}

TEST(MultigridSolver, NumbersTooSmallToBeSquaredAreNotTakenForZero) {
  auto const a = poisson(9);
  auto const b = random_like(a);
  b->scale(1e-200);
  auto const x = a.create_vector();
  SolveReport const report = solve(a, *b, *x, usual);
  EXPECT_EQ(report.outcome, Outcome::breakdown);
  EXPECT_EQ(report.remark, "the residual is too small to be squared; scale the problem");
}

TEST(MultigridSolver, StallsWhereTheResidualIsWrong) {
  // b - A x is wrong by plus or minus one vector, far above rounding.
  auto const a = poisson(9);
  auto const error = random_like(a);
  error->scale(1e-4);
  double sign = 1;
  Disturbed const noisy(
      a,
      [&](Vector& y) {
        sign = -sign;
        y.add(sign, *error);
      },
      true);
  auto const b = random_like(a);
  auto const x = a.create_vector();
  SolveReport const report = solve(noisy, *b, *x, {.relative = 1e-12, .absolute = 0, .iterations = 5000});
  EXPECT_EQ(report.outcome, Outcome::stalled) << to_string(report.outcome);
}

TEST(MultigridSolver, TellsItsObserver) {
  auto const a = poisson(60);
  auto const b = random_like(a);
  auto const x = a.create_vector();
  MultigridSolver solver(usual, {});
  std::vector<double> seen;
  solver.set_observer([&](Index iteration, double residual) {
    EXPECT_EQ(iteration, static_cast<Index>(seen.size()));
    seen.push_back(residual);
  });
  solver.prepare(a);
  EXPECT_EQ(solver.solve(a, *b, *x).history, seen);
}

TEST(FullMultigrid, GoesUpFromTheCoarsestLevel) {
  test_chain::Calls calls;
  Chain const a({2, 2, 2, 2}, {-1, -1, -1}, {}, test::communicator().split(test::communicator().rank()), &calls);
  auto const b = random_like(a);
  auto const z = a.create_vector();
  Multigrid multigrid({.smoother = {.sweeps = 1}, .start = MultigridStart::full});
  ASSERT_TRUE(multigrid.has_start());
  multigrid.prepare(a);
  multigrid.apply(*b, *z);  // smoothers are made when first needed, which adds a call
  calls.clear();
  multigrid.start(*b, *z);
  using testing::ElementsAre;
  EXPECT_THAT(calls, ElementsAre("4 restrict", "2 restrict",                                         //
                                 "2 prolong", "2 forward", "2 restrict", "2 prolong", "2 backward",  //
                                 "4 prolong", "4 forward", "4 restrict",                             //
                                 "2 forward", "2 restrict", "2 prolong", "2 backward",               //
                                 "4 prolong", "4 backward"));
  calls.clear();
  multigrid.apply(*b, *z);
  EXPECT_EQ(calls.front(), "4 forward");
}

TEST(FullMultigrid, StepsWithAndWithoutLegsGiveTheSame) {
  for (CycleShape const shape : {CycleShape::v, CycleShape::w, CycleShape::f}) {
    MultigridSettings const settings{.cycle = shape, .start = MultigridStart::full, .start_cycles = 2};
    std::vector<std::unique_ptr<Vector>> results;
    for (bool const passes : {false, true}) {
      auto const a = poisson(37, {.passes = passes});
      auto const b = random_like(a);
      Multigrid multigrid(settings);
      multigrid.prepare(a);
      results.push_back(a.create_vector());
      multigrid.start(*b, *results.back());
    }
    EXPECT_EQ(Chain::values(*results[0]), Chain::values(*results[1]));
  }
}

TEST(FullMultigrid, BeginsSolvesByMultigridAndByConjugateGradients) {
  MultigridSettings const full{.start = MultigridStart::full};
  for (std::size_t const size : {1U, 2U, 7U, 37U}) {
    auto const a = poisson(size);
    auto const b = random_like(a);
    auto const x = a.create_vector();
    SolveReport const by_multigrid = solve(a, *b, *x, usual, full);
    EXPECT_EQ(by_multigrid.outcome, Outcome::converged) << size;
    EXPECT_LE(true_residual(a, *b, *x), 1e-9 * by_multigrid.initial_residual);

    ConjugateGradients cg(usual, std::make_unique<Multigrid>(full));
    cg.prepare(a);
    for (double const guess : {0.0, 3.0}) {
      x->fill(guess);
      SolveReport const by_cg = cg.solve(a, *b, *x);
      EXPECT_EQ(by_cg.outcome, Outcome::converged) << size;
      EXPECT_LE(true_residual(a, *b, *x), 1e-9 * by_cg.initial_residual);
      EXPECT_LE(by_cg.iterations, by_multigrid.iterations + 1);
    }
  }
}

TEST(FullMultigrid, AStartThatIsNoDescentIsNotTaken) {
  // The cycles belong to another operator, which is negative definite: unsuitable for solves, and for their first step.
  auto const a = poisson(20);
  auto const b = random_like(a);
  auto const x = a.create_vector();
  Chain const negative(std::vector<double>(20, -2), std::vector<double>(19, 1));
  ConjugateGradients cg(usual, std::make_unique<Multigrid>(MultigridSettings{.start = MultigridStart::full}));
  cg.prepare(negative);
  EXPECT_EQ(cg.solve(a, *b, *x).outcome, Outcome::indefinite);
}

MultigridSettings settings_from(std::string const& text) {
  Section cycle("multigrid", "A cycle.");
  declare_multigrid(cycle);
  Section root("deck", "A deck of a cycle alone.");
  root.section(std::move(cycle));
  return multigrid_settings(Deck("test.yaml", "multigrid: " + text).read(root).section("multigrid"));
}

TEST(MultigridFactory, SettingsAreThoseOfTheDeck) {
  MultigridSettings const usual_ones = settings_from("{}");
  MultigridSettings const defaults;
  EXPECT_EQ(usual_ones.cycle, defaults.cycle);
  EXPECT_EQ(usual_ones.smoother.name, defaults.smoother.name);
  EXPECT_EQ(usual_ones.smoother.sweeps, defaults.smoother.sweeps);
  EXPECT_EQ(usual_ones.levels, defaults.levels);
  EXPECT_EQ(usual_ones.bottom, defaults.bottom);
  EXPECT_EQ(usual_ones.bottom_sweeps, defaults.bottom_sweeps);
  MultigridSettings const given =
      settings_from("{cycle: W, smoother: chebyshev, sweeps: 3, levels: 4, bottom: cg, bottom_sweeps: 17}");
  EXPECT_EQ(given.cycle, CycleShape::w);
  EXPECT_EQ(given.smoother.name, "chebyshev");
  EXPECT_EQ(given.smoother.sweeps, 3);
  EXPECT_EQ(given.levels, 4);
  EXPECT_EQ(given.bottom, BottomSolver::conjugate_gradients);
  EXPECT_EQ(given.bottom_sweeps, 17);
  EXPECT_EQ(settings_from("{cycle: F}").cycle, CycleShape::f);
  EXPECT_EQ(settings_from("{smoother: multicolour}").smoother.name, "multicolour");
  EXPECT_EQ(usual_ones.start, MultigridStart::cycle);
  MultigridSettings const full = settings_from("{start: full, start_cycles: 3}");
  EXPECT_EQ(full.start, MultigridStart::full);
  EXPECT_EQ(full.start_cycles, 3);
}

}  // namespace
}  // namespace halocline
