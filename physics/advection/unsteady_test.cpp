#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "physics/advection/advection_system.hpp"
#include "physics/advection/test_manufactured.hpp"
#include "physics/equations/test_problems.hpp"
#include "solvers/linear/bicgstab.hpp"

namespace halocline::advection {
namespace {

using test::all_walls;
using test::unit_mesh;

/// The options that a system reads.
Options own_options(std::string const& source) {
  Section root("", "A run.");
  root.section("advection", "Advection.").field("source", "Source.").defaults_to(std::string("0"));
  return Deck("test.yaml", "advection: {source: \"" + source + "\"}").read(root).section("advection");
}

std::unique_ptr<TimeIntegrator> method_called(std::string const& name) {
  Section root("", "A method.");
  root.section(integrators().find(name).declare());
  return integrators().find(name).create(Deck("test.yaml", name + ": {}").read(root).section(name));
}

/// A system with the state that it advances.
struct Case {
  explicit Case(Description const& description, std::string const& source = "0", Solves solves = Solves::whole)
      : u(std::make_shared<Field<double>>(description.mesh, FieldDescription{.name = "u"})),
        system(Discretisation(description), own_options(source), 0, u),
        solver({.relative = 1e-12, .absolute = 0, .iterations = 1000}),
        evolution(system, solver, u, solves) {}

  /// Takes steps of one length, starting at `time`.
  void take(TimeIntegrator& method, double time, double step, int steps) {
    method.set_euler_step(evolution.euler_step());
    for (int n = 0; n < steps; ++n) {
      for (SolveReport const& report : evolution.advance(method, time + n * step, step))
        EXPECT_TRUE(reached(report.outcome));
    }
  }

