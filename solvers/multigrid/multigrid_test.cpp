#include "solvers/multigrid/multigrid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/eigenvalues.hpp"
#include "solvers/multigrid/test_chain.hpp"

// The cycle on operators with known entries; multigrid on real operators is tested beside those.

namespace halocline {
namespace {

using test_chain::Abilities;
using test_chain::Calls;
using test_chain::Chain;
using test_chain::poisson;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Vector> random_like(Operator const& a, std::uint64_t seed) {
  auto x = a.create_vector();
  x->randomize(seed);
  return x;
}

struct Cycle {
  std::size_t size;
  Abilities abilities;
  MultigridSettings settings;
};

/// Every setting that changes the course of a cycle, on sizes that halve well and badly.
std::vector<Cycle> cycles(std::vector<CycleShape> const& shapes = {CycleShape::v, CycleShape::w}) {
  std::vector<Cycle> all;
  for (std::size_t const size : {1U, 2U, 3U, 7U, 32U}) {
    for (bool const passes : {false, true}) {
      for (std::string const kind : {"red_black", "multicolour", "chebyshev", "jacobi"}) {
        bool const in_colours = kind == "red_black" || kind == "multicolour";
        if (passes && !in_colours) continue;  // has no fused passes
        for (auto const bottom : {BottomSolver::smoother, BottomSolver::conjugate_gradients}) {
          for (int const levels : {0, 2}) {
            for (int const sweeps : {1, 2}) {
              for (CycleShape const shape : shapes) {
                all.push_back({size,
                               {.passes = passes},
                               {.cycle = shape,
                                .smoother = {.name = kind, .sweeps = sweeps},
                                .levels = levels,
                                .bottom = bottom}});
              }
            }
          }
        }
      }
    }
  }
  return all;
}

/// A cycle has at most six levels, each with some ten roundings for each of at most 2 x 8 x 2 relaxations; a W-cycle
/// repeats up to twice as many.
constexpr double cycle_rounding = 2 * 6 * 10 * 32 * epsilon;
/// Conjugate gradients on the coarsest level are linear only as far as they converge.
double tolerance(Cycle const& cycle) {
  return cycle.settings.bottom == BottomSolver::conjugate_gradients ? 1e-8 : cycle_rounding;
}

TEST(Multigrid, CyclesAreSymmetricAndDefinite) {
  for (Cycle const& cycle : cycles()) {
    auto const a = poisson(cycle.size, cycle.abilities);
    Multigrid multigrid(cycle.settings);
    multigrid.prepare(a);
    auto const x = random_like(a, 1);
    auto const y = random_like(a, 2);
    auto const mx = a.create_vector();
    auto const my = a.create_vector();
    multigrid.apply(*x, *mx);
    double const product = multigrid.apply_dot(*y, *my);
    EXPECT_GT(x->dot(*mx), 0);
    EXPECT_NEAR(product, y->dot(*my), 100 * epsilon * product);
    EXPECT_NEAR(x->dot(*my), y->dot(*mx), tolerance(cycle) * std::sqrt(x->dot(*mx) * y->dot(*my))) << cycle.size;
  }
}

/// Calls `check(cycle, a, multigrid, x, energy, ax)` for a few vectors x and each cycle, with ax = A x and energy =
/// x . ax.
template <class Check>
void for_errors(std::vector<Cycle> const& all, Check const& check) {
  for (Cycle const& cycle : all) {
    auto const a = poisson(cycle.size, cycle.abilities);
    Multigrid multigrid(cycle.settings);
    multigrid.prepare(a);
    auto const ax = a.create_vector();
    for (std::uint64_t const seed : {1U, 2U, 3U}) {
      auto const x = random_like(a, seed);
      a.apply(*x, *ax);
      check(cycle, a, multigrid, *x, x->dot(*ax), *ax);
    }
  }
}

TEST(Multigrid, CyclesDoNotOvershoot) {
  // With P^T A P on every level and smoothers that do not overshoot, the eigenvalues of I - M^-1 A are between 0 and 1.
  for_errors(cycles(), [](Cycle const& cycle, Operator const& a, Multigrid& multigrid, Vector const&, double energy,
                          Vector const& ax) {
    auto const max = a.create_vector();
    multigrid.apply(ax, *max);
    EXPECT_GT(ax.dot(*max), 0);
    EXPECT_LE(ax.dot(*max), (1 + tolerance(cycle)) * energy) << cycle.size;
  });
}

TEST(Multigrid, FCyclesAreDefiniteAndEnlargeNoError) {
  for_errors(cycles({CycleShape::f}), [](Cycle const& cycle, Operator const& a, Multigrid& multigrid, Vector const& x,
                                         double energy, Vector& ax) {
    auto const z = a.create_vector();
    double const product = multigrid.apply_dot(ax, *z);
    EXPECT_GT(product, 0);
    EXPECT_NEAR(product, ax.dot(*z), 100 * epsilon * product);
    // Each part of the cycle is a projection or a smoother; neither increases the energy of an error.
    z->add(-1, x);
    a.apply(*z, ax);
    EXPECT_LE(z->dot(ax), (1 + tolerance(cycle)) * energy) << cycle.size;
  });
}

/// On three levels an F-cycle is a W-cycle; on four the V-cycle after the F-cycle breaks the symmetry.
TEST(Multigrid, FCyclesAreSymmetricOnThreeLevelsAndNotOnMore) {
  auto const a = poisson(32);
  auto const x = random_like(a, 1);
  auto const y = random_like(a, 2);
  auto const mx = a.create_vector();
  auto const my = a.create_vector();
  for (int const levels : {2, 3, 4, 0}) {
    Multigrid multigrid({.cycle = CycleShape::f, .smoother = {.sweeps = 1}, .levels = levels, .bottom_sweeps = 1});
    multigrid.prepare(a);
    multigrid.apply(*x, *mx);
    multigrid.apply(*y, *my);
    double const size = std::sqrt(x->dot(*mx) * y->dot(*my));
    double const difference = std::abs(x->dot(*my) - y->dot(*mx));
    if (levels == 2 || levels == 3) {
      EXPECT_LE(difference, cycle_rounding * size) << levels;
    } else {
      EXPECT_GT(difference, 1e4 * cycle_rounding * size) << levels;
    }
  }
}

TEST(Multigrid, WhatTheResultHeldBeforeIsNotRead) {
  for (Cycle const& cycle : cycles({CycleShape::v, CycleShape::w, CycleShape::f})) {
    auto const a = poisson(cycle.size, cycle.abilities);
    Multigrid multigrid(cycle.settings);
    multigrid.prepare(a);
    auto const r = random_like(a, 1);
    auto const first = a.create_vector();
    auto const second = a.create_vector();
    multigrid.apply(*r, *first);
    multigrid.apply(*random_like(a, 2), *second);  // leaves other values on every level
    second->fill(nan);
    multigrid.apply(*r, *second);
    EXPECT_EQ(Chain::values(*first), Chain::values(*second)) << cycle.size;
  }
}

TEST(Multigrid, ACycleSmoothsOnBothWaysInTheAdjointOrder) {
  for (bool const passes : {false, true}) {
    Calls calls;
    auto const a = poisson(7, {.passes = passes}, &calls);
    Multigrid multigrid({.smoother = {.sweeps = 3}, .levels = 2, .bottom_sweeps = 2});
    multigrid.prepare(a);
    EXPECT_EQ(multigrid.levels(), 2);
    auto const r = random_like(a, 1);
    auto const z = a.create_vector();
    multigrid.apply(*r, *z);  // the first cycle makes the smoothers, with a relaxation to look for colours
    calls.clear();
    multigrid.apply(*r, *z);
    Calls expected{"7 forward", "7 forward", "7 forward", "7 restrict"};
    expected.insert(expected.end(), 6, "4 forward");
    expected.insert(expected.end(), 6, "4 backward");
    expected.insert(expected.end(), {"7 prolong", "7 backward", "7 backward", "7 backward"});
    EXPECT_EQ(calls, expected);
  }
}

TEST(Multigrid, AWCycleVisitsCoarseLevelsTwiceInTurn) {
  Calls calls;
  auto const a = poisson(8, {.passes = false}, &calls);
  Multigrid multigrid({.cycle = CycleShape::w, .smoother = {.sweeps = 1}});
  multigrid.prepare(a);
  EXPECT_EQ(multigrid.levels(), 4);
  auto const r = random_like(a, 1);
  auto const z = a.create_vector();
  multigrid.apply(*r, *z);
  calls.clear();
  multigrid.apply(*r, *z);
  // Without the coarsest level: each rank has one unknown there, while a single unknown is divided by its entry.
  std::erase_if(calls, [](std::string const& call) { return call.starts_with("1 "); });
  Calls const two{"2 forward", "2 restrict", "2 prolong", "2 backward"};
  Calls four{"4 forward", "4 restrict"};
  for (int visit = 0; visit < 2; ++visit) four.insert(four.end(), two.begin(), two.end());
  four.insert(four.end(), {"4 prolong", "4 backward"});
  Calls expected{"8 forward", "8 restrict"};
  for (int visit = 0; visit < 2; ++visit) expected.insert(expected.end(), four.begin(), four.end());
  expected.insert(expected.end(), {"8 prolong", "8 backward"});
  EXPECT_EQ(calls, expected);
}

TEST(Multigrid, AnFCycleIsFollowedByAVCycleOnEveryLevel) {
  Calls calls;
  auto const a = poisson(8, {}, &calls);
  Multigrid multigrid({.cycle = CycleShape::f, .smoother = {.sweeps = 1}});
  multigrid.prepare(a);
  auto const r = random_like(a, 1);
  auto const z = a.create_vector();
  multigrid.apply(*r, *z);
  calls.clear();
  multigrid.apply(*r, *z);
  std::erase_if(calls, [](std::string const& call) { return call.starts_with("1 "); });
  Calls const two{"2 forward", "2 restrict", "2 prolong", "2 backward"};
  Calls expected{"8 forward", "8 restrict", "4 forward", "4 restrict"};
  for (int visit = 0; visit < 2; ++visit) expected.insert(expected.end(), two.begin(), two.end());
  expected.insert(expected.end(), {"4 prolong", "4 backward", "4 forward", "4 restrict"});
  expected.insert(expected.end(), two.begin(), two.end());
  expected.insert(expected.end(), {"4 prolong", "4 backward", "8 prolong", "8 backward"});
  EXPECT_EQ(calls, expected);
}

TEST(Multigrid, LevelsAreVisitedAsOftenAsTheShapeSays) {
  for (bool const passes : {false, true}) {
    for (CycleShape const shape : {CycleShape::v, CycleShape::f, CycleShape::w}) {
      Calls calls;
      auto const a = poisson(64, {.passes = passes}, &calls);
      Multigrid multigrid({.cycle = shape, .levels = 6});
      multigrid.prepare(a);
      auto const r = random_like(a, 1);
      auto const z = a.create_vector();
      calls.clear();
      multigrid.apply(*r, *z);
      for (int level = 0; level < 5; ++level) {
        auto const visits = std::count(calls.begin(), calls.end(), std::to_string(64 >> level) + " restrict");
        EXPECT_EQ(visits, shape == CycleShape::v ? 1 : shape == CycleShape::f ? level + 1 : 1 << level) << level;
      }
    }
  }
}

/// -(k u')' between walls where u is zero, with a k that jumps between 1 and 1000 every few points, not aligned with
/// any coarser level.
Chain jumping(std::size_t size) {
  auto const k = [](std::size_t face) { return face / 5 % 2 == 0 ? 1.0 : 1000.0; };
  std::vector<double> diagonal(size);
  std::vector<double> coupling(size - 1);
  for (std::size_t i = 0; i < size; ++i) diagonal[i] = k(i) + k(i + 1);
  for (std::size_t i = 0; i + 1 < size; ++i) coupling[i] = -k(i + 1);
  return {diagonal, coupling};
}

/// Mean reduction of an error per cycle over ten cycles, in the energy norm.
double rate(Operator const& a, MultigridSettings const& settings) {
  Multigrid multigrid(settings);
  multigrid.prepare(a);
  auto const x = random_like(a, 3);
  auto const b = a.create_vector();
  auto const z = a.create_vector();
  a.apply(*x, *b);
  double const before = x->dot(*b);
  constexpr int cycles = 10;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    multigrid.apply(*b, *z);
    x->add(-1, *z);
    a.apply(*x, *b);
  }
  return std::pow(x->dot(*b) / before, 0.5 / cycles);
}

TEST(Multigrid, AnFCycleIsBetweenAVAndAWCycle) {
  for (Chain const& a : {jumping(64), jumping(200)}) {
    double const v = rate(a, {.cycle = CycleShape::v, .smoother = {.sweeps = 1}});
    double const f = rate(a, {.cycle = CycleShape::f, .smoother = {.sweeps = 1}});
    double const w = rate(a, {.cycle = CycleShape::w, .smoother = {.sweeps = 1}});
    EXPECT_LT(f, v);
    EXPECT_LT(w, f);
    EXPECT_LT(f - w, v - f);
  }
}

/// A V-cycle loses some accuracy compared with an exact second level. If a cycle leaves some fraction of an error
/// there, a W-cycle leaves its square: it loses less than a third as much.
TEST(Multigrid, AWCycleIsNextToAnExactSecondLevel) {
  auto const a = poisson(64, {.passes = false});
  auto const b = a.create_vector();
  auto const error = [&](MultigridSettings settings) {
    settings.smoother.sweeps = 1;
    Multigrid multigrid(settings);
    multigrid.prepare(a);
    auto const x = random_like(a, 3);
    auto const z = a.create_vector();
    a.apply(*x, *b);
    multigrid.apply(*b, *z);
    z->add(-1, *x);
    a.apply(*z, *b);
    return z->dot(*b);
  };
  double const exact = error({.levels = 2, .bottom = BottomSolver::conjugate_gradients});
  double const v = error({.cycle = CycleShape::v});
  double const w = error({.cycle = CycleShape::w});
  EXPECT_GT(v, exact);
  EXPECT_LT(w - exact, (v - exact) / 3);
}

TEST(Multigrid, HasAsManyLevelsAsAskedForAndThereAre) {
  auto const a = poisson(31);
  for (auto const& [asked, made] : {std::pair{0, 6}, {1, 1}, {3, 3}, {6, 6}, {64, 6}}) {
    Multigrid multigrid({.smoother = {}, .levels = asked});
    multigrid.prepare(a);
    EXPECT_EQ(multigrid.levels(), made);
    multigrid.prepare(a);
    EXPECT_EQ(multigrid.levels(), made);
  }
  Multigrid multigrid;
  multigrid.prepare(a);
  Index size = 31;
  for (int level = 0; level < multigrid.levels(); ++level, size = (size + 1) / 2) {
    EXPECT_EQ(multigrid.level_operator(level).create_vector()->size(), size * test::communicator().size());
  }
}

TEST(Multigrid, OneLevelIsTheBottomSolver) {
  auto const a = poisson(23);
  Multigrid multigrid({.smoother = {}, .levels = 1, .bottom = BottomSolver::conjugate_gradients});
  multigrid.prepare(a);
  auto const x = random_like(a, 1);
  auto const b = a.create_vector();
  auto const z = a.create_vector();
  a.apply(*x, *b);
  multigrid.apply(*b, *z);
  z->add(-1, *x);
  // Solved to 1e-10 of b; the condition number for 23 unknowns is 233.
  EXPECT_LE(std::sqrt(z->square()), 233 * 1e-10 * std::sqrt(b->square()));
}

TEST(Multigrid, ALoneUnknownIsDividedByItsEntry) {
  for (double const entry : {4.0, 0.0}) {
    Chain const a({entry}, {}, {}, test::communicator().split(test::communicator().rank()));
    Multigrid multigrid;
    multigrid.prepare(a);
    auto const r = a.create_vector();
    auto const z = a.create_vector();
    r->fill(6);
    z->fill(nan);
    EXPECT_EQ(multigrid.apply_dot(*r, *z), entry == 0 ? 0 : 9);
    // The constant of a pure Neumann problem stays zero.
    EXPECT_EQ(z->maximum(), entry == 0 ? 0 : 1.5);
  }
}

TEST(Multigrid, SaysWhatTookThePlaceOfWhatWasAskedFor) {
  struct Case {
    std::string smoother;
    Abilities abilities;
    std::vector<std::string> said;
  };
  auto const without_colours = [](std::string const& smoother) {
    std::string said = "multigrid: the operator does not have the colouring of `smoother: ";
    return said.append(smoother).append("`, chebyshev is used instead from level 0 on");
  };
  for (Case const& one : {Case{"red_black", {.colours = false}, {without_colours("red_black")}},
                          Case{"multicolour", {.colours = false}, {without_colours("multicolour")}},
                          Case{"red_black", {}, {}}, Case{"chebyshev", {.colours = false}, {}},
                          Case{"red_black",
                               {.coarsens = false},
                               {"multigrid: the operator has no coarser level; only the smoother is applied"}}}) {
    auto const a = poisson(17, one.abilities);
    Multigrid multigrid({.smoother = {.name = one.smoother}});
    multigrid.prepare(a);
    EXPECT_EQ(multigrid.fallbacks(), one.said);
    multigrid.prepare(a);
    EXPECT_EQ(multigrid.fallbacks(), one.said) << "once";
  }
  Multigrid by_default({.smoother = {.is_asked_for = false}});
  by_default.prepare(poisson(17, {.colours = false}));
  EXPECT_TRUE(by_default.fallbacks().empty());
}

TEST(Smoother, AChebyshevPolynomialDampsTheUpperPartOfTheSpectrum) {
  std::size_t const size = 40;
  auto const a = poisson(size, {.colours = false});
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  double const step = std::numbers::pi / static_cast<double>(size + 1);
  for (int const degree : {1, 2, 3, 4, 5}) {
    auto const smoother = make_smoother(a, {.name = "red_black", .sweeps = degree});  // without colours
    // The interval ends a tenth above the largest eigenvalue found and begins at an eighth of that.
    double const sigma = (1 + 1 / 8.0) / (1 - 1 / 8.0);
    double const damping = 1 / std::cosh(degree * std::acosh(sigma));
    for (std::size_t mode = 1; mode <= size; ++mode) {
      std::vector<double> sine(size);
      for (std::size_t i = 0; i < size; ++i) sine[i] = std::sin(step * static_cast<double>(mode * (i + 1)));
      double const eigenvalue = 1 - std::cos(step * static_cast<double>(mode));  // of D^-1 A
      Chain::set(*x, sine);
      double const before = std::sqrt(x->square());
      smoother->smooth(true, false, *b, *x);
      double const left = std::sqrt(x->square()) / before;
      EXPECT_LE(left, eigenvalue >= 0.3 ? damping + 100 * epsilon : 1) << degree << " " << mode;
    }
    x->fill(nan);
    smoother->smooth(true, true, *b, *x);
    EXPECT_EQ(x->maximum(), 0);
  }
}

/// Modes of the chain keep their shape: each step multiplies them by 1 - w lambda, with w = 1.6 / (1.1 times the
/// largest eigenvalue found).
TEST(Smoother, JacobiDampsEveryModeByItsEigenvalue) {
  std::size_t const size = 40;
  auto const a = poisson(size);
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  double const weight = 1.6 / (1.1 * estimate_eigenvalues(a, 10).largest);
  double const step = std::numbers::pi / static_cast<double>(size + 1);
  for (int const sweeps : {1, 2, 3}) {
    auto const smoother = make_smoother(a, {.name = "jacobi", .sweeps = sweeps});
    for (std::size_t mode = 1; mode <= size; ++mode) {
      std::vector<double> sine(size);
      for (std::size_t i = 0; i < size; ++i) sine[i] = std::sin(step * static_cast<double>(mode * (i + 1)));
      double const eigenvalue = 1 - std::cos(step * static_cast<double>(mode));
      Chain::set(*x, sine);
      double const before = std::sqrt(x->square());
      smoother->smooth(true, false, *b, *x);
      double const damping = std::pow(std::abs(1 - weight * eigenvalue), sweeps);
      EXPECT_NEAR(std::sqrt(x->square()) / before, damping, 100 * epsilon) << sweeps << " " << mode;
      if (eigenvalue > 0.55) {
        EXPECT_LE(damping, std::pow(0.6, sweeps)) << mode;
      }
    }
    x->fill(nan);
    smoother->smooth(true, true, *b, *x);
    EXPECT_EQ(x->maximum(), 0);
  }
}

TEST(Smoother, NeedsColoursOrADiagonal) {
  auto const a = poisson(5, {.colours = false, .diagonal = false});
  EXPECT_THROW((void)make_smoother(a, {}), UnsuitableOperator);
  auto const coloured = poisson(5, {.diagonal = false});
  EXPECT_NO_THROW((void)make_smoother(coloured, {}));
}

/// x = x + w (b - A x), as a user would add it: a class and a registration.
class Richardson final : public Smoother {
 public:
  Richardson(Operator const& a, int sweeps)
      : a_(a), sweeps_(sweeps), weight_(1 / a.norm_bound()), r_(a.create_vector()) {}
  void smooth(bool /*forward*/, bool from_zero, Vector const& b, Vector& x) override {
    if (from_zero) x.fill(0);
    for (int n = 0; n < sweeps_; ++n) {
      static_cast<void>(a_.residual(b, x, *r_));
      x.add(weight_, *r_);
    }
  }

 private:
  Operator const& a_;
  int sweeps_;
  double weight_;
  std::unique_ptr<Vector> r_;
};

bool const registered = (smoothers().add({.name = "richardson",
                                          .sentence = "steps along the residual",
                                          .create = [](Operator const& a, int sweeps) -> std::unique_ptr<Smoother> {
                                            return std::make_unique<Richardson>(a, sweeps);
                                          }}),
                         true);

TEST(Smoother, IsChosenByTheNameItIsRegisteredUnder) {
  auto const a = poisson(63);
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  b->fill(1);
  ConjugateGradients solver({.relative = 1e-10, .absolute = 0, .iterations = 60},
                            std::make_unique<Multigrid>(MultigridSettings{.smoother = {.name = "richardson"}}));
  solver.prepare(a);
  EXPECT_EQ(solver.solve(a, *b, *x).outcome, Outcome::converged);
  EXPECT_THROW((void)make_smoother(a, {.name = "richardsom"}), InputError);
}

}  // namespace
}  // namespace halocline
