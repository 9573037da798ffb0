#include <gtest/gtest.h>

#include <cmath>
#include <halocline/coupling.hpp>
#include <halocline/physics.hpp>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/runtime/error.hpp"
#include "physics/equations/test_declared.hpp"
#include "physics/equations/test_problems.hpp"
#include "solvers/linear/bicgstab.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/symmetry.hpp"

namespace halocline {
namespace {

using test::make;
using test::quantity;
using test::run;

/// u -> v at the rate `there` and back at the rate `back`; both diffuse.
template <class Real, int Axes>
struct Exchanged {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  Real there, back;
  explicit Exchanged(Options const& own)
      : there(static_cast<Real>(own.real("there"))), back(static_cast<Real>(own.real("back"))) {}
  [[nodiscard]] Values<Real, 2> diffusivity() const { return {Real(0.1), Real(0.05)}; }
  [[nodiscard]] Matrix<Real, 2> coupling() const { return {{{-there, back}, {there, -back}}}; }
};

/// The same beside a reaction that is not linear, u + v -> nothing.
template <class Real, int Axes>
struct Reacting : Exchanged<Real, Axes> {
  using Exchanged<Real, Axes>::Exchanged;
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v) const {
    Real const uv = u[here] * v[here];
    return {-uv, -uv};
  }
};

/// Everything in one functor: no part can be solved for.
template <class Real, int Axes>
struct Whole {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int fields = 2;
  Reacting<Real, Axes> parts;
  explicit Whole(Options const& own) : parts(own) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v) const {
    Real const passing = parts.there * u[here] - parts.back * v[here];
    Values<Real, 2> const reaction = parts(at, u, v);
    return {reaction[0] - passing + Real(0.1) * at.laplacian(u), reaction[1] + passing + Real(0.05) * at.laplacian(v)};
  }
};

Equations two_species() {
  Equations equations("pair", "Two species that turn into each other.");
  equations.field("u", "One.", "1").field("v", "The other.");
  equations.options().real("there", "Rate from u to v.").at_least(0).defaults_to(1000);
  equations.options().real("back", "Rate from v to u.").at_least(0).defaults_to(500);
  equations.mean("u").mean("v").maximum("u").integral("u").integral("v");
  return equations;
}

std::string const by_bicgstab = "solver: {method: bicgstab, bicgstab: {relative_tolerance: 1e-13}}\n";
// In balance, there u = back v, from which fast reactions do not move.
std::string const in_balance = "  u: {initial: '1 + 0.5*cos(pi*x)'}\n  v: {initial: '2 + cos(pi*x)'}";

/// maximum(u) at time `end`.
double maximum_after(PhysicsEntry const& entry, std::string const& method, int steps, std::string const& rates = "",
                     double end = 1) {
  auto const physics = make(entry, "time: {method: " + method + "}\n" + by_bicgstab + "pair:\n" + in_balance + rates,
                            test::unit_mesh({24, 16}));
  run(*physics, end, steps);
  return quantity(*physics, "maximum(u)");
}

// The error of a method of order p falls by 2^p; with these steps the next term may be a quarter of it. With the fast
// reaction the step is 15 to 30 times the time that it takes, and that of an explicit method would be at most 1/750.
// Where the reaction is so fast, imex_ark3 has the order of its stages, 2 (Kennedy and Carpenter, section 5).
TEST(Coupling, ImexMethodsSolveForAllFieldsTogetherWithTheirOrder) {
  PhysicsEntry const entry = two_species().evolution<Reacting, 2>();
  struct Expected {
    char const* method;
    char const* rates;
    double order;
  };
  for (auto const& [method, rates, order] : {Expected{"imex_ars222", "", 2},
                                             {"imex_ark3", "", 2},
                                             {"imex_ars222", "\n  there: 8\n  back: 4", 2},
                                             {"imex_ark3", "\n  there: 8\n  back: 4", 3}}) {
    double const best = maximum_after(entry, "imex_ark3", 256, rates);
    double const coarse = std::abs(maximum_after(entry, method, 32, rates) - best);
    double const fine = std::abs(maximum_after(entry, method, 64, rates) - best);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25 * order) << method << rates << ": " << coarse << ", " << fine;
    EXPECT_LT(fine, 1e-4);
  }
}