  FieldVector<double> u;
  AdvectionSystem<double> system;
  BiCgStab solver;
  LinearEvolvingSystem evolution;
};

struct OrderCase {
  std::string name;
  int dimensions;
  bool stretched;
  std::string method;
};

Solves solves_of(std::string const& method) {
  return integrators().find(method).treatment == Treatment::imex ? Solves::implicit : Solves::whole;
}

/// The error at a time against the manufactured solution, whose walls and sources change with time. Implicit steps are
/// as long as cells are wide, explicit ones as long as is stable, those of IMEX methods as long as both allow.
double error(OrderCase const& test, Index cells) {
  Manufactured const problem{test.dimensions, true};
  auto const mesh =
      unit_mesh(std::vector<Index>(static_cast<std::size_t>(test.dimensions), cells), {.stretched = test.stretched});
  Case run({.mesh = mesh,
            .conditions = problem.walls(),
            .velocity = whirl(4),
            .diffusivity = Expression("1+x/2"),
            .reaction = Expression("3+y")},
           problem.source(), solves_of(test.method));
  evaluate<double>(Expression(problem.solution()), "initial", 0, run.u);
  auto const method = method_called(test.method);
  Treatment const treatment = integrators().find(test.method).treatment;
  double const end = treatment == Treatment::explicit_ ? 0.02 : 0.25;
  double const stable = 0.9 * method->stable_factor() * run.evolution.euler_step();
  double const wanted = end / static_cast<double>(cells);
  double const longest = treatment == Treatment::explicit_  ? stable
                         : treatment == Treatment::implicit ? wanted
                                                            : std::min(stable, wanted);
  int const steps = static_cast<int>(std::ceil(end / longest));
  run.take(*method, 0, end / steps, steps);
  return error_norms<double>(run.u, Expression(problem.solution()), "exact", end, run.system.mass()).two;
}

class UnsteadyOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(UnsteadyOrder, IsTwo) {
  Index const coarse = GetParam().dimensions == 3 ? 8 : 16;
  EXPECT_NEAR(std::log2(error(GetParam(), coarse) / error(GetParam(), 2 * coarse)), 2, 0.15);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, UnsteadyOrder,
    testing::Values(OrderCase{"Explicit1d", 1, false, "ssp_rk3"},
                    OrderCase{"ExplicitStretched1d", 1, true, "dormand_prince"},
                    OrderCase{"Implicit1d", 1, true, "sdirk2"}, OrderCase{"Explicit2d", 2, false, "ssp_rk2"},
                    OrderCase{"Implicit2d", 2, true, "crank_nicolson"}, OrderCase{"Implicit3d", 3, false, "bdf2"},
                    OrderCase{"Imex1d", 1, true, "imex_ark3"}, OrderCase{"Imex2d", 2, false, "imex_ars222"},
                    OrderCase{"ImexStretched2d", 2, true, "imex_ark3"}, OrderCase{"Explicit3d", 3, false, "rk4"}),
    [](auto const& test) { return test.param.name; });

/// With upwind steps of explicit Euler at its longest stable step each value moves by exactly one cell.
TEST(UnsteadyAdvection, TheLongestUpwindStepMovesByOneCell) {
  for (double const speed : {2.0, -2.0}) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      auto const mesh = unit_mesh({16, 16}, {.periodic = {true, true, false}});
      Description description{.mesh = mesh,
                              .conditions = all_walls(BoundaryKind::periodic),
                              .diffusivity = Expression(0.0),
                              .may_lack_diffusion = true,
                              .scheme = Scheme::upwind};
      description.velocity[axis] = Expression(speed);
      Case run(description);
      EXPECT_EQ(run.evolution.euler_step(), 1.0 / 32);
      // Coordinates are multiples of 1/32, so that no sum is rounded.
      auto const field_of = [](std::string const& x, std::string const& y) {
        std::string text = x;
        text.append(" + (").append(y).append(" < 0.5 ? 2*").append(y).append(" : 4)");
        return Expression(text);
      };
      evaluate<double>(field_of("x", "y"), "initial", 0, run.u);
      run.take(*method_called("explicit_euler"), 0, 1.0 / 32, 5);
      std::string const letter = axis == 0 ? "x" : "y";
      std::string from = "(";
      if (speed > 0) {
        from.append(letter).append(" < 5/16 ? ").append(letter).append(" + 11/16 : ").append(letter).append(" - 5/16)");
      } else {
        from.append(letter)
            .append(" > 11/16 ? ")
            .append(letter)
            .append(" - 11/16 : ")
            .append(letter)
            .append(" + 5/16)");
      }
      auto const expected = run.u.create();
      evaluate<double>(field_of(axis == 0 ? from : "x", axis == 1 ? from : "y"), "moved", 0, *expected);
      expected->add(-1, run.u);
      EXPECT_EQ(expected->maximum(), 0) << "along axis " << axis << " with " << speed;
    }
  }
}

struct StableCase {
  std::string name;
  std::vector<Index> cells;
  bool stretched;
  Scheme scheme;
  double peclet;  ///< of the flow in a cell
  double beyond;  ///< a uniform flow is unstable with this multiple of the step; 0: the flow is a vortex
};

/// Growth of the largest value, from rough data, over many steps of `part` times the longest stable step of a method.
double growth(StableCase const& test, double part, std::string const& called = "explicit_euler") {
  auto const mesh = unit_mesh(test.cells, {.stretched = test.stretched, .periodic = {true, true, true}});
  Description description{.mesh = mesh, .conditions = all_walls(BoundaryKind::periodic), .scheme = test.scheme};
  double const speed = test.peclet * static_cast<double>(test.cells[0]);
  description.velocity = whirl(speed);
  if (test.beyond > 0) {
    for (PointValues& component : description.velocity) component = Expression(speed);
  }
  Case run(description, "0", solves_of(called));
  run.u.randomize(7);
  double const first = run.u.maximum();
  auto const method = method_called(called);
  run.take(*method, 0, part * method->stable_factor() * run.evolution.euler_step(), 300);
  double const last = run.u.maximum();
  return std::isfinite(last) ? last / first : std::numeric_limits<double>::infinity();
}

class StableStep : public testing::TestWithParam<StableCase> {};

TEST_P(StableStep, IsStableAndNotMuchTooShort) {
  // Powers of a matrix whose numerical range lies in the unit disc are at most 2 (Berger).
  EXPECT_LE(growth(GetParam(), 1), 2);
  if (GetParam().beyond == 0) return;
  EXPECT_GE(growth(GetParam(), GetParam().beyond), 1e3);
}

INSTANTIATE_TEST_SUITE_P(
    Flows, StableStep,
    testing::Values(StableCase{"Upwind1d", {32}, false, Scheme::upwind, 20, 1.1},
                    StableCase{"Upwind2d", {12, 12}, false, Scheme::upwind, 5, 1.1},
                    StableCase{"UpwindWhirlStretched", {17, 12}, true, Scheme::upwind, 30, 0},
                    StableCase{"CentralSlow1d", {32}, false, Scheme::central, 0.5, 1.1},
                    StableCase{"CentralSlow2d", {12, 12}, false, Scheme::central, 1, 1.1},
                    // Long waves grow slowly, and the longest wave of a mesh is shorter than the bound assumes.
                    StableCase{"CentralFast1d", {8}, false, Scheme::central, 6, 2},
                    StableCase{"CentralFast2d", {8, 8}, false, Scheme::central, 6, 2},
                    StableCase{"CentralWhirlStretched", {17, 12}, true, Scheme::central, 8, 0},
                    StableCase{"CentralWhirl3d", {7, 8, 9}, false, Scheme::central, 3, 0}),
    [](auto const& test) { return test.param.name; });

TEST_P(StableStep, IsStableWhereDiffusionIsSolvedFor) {
  for (char const* const method : {"imex_ars222", "imex_ark3"}) EXPECT_LE(growth(GetParam(), 1, method), 2) << method;
}

// Upwind transport has eigenvalues all around its disc: without much diffusion longer steps are unstable.
TEST(UnsteadyAdvection, TheStepOfAnImexMethodIsLimitedByTheFlow) {
  StableCase const test{"", {64}, false, Scheme::upwind, 10, 1.3};
  EXPECT_GE(growth(test, 1.3, "imex_ars222"), 1e3);
  auto const longest = [&](Solves solves, double speed) {
    Description description{.mesh = unit_mesh({64}, {.periodic = {true, true, true}}),
                            .conditions = all_walls(BoundaryKind::periodic),
                            .scheme = Scheme::upwind};
    description.velocity[0] = Expression(speed);
    return Case(description, "0", solves).evolution.euler_step();
  };
  EXPECT_NEAR(longest(Solves::implicit, 8), 1.0 / 64 / 8, 1e-15);
  EXPECT_NEAR(longest(Solves::whole, 8), 1 / (2.0 * 64 * 64 + 8 * 64), 1e-15);
  EXPECT_EQ(longest(Solves::implicit, 0), std::numeric_limits<double>::infinity());
}

/// The largest difference of the values at a time to those of many short explicit steps, on one mesh.
class OrderInTime : public testing::TestWithParam<std::string> {
 protected:
  static Description problem() {
    Description description{.mesh = unit_mesh({24}, {.periodic = {true, true, true}}),
                            .conditions = all_walls(BoundaryKind::periodic),
                            .diffusivity = Expression(0.02),
                            .reaction = Expression("1 + sin(2*pi*x)")};
    description.velocity[0] = Expression(1.0);
    return description;
  }
  static std::unique_ptr<Vector> values(std::string const& called, int steps) {
    Case run(problem(), "cos(3*t + 2*pi*x)", solves_of(called));
    evaluate<double>(Expression("sin(2*pi*x)"), "initial", 0, run.u);
    run.take(*method_called(called), 0, 0.4 / steps, steps);
    auto at_end = run.u.create();
    at_end->copy(run.u);
    return at_end;
  }
};