TEST(Coupling, ImplicitMethodsAdvanceWhatHasNoOtherPart) {
  PhysicsEntry const entry = two_species().evolution<Exchanged, 2>();
  double const best = maximum_after(entry, "sdirk2", 512);
  for (auto const& [method, order] : {std::pair{"implicit_euler", 1}, {"sdirk2", 2}, {"bdf2", 2}, {"imex_ark3", 3}}) {
    double const coarse = std::abs(maximum_after(entry, method, 16) - best);
    double const fine = std::abs(maximum_after(entry, method, 32) - best);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25 * order) << method << ": " << coarse << ", " << fine;
    EXPECT_LT(fine, 1e-2);
  }
}

TEST(Coupling, ExplicitMethodsTakeTheSameRate) {
  // Within its stable step, so that rounding does not grow: 1 / (750 + 0.2 (24^2 + 16^2)).
  PhysicsEntry const entry = two_species().evolution<Reacting, 2>();
  PhysicsEntry const whole = two_species().evolution<Whole, 2>();
  for (std::string const method : {"explicit_euler", "ssp_rk3", "rk4"}) {
    EXPECT_NEAR(maximum_after(entry, method, 100, "", 0.1), maximum_after(whole, method, 100, "", 0.1), 1e-12)
        << method;
  }
}

TEST(Coupling, LimitsTheStepOfExplicitMethodsOnly) {
  auto const mesh = test::unit_mesh({10, 20});
  PhysicsEntry const entry = two_species().evolution<Reacting, 2>();
  auto const limited = make(entry, "time: {method: explicit_euler}\npair: {}", mesh);
  EXPECT_DOUBLE_EQ(limited->stable_step(), 1 / (2 * 0.1 * (100 + 400) + 750));
  auto const free = make(entry, "time: {method: imex_ars222}\n" + by_bicgstab + "pair: {}", mesh);
  EXPECT_TRUE(std::isinf(free->stable_step()));
  EXPECT_FALSE((two_species().evolution<Exchanged, 2>().rate_parts.explicit_part));
}

// A step of implicit Euler without diffusion is (1 - h C)^-1.
TEST(Coupling, AStepIsThatOfTheMatrix) {
  PhysicsEntry const entry = two_species().evolution<Exchanged, 1, 2, 3>();
  for (auto const& cells : {std::vector<Index>{7}, {5, 4}, {3, 4, 13}}) {
    for (Precision const precision : {Precision::single, Precision::double_}) {
      std::string const tolerance = precision == Precision::single ? "1e-6" : "1e-14";
      auto const physics = make(
          entry,
          "time: {method: implicit_euler}\nsolver: {method: bicgstab, bicgstab: {relative_tolerance: " + tolerance +
              "}}\npair: {u: {initial: 3}, v: {initial: 1}, there: 30, back: 10}",
          test::unit_mesh(cells), precision);
      run(*physics, 0.5, 1);
      // (1 + 0.5 * 30) u - 0.5 * 10 v = 3 and -0.5 * 30 u + (1 + 0.5 * 10) v = 1: a determinant of 21. In symmetric
      // form the matrix has a condition of 22.
      double const error = 100 * std::stod(tolerance);
      EXPECT_NEAR(quantity(*physics, "mean(u)"), (6 * 3.0 + 5 * 1.0) / 21, error);
      EXPECT_NEAR(quantity(*physics, "mean(v)"), (15 * 3.0 + 16 * 1.0) / 21, error);
    }
  }
}

// Walls that hold u and let v through, each with its own values, and a source that is solved for: u = x, v = 2 x + t is
// linear, so that there is no error.
TEST(Coupling, WallsAndSourcesAreThoseOfEachField) {
  PhysicsEntry const entry = two_species().evolution<Exchanged, 1>();
  std::string const exact_u = "x";
  std::string const exact_v = "2*x+t";
  // du/dt = 0 = -there u + back v + source, dv/dt = 1 = there u - back v + source.
  std::string const deck = "time: {method: bdf2}\n" + by_bicgstab +
                           "pair:\n  there: 1000\n  back: 500\n  u: {initial: x, exact: x, source: '-500*t', boundary: "
                           "{west: {kind: dirichlet, value: 0}, east: {kind: dirichlet, value: 1}}}\n  v: {initial: "
                           "'2*x', exact: '2*x+t', source: '1+500*t', boundary: {west: {kind: dirichlet, value: t}, "
                           "east: {kind: neumann, value: 2}}}";
  auto const physics = make(entry, deck, test::unit_mesh({20}));
  run(*physics, 1, 10);
  EXPECT_LE(quantity(*physics, "error_maximum(u)"), 1e-9);
  EXPECT_LE(quantity(*physics, "error_maximum(v)"), 1e-9);
}