// The deviation of the measured order halves with the step.
TEST_P(OrderInTime, IsThatOfTheMethodWhereBothPartsCount) {
  auto const exact = values("rk4", 2000);
  auto const difference = [&](int steps) {
    auto const got = values(GetParam(), steps);
    got->add(-1, *exact);
    return got->maximum();
  };
  EXPECT_NEAR(std::log2(difference(40) / difference(80)), integrators().find(GetParam()).order, 0.15);
}
INSTANTIATE_TEST_SUITE_P(Imex, OrderInTime, testing::Values("imex_ars222", "imex_ark3"));

// With neither flow nor reaction nor source nothing is explicit, and imex_ars222 has the implicit stages of sdirk2.
TEST(UnsteadyAdvection, ImexMethodsDifferFromImplicitOnesByTheExplicitPart) {
  auto const difference = [](double speed, std::string const& source) {
    auto const values = [&](std::string const& called) {
      Description description{
          .mesh = unit_mesh({24}), .conditions = all_walls(BoundaryKind::dirichlet), .diffusivity = Expression(0.1)};
      description.velocity[0] = Expression(speed);
      auto run = std::make_unique<Case>(description, source, solves_of(called));
      evaluate<double>(Expression("x*(1-x)"), "initial", 0, run->u);
      run->take(*method_called(called), 0, 0.02, 5);
      return run;
    };
    auto const imex = values("imex_ars222");
    imex->u.add(-1, values("sdirk2")->u);
    return imex->u.maximum();
  };
  // Solves end at 1e-12 of their initial residual.
  EXPECT_LE(difference(0, "0"), 1e-12);
  // Both are of order 2: the difference is of the order of the step's cube times the number of steps.
  EXPECT_GT(difference(1, "0"), 1e-7);
  EXPECT_GT(difference(0, "exp(5*t)*x"), 1e-7);
}

TEST(UnsteadyAdvection, DiffusionAndTransportAreTheWhole) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    Description const description{.mesh = unit_mesh({7, 13, 5}, {.stretched = true}),
                                  .conditions = all_walls(BoundaryKind::robin),
                                  .velocity = whirl(20),
                                  .reaction = Expression("x - y"),
                                  .scheme = scheme};
    Case whole(description);
    Case split(description, "0", Solves::implicit);
    auto const x = whole.u.create();
    auto const image = whole.u.create();
    auto const sum = whole.u.create();
    x->randomize(3);
    whole.system.shifted(0.25).apply(*x, *sum);
    sum->scale(-1);
    split.system.shifted(0.25).apply(*x, *image);
    sum->add(1, *image);
    split.system.explicit_stiffness()->apply(*x, *image);
    sum->add(0.25, *image);
    double const bound = whole.system.shifted(0.25).norm_bound();
    EXPECT_LE(sum->maximum(), 16 * std::numeric_limits<double>::epsilon() * bound);
    // The walls' values, too.
    BoundaryConditions const walls = BoundaryConditions::all({.kind = BoundaryKind::robin, .value = Expression(2.0)});
    Description valued = description;
    valued.conditions = walls;
    Case valued_whole(valued);
    Case valued_split(valued, "0", Solves::implicit);
    sum->fill(0);
    valued_whole.system.add_source(SourcePart::whole, 0, -1, *sum);
    double const size = sum->maximum();
    EXPECT_GT(size, 0);
    valued_split.system.add_source(SourcePart::implicit, 0, 1, *sum);
    EXPECT_GT(sum->maximum(), 0.01 * size);
    valued_split.system.add_source(SourcePart::explicit_, 0, 1, *sum);
    EXPECT_LE(sum->maximum(), 16 * std::numeric_limits<double>::epsilon() * size);
  }
}