TEST(Coupling, AFieldPassesIntoTheOtherAsAWhole) {
  auto const physics =
      make(two_species().evolution<Exchanged, 2>(),
           "time: {method: sdirk2}\n" + by_bicgstab + "pair: {u: {initial: 'x*y'}}", test::unit_mesh({9, 7}));
  double const before = quantity(*physics, "integral(u)") + quantity(*physics, "integral(v)");
  run(*physics, 2, 5);
  EXPECT_NEAR(quantity(*physics, "integral(u)") + quantity(*physics, "integral(v)"), before, 1e-10);
}

// There are 1e4 exchanges in a step: errors of rounding that did not cancel would be a thousandth of the whole in each.
TEST(Coupling, NothingIsLostInSinglePrecision) {
  for (std::string const method : {"cg", "bicgstab"}) {
    // In balance from the start: there the first residual, and what the criterion leaves of it, would be as large.
    std::string deck = "time: {method: implicit_euler}\nsolver: {method: ";
    deck.append(method).append(", ").append(method).append(": {relative_tolerance: 1e-4}}\n");
    deck +=
        "pair: {there: 71234.5, back: 28765.7, u: {initial: '0.287657*(1 + 0.3*x*y)'}, v: {initial: '0.712345*(1 + "
        "0.3*x*y)'}}";
    auto const physics =
        make(two_species().evolution<Exchanged, 2>(), deck, test::unit_mesh({9, 7}), Precision::single);
    double const before = quantity(*physics, "integral(u)") + quantity(*physics, "integral(v)");
    run(*physics, 20, 100);
    double const after = quantity(*physics, "integral(u)") + quantity(*physics, "integral(v)");
    EXPECT_NEAR(after, before, 1e-4 * before) << method;
    EXPECT_NEAR(quantity(*physics, "mean(v)") / quantity(*physics, "mean(u)"), 71234.5 / 28765.7, 1e-4);
  }
}

TEST(Coupling, WhatIsNotResolvedIsRefused) {
  auto const physics = make(two_species().evolution<Exchanged, 1>(),
                            "time: {method: implicit_euler}\npair: {there: 1e9, back: 1e9, u: {initial: x}}",
                            test::unit_mesh({9}), Precision::single);
  try {
    static_cast<void>(physics->advance({1, 0, 1}));
    FAIL();
  } catch (SolveError const& error) {
    EXPECT_NE(std::string(error.what()).find("1000000000 times within a step"), std::string::npos) << error.what();
  }
}

TEST(Coupling, MethodsForSymmetricOperatorsDoNotTakeOthers) {
  PhysicsEntry const entry = two_species().evolution<Exchanged, 1>();
  std::string const one_way = "}\npair: {there: 100, back: 0, u: {initial: x}}";
  try {
    static_cast<void>(make(entry, "time: {method: bdf2}\nsolver: {method: cg" + one_way, test::unit_mesh({9})));
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("`solver.method`: cg is for symmetric operators"), std::string::npos)
        << error.what();
  }
  auto const physics = make(entry, "time: {method: bdf2}\nsolver: {method: bicgstab" + one_way, test::unit_mesh({9}));
  run(*physics, 1, 5);
  EXPECT_LT(quantity(*physics, "mean(u)"), 0.01);
}

// A source that depends on time, which implicit methods solve for and IMEX methods evaluate: du/dt = cos(t).
TEST(Coupling, SourcesThatChangeKeepTheOrderOfEveryMethod) {
  for (std::string const method : {"imex_ars222", "imex_ark3", "sdirk2", "crank_nicolson"}) {
    std::string deck = "time: {method: ";
    deck.append(method).append("}\n").append(by_bicgstab);
    deck += "pair: {there: 0, back: 0, u: {initial: 1, source: cos(t)}, v: {initial: 1, source: cos(t)}}";
    auto const error = [&](int steps) {
      auto const physics = make(two_species().evolution<Exchanged, 1>(), deck, test::unit_mesh({8}));
      run(*physics, 2, steps);
      return std::abs(quantity(*physics, "mean(v)") - 1 - std::sin(2.0));
    };
    double const order = method == "imex_ark3" ? 3 : 2;
    EXPECT_GT(std::log2(error(8) / error(16)), 0.75 * order) << method;
    EXPECT_LT(error(16), 2e-2);
  }
}

TEST(Coupling, ReactionsInBalanceAreSolvedInSymmetricForm) {
  // Rates from each of three species to the others, whose ratios are those of one equilibrium, 1 : 2 : 4.
  Matrix<double, 3> const balanced{{{-12, 4, 1}, {8, -6, 1}, {4, 2, -2}}};
  for (bool const by_rows : {false, true}) {
    // Of species columns add up to zero, of temperatures rows.
    Matrix<double, 3> given = balanced;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3 && by_rows; ++column) given.entry[row][column] = balanced.entry[column][row];
    }
    equation::ScaledCoupling<3> const found = equation::scaled(given);
    EXPECT_TRUE(found.is_symmetric);
    for (int row = 0; row < 3; ++row) {
      double sum = 0;
      for (int column = 0; column < 3; ++column) {
        sum += found.matrix.entry[row][column];
        EXPECT_EQ(found.matrix.entry[row][column], found.matrix.entry[column][row]);
        EXPECT_DOUBLE_EQ(found.matrix.entry[row][column],
                         found.left[row] * given.entry[row][column] * found.right[column]);
      }
      EXPECT_EQ(sum, 0);
    }
  }
  auto const has_none = [](Matrix<double, 3> const& matrix) { return !equation::scaled(matrix).is_symmetric; };
  EXPECT_TRUE(has_none({{{-1, 0, 1}, {1, -1, 0}, {0, 1, -1}}})) << "a cycle";
  EXPECT_TRUE(has_none({{{-1, 2, 1}, {1, -3, 1}, {1, 1, -2}}})) << "three ratios that do not fit";
  EXPECT_TRUE(has_none({{{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}}})) << "an oscillator";
  // So conjugate gradients, the default, solve for species whose rates differ.
  auto const physics =
      make(two_species().evolution<Exchanged, 2>(),
           "time: {method: sdirk2}\nsolver: {cg: {relative_tolerance: 1e-13}}\npair: {u: {initial: 'x*y'}}",
           test::unit_mesh({9, 7}));
  run(*physics, 2, 5);
  EXPECT_NEAR(quantity(*physics, "mean(v)"), 2 * quantity(*physics, "mean(u)"), 1e-10);
}

/// 1 - C + D div grad with a strong C, of cells in the unit square or cube.
std::unique_ptr<Operator> coupled_operator(std::vector<Index> const& cells, double there, double back, double scale) {
  BoundaryConditions const held = BoundaryConditions::all({.kind = BoundaryKind::dirichlet});
  BoundaryConditions const insulated = BoundaryConditions::all({.kind = BoundaryKind::neumann});
  CoupledDescription<2> const description{
      test::unit_mesh(cells), {held, insulated}, {{scale, scale / 4}}, {{{there, -back}, {-there, back}}}, {{1, 1}}};
  if (cells.size() == 1) return make_coupled_diffusion<double, 1>(description);
  if (cells.size() == 2) return make_coupled_diffusion<double, 2>(description);
  return make_coupled_diffusion<double, 3>(description);
}

template <class Solver>
Index iterations(Operator const& a, bool in_single_precision) {
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  auto const r = a.create_vector();
  b->randomize(1);
  Solver solver({.relative = 1e-8, .absolute = 0, .iterations = 100},
                make_multigrid({.single_precision = in_single_precision}));
  solver.prepare(a);
  SolveReport const report = solver.solve(a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
  EXPECT_LE(std::sqrt(a.residual(*b, *x, *r)), 1e-8 * std::sqrt(b->square()));
  return report.iterations;
}

TEST(CoupledDiffusion, MultigridServesCoupledSystems) {
  for (bool const single : {false, true}) {
    for (auto const& cells : {std::vector<Index>{64, 64}, {61, 47}, {16, 16, 16}, {13, 18, 21}}) {
      for (double const rate : {0.0, 1.0, 0.3e6}) {
        EXPECT_LE(iterations<ConjugateGradients>(*coupled_operator(cells, rate, rate, 10), single), 20) << rate;
        EXPECT_LE(iterations<BiCgStab>(*coupled_operator(cells, rate, rate / 4, 10), single), 20) << rate;
      }
    }
  }
}

TEST(CoupledDiffusion, IsSymmetricWhereItsMatrixIs) {
  for (auto const& cells : {std::vector<Index>{17}, {9, 8}, {5, 6, 19}}) {
    auto const a = coupled_operator(cells, 3, 3, 1);
    auto const [x, ax] = test::expect_symmetric(*a, 8 * std::numeric_limits<double>::epsilon());
    EXPECT_GT(x->dot(*ax), 0);
  }
}

}  // namespace
}  // namespace halocline