TEST(UnsteadyAdvection, ShiftedIsMassAndStiffness) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    auto const mesh = unit_mesh({7, 13, 5}, {.stretched = true});
    Case run({.mesh = mesh,
              .conditions = all_walls(BoundaryKind::robin),
              .velocity = whirl(20),
              .reaction = Expression("x - y"),
              .scheme = scheme});
    auto const x = run.u.create();
    auto const kx = run.u.create();
    auto const difference = run.u.create();
    x->randomize(3);
    for (double const scale : {0.25, 3.0}) {
      Operator const& shifted = run.system.shifted(scale);
      double const bound = shifted.norm_bound();
      shifted.apply(*x, *kx);
      difference->multiply(run.system.mass(), *x);
      difference->add(-1, *kx);
      run.system.stiffness().apply(*x, *kx);
      difference->add(scale, *kx);
      EXPECT_LE(difference->maximum(), 16 * std::numeric_limits<double>::epsilon() * bound);
    }
  }
}

TEST(UnsteadyAdvection, AFlowWithoutSourcesLosesNothing) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    // The derivatives of a stream function, whose differences over square cells add up to zero.
    Case run({.mesh = unit_mesh({16, 16}),
              .conditions = all_walls(BoundaryKind::neumann),
              .velocity = {Expression("sin(pi*x)*cos(pi*y)"), Expression("-cos(pi*x)*sin(pi*y)"), Expression(0.0)},
              .scheme = scheme});
    EXPECT_TRUE(run.system.is_solenoidal());
    auto const ones = run.u.create();
    auto const image = run.u.create();
    run.u.randomize(3);
    ones->fill(1);
    Operator const& stiffness = run.system.stiffness();
    stiffness.apply(run.u, *image);
    double const rounding = std::numeric_limits<double>::epsilon() * stiffness.norm_bound() * run.u.maximum();
    EXPECT_LE(std::abs(ones->dot(*image)), 256 * rounding);
  }
  auto const is_solenoidal = [](std::array<PointValues, 3> const& velocity, bool closes) {
    auto const mesh = unit_mesh({16, 16}, {.periodic = {closes, false, false}});
    BoundaryConditions walls = all_walls(BoundaryKind::neumann);
    for (int const side : {-1, 1}) {
      if (closes) walls.at(0, side).kind = BoundaryKind::periodic;
    }
    return assemble<double>(Discretisation({.mesh = mesh, .conditions = walls, .velocity = velocity})).is_solenoidal;
  };
  std::array<PointValues, 3> const along_x{Expression("1+y"), Expression(0.0), Expression(0.0)};
  EXPECT_TRUE(is_solenoidal(along_x, true));
  EXPECT_FALSE(is_solenoidal(along_x, false)) << "it leaves through a wall";
  EXPECT_FALSE(is_solenoidal({Expression("x"), Expression("y"), Expression(0.0)}, false));
}

TEST(UnsteadyAdvection, NoDiffusivityIsForUpwind) {
  Description description{.mesh = unit_mesh({4, 4}, {}, test::this_rank()),
                          .conditions = all_walls(BoundaryKind::neumann),
                          .velocity = whirl(1),
                          .diffusivity = Expression("x < 0.5 ? 0 : x - 0.75"),
                          .may_lack_diffusion = true,
                          .scheme = Scheme::upwind};
  try {
    static_cast<void>(assemble<double>(Discretisation(description)));
    ADD_FAILURE() << "a diffusivity below 0 is taken";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(), "`advection.diffusivity`: 'x < 0.5 ? 0 : x - 0.75' is below 0 at (0.625, 0.125, 0)");
  }
  description.diffusivity = Expression(0.0);
  Rows<double> const rows = assemble<double>(Discretisation(description));
  EXPECT_EQ(rows.peclet, std::numeric_limits<double>::infinity());
  description.velocity = {Expression(0.0), Expression(0.0), Expression(0.0)};
  EXPECT_EQ(assemble<double>(Discretisation(description)).rate, 0);
}

}  // namespace
}  // namespace halocline::advection
