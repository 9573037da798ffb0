#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "framework/grid/volumes.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/equations.hpp"
#include "physics/equations/test_declared.hpp"
#include "physics/equations/test_problems.hpp"
#include "physics/equations/transport/terms.hpp"
#include "physics/equations/transport/test_manufactured.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline::transport {
namespace {

using test::all_walls;
using test::make;
using test::quantity;
using test::unit_mesh;

/// A physics whose only field is carried.
PhysicsEntry tracer() {
  Equations equations("tracer", "A tracer in a flow.");
  equations.transport().only_field("u", "Initial values.", "0");
  equations.integral("u").conserves("u");
  return equations.transported();
}

/// A deck of the tracer.
struct Problem {
  std::array<std::string, 3> velocity{"0", "0", "0"};
  std::string initial = "0";
  std::string diffusivity = "1";
  std::string reaction = "0";
  std::string scheme = "central";
  std::string source = "0";
  std::string boundary = "{}";
  std::string exact{};

  void carry(std::array<PointValues, 3> const& flow) {
    for (std::size_t a = 0; a < 3; ++a) velocity[a] = flow[a].text();
  }
  [[nodiscard]] std::string deck(std::string const& method) const {
    std::string text = "tracer: {velocity: {";
    for (std::size_t a = 0; a < 3; ++a) {
      text.append(a == 0 ? "" : ", ").append(1, "xyz"[a]).append(": \"").append(velocity[a]).append("\"");
    }
    auto const add = [&](char const* option, std::string const& value) {
      text.append(", ").append(option).append(": \"").append(value).append("\"");
    };
    text += "}, boundary: " + boundary;
    add("initial", initial);
    add("diffusivity", diffusivity);
    add("reaction", reaction);
    add("scheme", scheme);
    add("source", source);
    if (!exact.empty()) add("exact", exact);
    // Preconditioned by nothing, so that every kind of operator is served.
    return text + "}\ntime: {method: " + method +
           "}\nsolver: {method: bicgstab, bicgstab: {relative_tolerance: 1e-12, iterations: 1000}}";
  }
  [[nodiscard]] std::unique_ptr<Physics> made(std::string const& method,
                                              std::shared_ptr<StructuredMesh const> const& mesh) const {
    return make(tracer(), deck(method), mesh);
  }
};

/// The state, without a copy.
FieldVector<double> state_of(Physics const& physics) {
  auto const& u = dynamic_cast<Field<double> const&>(*physics.fields().front());
  return FieldVector<double>(std::shared_ptr<Field<double>>(const_cast<Field<double>*>(&u), [](auto*) {}));
}

/// The largest difference of two states.
double difference(Physics const& one, Physics const& other) {
  auto const sum = state_of(one).create();
  sum->copy(state_of(one));
  sum->add(-1, state_of(other));
  return sum->maximum();
}

Treatment treatment_of(std::string const& method) { return integrators().find(method).treatment; }

struct OrderCase {
  std::string name;
  int dimensions;
  bool stretched;
  std::string method;
};

/// The error at a time against the manufactured solution, whose walls and sources change with time. Implicit steps are
/// as long as cells are wide, explicit ones as long as is stable, those of IMEX methods as long as both allow.
double error(OrderCase const& test, Index cells) {
  Manufactured const solution{test.dimensions, true};
  auto const mesh =
      unit_mesh(std::vector<Index>(static_cast<std::size_t>(test.dimensions), cells), {.stretched = test.stretched});
  Problem problem{.initial = solution.solution(),
                  .diffusivity = "1+x/2",
                  .reaction = "3+y",
                  .source = solution.source(),
                  .boundary = solution.boundary(),
                  .exact = solution.solution()};
  problem.carry(whirl(4));
  auto const physics = problem.made(test.method, mesh);
  Treatment const treatment = treatment_of(test.method);
  double const end = treatment == Treatment::explicit_ ? 0.02 : 0.25;
  double const stable = 0.9 * physics->stable_step();
  double const wanted = end / static_cast<double>(cells);
  double const longest = treatment == Treatment::explicit_ ? stable : std::min(stable, wanted);
  test::run(*physics, end, static_cast<int>(std::ceil(end / longest)));
  return quantity(*physics, "error_2");
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
TEST(UnsteadyTransport, TheLongestUpwindStepMovesByOneCell) {
  // Coordinates are multiples of 1/32, so that no sum is rounded.
  auto const field_of = [](std::string const& x, std::string const& y) {
    std::string text = x;
    text.append(" + (").append(y).append(" < 0.5 ? 2*").append(y).append(" : 4)");
    return text;
  };
  for (bool const forward : {true, false}) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      std::string const letter = axis == 0 ? "x" : "y";
      std::string from = "(";
      if (forward) {
        from.append(letter).append(" < 5/16 ? ").append(letter).append(" + 11/16 : ").append(letter).append(" - 5/16)");
      } else {
        from.append(letter)
            .append(" > 11/16 ? ")
            .append(letter)
            .append(" - 11/16 : ")
            .append(letter)
            .append(" + 5/16)");
      }
      Problem problem{.initial = field_of("x", "y"),
                      .diffusivity = "0",
                      .scheme = "upwind",
                      .exact = "t == 0 ? 0 : " + field_of(axis == 0 ? from : "x", axis == 1 ? from : "y")};
      problem.velocity[axis] = forward ? "2" : "-2";
      auto const physics = problem.made("explicit_euler", unit_mesh({16, 16}, {.periodic = {true, true, false}}));
      EXPECT_EQ(physics->stable_step(), 1.0 / 32);
      test::run(*physics, 5.0 / 32, 5);
      EXPECT_EQ(quantity(*physics, "error_maximum"), 0) << "along axis " << axis << " with " << problem.velocity[axis];
    }
  }
}

struct StableCase {
  std::string name;
  std::vector<Index> cells;
  bool stretched;
  std::string scheme;
  double peclet;  ///< of the flow in a cell
  double beyond;  ///< a uniform flow is unstable with this multiple of the step; 0: the flow is a vortex
};

/// Growth of the largest value, from rough data, over many steps of `part` times the longest stable step of a method.
double growth(StableCase const& test, double part, std::string const& method = "explicit_euler") {
  auto const mesh = unit_mesh(test.cells, {.stretched = test.stretched, .periodic = {true, true, true}});
  double const speed = test.peclet * static_cast<double>(test.cells[0]);
  Problem problem{.initial = "random(7)-0.5", .scheme = test.scheme};
  problem.carry(whirl(speed));
  if (test.beyond > 0) problem.velocity.fill(std::to_string(speed));
  auto const physics = problem.made(method, mesh);
  double const first = state_of(*physics).maximum();
  test::run(*physics, 300 * part * physics->stable_step(), 300);
  double const last = state_of(*physics).maximum();
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
    testing::Values(StableCase{"Upwind1d", {32}, false, "upwind", 20, 1.1},
                    StableCase{"Upwind2d", {12, 12}, false, "upwind", 5, 1.1},
                    StableCase{"UpwindWhirlStretched", {17, 12}, true, "upwind", 30, 0},
                    StableCase{"CentralSlow1d", {32}, false, "central", 0.5, 1.1},
                    StableCase{"CentralSlow2d", {12, 12}, false, "central", 1, 1.1},
                    // Long waves grow slowly, and the longest wave of a mesh is shorter than the bound assumes.
                    StableCase{"CentralFast1d", {8}, false, "central", 6, 2},
                    StableCase{"CentralFast2d", {8, 8}, false, "central", 6, 2},
                    StableCase{"CentralWhirlStretched", {17, 12}, true, "central", 8, 0},
                    StableCase{"CentralWhirl3d", {7, 8, 9}, false, "central", 3, 0}),
    [](auto const& test) { return test.param.name; });

TEST_P(StableStep, IsStableWhereDiffusionIsSolvedFor) {
  for (char const* const method : {"imex_ars222", "imex_ark3"}) EXPECT_LE(growth(GetParam(), 1, method), 2) << method;
}

// Upwind transport has eigenvalues all around its disc: without much diffusion longer steps are unstable.
TEST(UnsteadyTransport, TheStepOfAnImexMethodIsLimitedByTheFlow) {
  StableCase const test{"", {64}, false, "upwind", 10, 1.3};
  EXPECT_GE(growth(test, 1.3, "imex_ars222"), 1e3);
  auto const mesh = unit_mesh({64}, {.periodic = {true, true, true}});
  auto const longest = [&](std::string const& method, std::string const& speed) {
    Problem const problem{.velocity = {speed, "0", "0"}, .scheme = "upwind"};
    return problem.made(method, mesh)->stable_step() / integrators().find(method).stable_factor;
  };
  EXPECT_NEAR(longest("imex_ars222", "8"), 1.0 / 64 / 8, 1e-15);
  EXPECT_NEAR(longest("explicit_euler", "8"), 1 / (2.0 * 64 * 64 + 8 * 64), 1e-15);
  EXPECT_EQ(longest("imex_ars222", "0"), std::numeric_limits<double>::infinity());
}

/// The largest difference of the values at a time to those of many short explicit steps, on one mesh.
class OrderInTime : public testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Physics> values(std::string const& method, int steps) {
    Problem const problem{.velocity = {"1", "0", "0"},
                          .initial = "sin(2*pi*x)",
                          .diffusivity = "0.02",
                          .reaction = "1 + sin(2*pi*x)",
                          .source = "cos(3*t + 2*pi*x)"};
    auto physics = problem.made(method, unit_mesh({24}, {.periodic = {true, true, true}}));
    test::run(*physics, 0.4, steps);
    return physics;
  }
};

// The deviation of the measured order halves with the step.
TEST_P(OrderInTime, IsThatOfTheMethodWhereBothPartsCount) {
  auto const exact = values("rk4", 500);
  double const coarse = difference(*values(GetParam(), 40), *exact);
  double const fine = difference(*values(GetParam(), 80), *exact);
  EXPECT_NEAR(std::log2(coarse / fine), integrators().find(GetParam()).order, 0.15);
}
INSTANTIATE_TEST_SUITE_P(Imex, OrderInTime, testing::Values("imex_ars222", "imex_ark3"));

// With neither flow nor reaction nor source nothing is explicit, and imex_ars222 has the implicit stages of sdirk2.
TEST(UnsteadyTransport, ImexMethodsDifferFromImplicitOnesByTheExplicitPart) {
  auto const by_how_much = [](std::string const& speed, std::string const& source) {
    auto const values = [&](std::string const& method) {
      Problem const problem{.velocity = {speed, "0", "0"},
                            .initial = "x*(1-x)",
                            .diffusivity = "0.1",
                            .source = source,
                            .boundary = "{west: {kind: dirichlet}, east: {kind: dirichlet}}"};
      auto physics = problem.made(method, unit_mesh({24}));
      test::run(*physics, 0.1, 5);
      return physics;
    };
    return difference(*values("imex_ars222"), *values("sdirk2"));
  };
  // Solves end at 1e-12 of their initial residual.
  EXPECT_LE(by_how_much("0", "0"), 1e-12);
  // Both are of order 2: the difference is of the order of the step's cube times the number of steps.
  EXPECT_GT(by_how_much("1", "0"), 1e-7);
  EXPECT_GT(by_how_much("0", "exp(5*t)*x"), 1e-7);
}

/// A field with its volumes, for terms without a physics.
struct Case {
  explicit Case(Description description)
      : discretisation(std::move(description)),
        volume(std::make_shared<FieldVector<double>>(
            std::make_shared<Field<double>>(discretisation.description().mesh, FieldDescription{.name = "volume"}))) {
    fill_volumes(discretisation.grid(), volume->field());
  }
  [[nodiscard]] RateOfField<double> rate(bool is_split) const {
    return carried<double>(discretisation, is_split, volume, nullptr).rate;
  }
  [[nodiscard]] FieldVector<double> vector() const {
    return FieldVector<double>(as_field_vector<double>(*volume->create()).fields());
  }

  Discretisation discretisation;
  std::shared_ptr<FieldVector<double>> volume;
};

TEST(UnsteadyTransport, DiffusionAndTransportAreTheWhole) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    Case const all({.mesh = unit_mesh({7, 13, 5}, {.stretched = true}),
                    .conditions = BoundaryConditions::all({.kind = BoundaryKind::robin, .value = Expression(2.0)}),
                    .velocity = whirl(20),
                    .reaction = Expression("x - y"),
                    .scheme = scheme});
    RateOfField<double> whole = all.rate(false);
    RateOfField<double> split = all.rate(true);
    FieldVector<double> x = all.vector();
    FieldVector<double> rate = all.vector();
    FieldVector<double> sum = all.vector();
    auto const is_whole = [&] {
      EXPECT_TRUE(whole.evaluate(RatePart::whole, 0, x, rate));
      double const size = rate.maximum();
      EXPECT_TRUE(split.evaluate(RatePart::whole, 0, x, sum));
      sum.add(-1, rate);
      // Weights of a row are at most the largest over the least volume of cells, whose widths differ by three.
      EXPECT_LE(sum.maximum(), 1e3 * std::numeric_limits<double>::epsilon() * size);
      EXPECT_TRUE(split.evaluate(RatePart::explicit_, 0, x, sum));
      sum.add(-1, rate);
      EXPECT_GT(sum.maximum(), 0.01 * size) << "all is explicit";
      EXPECT_LT(sum.maximum(), 100 * size);
    };
    x.fill(0);  // the walls' values alone
    is_whole();
    x.randomize(3);
    is_whole();
    EXPECT_FALSE(whole.evaluate(RatePart::explicit_, 0, x, rate));
  }
}

TEST(UnsteadyTransport, ShiftedIsMassAndStiffness) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    Case const all({.mesh = unit_mesh({7, 13, 5}, {.stretched = true}),
                    .conditions = all_walls(BoundaryKind::robin),
                    .velocity = whirl(20),
                    .reaction = Expression("x - y"),
                    .scheme = scheme});
    TransportTerms<double> terms(all.discretisation);
    auto const stiffness = terms.make_operator(0, 1);
    auto const x = stiffness->create_vector();
    auto const kx = stiffness->create_vector();
    auto const sum = stiffness->create_vector();
    x->randomize(3);
    for (double const scale : {0.25, 3.0}) {
      auto const shifted = terms.make_operator(1, scale);
      shifted->apply(*x, *kx);
      sum->multiply(*all.volume, *x);
      sum->add(-1, *kx);
      stiffness->apply(*x, *kx);
      sum->add(scale, *kx);
      EXPECT_LE(sum->maximum(), 16 * std::numeric_limits<double>::epsilon() * shifted->norm_bound());
    }
  }
}

TEST(UnsteadyTransport, AFlowWithoutSourcesLosesNothing) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    // The derivatives of a stream function, whose differences over square cells add up to zero.
    TransportTerms<double> terms(Discretisation(
        {.mesh = unit_mesh({16, 16}),
         .conditions = all_walls(BoundaryKind::neumann),
         .velocity = {Expression("sin(pi*x)*cos(pi*y)"), Expression("-cos(pi*x)*sin(pi*y)"), Expression(0.0)},
         .scheme = scheme}));
    EXPECT_TRUE(terms.is_solenoidal());
    auto const stiffness = terms.make_operator(0, 1);
    auto const u = stiffness->create_vector();
    auto const ones = stiffness->create_vector();
    auto const image = stiffness->create_vector();
    u->randomize(3);
    ones->fill(1);
    stiffness->apply(*u, *image);
    double const rounding = std::numeric_limits<double>::epsilon() * stiffness->norm_bound() * u->maximum();
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

TEST(UnsteadyTransport, NoDiffusivityIsForUpwind) {
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
    EXPECT_STREQ(error.what(), "`transport.diffusivity`: 'x < 0.5 ? 0 : x - 0.75' is below 0 at (0.625, 0.125, 0)");
  }
  description.diffusivity = Expression(0.0);
  Rows<double> const rows = assemble<double>(Discretisation(description));
  EXPECT_EQ(rows.peclet, std::numeric_limits<double>::infinity());
  description.velocity = {Expression(0.0), Expression(0.0), Expression(0.0)};
  EXPECT_EQ(assemble<double>(Discretisation(description)).rate, 0);
}

/// Prey that grows and predators that eat it, both carried.
template <class Real, int Axes>
struct Hunt {
  static constexpr Shape shape = star<2, Axes>;  // wider than what operators read
  static constexpr int fields = 2;
  explicit Hunt(Options const& own) : bite(static_cast<Real>(own.real("bite"))) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v) const {
    return {u[here] - bite * u[here] * v[here], bite * u[here] * v[here] - v[here]};
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION Real fastest(P const&, U const& u, V const& v) const {
    return (1 + bite * (Kokkos::abs(u[here]) + Kokkos::abs(v[here]))) / 2;
  }
  Real bite;
};

PhysicsEntry hunt() {
  Equations equations("hunt", "Prey and predators in a flow.");
  equations.options().real("bite", "How much is eaten.");
  equations.transport().field("prey", "Prey.", "1").field("predators", "Predators.", "1");
  equations.integral("prey").integral("predators").peclet("prey").peclet("predators");
  return equations.evolution<Hunt, 1, 2>();
}

std::string hunt_deck(std::string const& bite, std::string const& method, std::string const& solver = "bicgstab") {
  return "hunt: {bite: " + bite +
         ", velocity: {x: 2}, prey: {initial: \"2+cos(2*pi*x)\", diffusivity: 0.02}, "
         "predators: {initial: \"1+0.5*sin(2*pi*x)\", diffusivity: 0.05, reaction: 0.5}}\ntime: {method: " +
         method + "}\nsolver: {method: " + solver + ", " + solver + ": {relative_tolerance: 1e-12, iterations: 1000}}";
}

// Without bites each species is a linear problem with a known solution: exp(-(c + k (2 pi)^2 s) t), of which the factor
// s is that of the discrete second derivative, and moves with the flow up to errors of the second order.
TEST(CarriedFields, HaveRatesOfTheirOwnBeside) {
  double const pi = std::acos(-1.0);
  for (std::string const method : {"ssp_rk3", "rk4", "imex_ark3", "imex_ars222"}) {
    for (Index const cells : {Index{64}, Index{128}}) {
      auto const mesh = unit_mesh({cells}, {.periodic = {true, true, true}});
      auto const physics = make(hunt(), hunt_deck("0", method, method[0] == 'i' ? "cg" : "bicgstab"), mesh);
      double const end = 0.1;
      int const steps = static_cast<int>(std::ceil(end / std::min(0.5 * physics->stable_step(), 0.1 / 40)));
      test::run(*physics, end, steps);
      double const step = end / steps;
      // Integrals have the solution of their own equations: those of the rates alone, to the order of the method.
      int const order = integrators().find(method).order;
      EXPECT_NEAR(quantity(*physics, "integral(prey)"), 2 * std::exp(end), 2 * std::pow(step, order)) << method;
      EXPECT_NEAR(quantity(*physics, "integral(predators)"), std::exp(-1.5 * end), 2 * std::pow(step, order));
      EXPECT_DOUBLE_EQ(quantity(*physics, "peclet(prey)"), 2.0 / static_cast<double>(cells) / 0.02);
      EXPECT_DOUBLE_EQ(quantity(*physics, "peclet(predators)"), 2.0 / static_cast<double>(cells) / 0.05);
      // The amplitude, by the largest value of the prey.
      double const kept = (state_of(*physics).maximum() - 2 * std::exp(end)) / std::exp(end);
      double const waves = std::pow(2 * pi / static_cast<double>(cells), 2);
      EXPECT_NEAR(kept, std::exp(-0.02 * 4 * pi * pi * end), waves + 10 * step * step) << method << ' ' << cells;
    }
  }
}

// All methods end at the same state, up to their errors, which are of the order of the step's square.
TEST(CarriedFields, HaveOneSolutionWithAllMethods) {
  auto const mesh = unit_mesh({31, 3}, {.periodic = {true, true, true}});
  auto const at_end = [&](std::string const& method, int steps) {
    auto physics = make(hunt(), hunt_deck("0.7", method), mesh);
    test::run(*physics, 0.2, steps);
    return physics;
  };
  auto const exact = at_end("rk4", 400);
  for (std::string const method : {"ssp_rk2", "ssp_rk3", "imex_ars222", "imex_ark3"}) {
    double const coarse = difference(*at_end(method, 100), *exact);
    EXPECT_LE(coarse, 1e-3) << method;
    EXPECT_NEAR(std::log2(coarse / difference(*at_end(method, 200), *exact)), integrators().find(method).order, 0.3)
        << method;
  }
}

// Values of a whole rate that sweeps and operators share must not depend on who fills ghosts beyond walls.
TEST(CarriedFields, ObeyTheirWalls) {
  auto const mesh = unit_mesh({16});
  std::string const deck =
      "hunt: {bite: 0, velocity: {x: 1}, prey: {initial: 2, boundary: {west: {kind: dirichlet, value: \"2*exp(t)\"}}}, "
      "predators: {initial: 3}}\ntime: {method: ";
  for (std::string const method : {"rk4", "imex_ark3"}) {
    auto const physics =
        make(hunt(), deck + method + "}\nsolver: {method: bicgstab, bicgstab: {relative_tolerance: 1e-13}}", mesh);
    double const step = std::min(0.9 * physics->stable_step(), 1e-3);
    int const steps = static_cast<int>(std::ceil(0.05 / step));
    test::run(*physics, 0.05, steps);
    EXPECT_NEAR(quantity(*physics, "integral(prey)"), 2 * std::exp(0.05), 1e-8) << method;
    EXPECT_NEAR(state_of(*physics).maximum(), 2 * std::exp(0.05), 1e-7) << method;
    EXPECT_NEAR(quantity(*physics, "integral(predators)"), 3 * std::exp(-0.05), 1e-8) << method;
  }
}

TEST(CarriedFields, ArePassiveIfNoFunctorActs) {
  Equations equations("tracers", "Two tracers.");
  equations.transport().field("a", "One.").field("b", "Another.");
  equations.integral("a").conserves("b");
  PhysicsEntry const entry = equations.transported();
  EXPECT_EQ(entry.time_dependence, TimeDependence::evolving);
  auto const mesh = unit_mesh({32}, {.stretched = true});
  auto const physics = make(entry,
                            "tracers: {velocity: {x: 1}, a: {initial: x, boundary: {west: {kind: dirichlet}}}, "
                            "b: {initial: 1, diffusivity: 0.1}}\ntime: {method: sdirk2}\n"
                            "solver: {method: bicgstab}",
                            mesh);
  EXPECT_TRUE(physics->conserved().empty()) << "the flow leaves through walls";
}

std::string refusal_of(auto const& declare) {
  try {
    declare();
  } catch (InputError const& error) {
    return error.what();
  }
  return "none";
}

/// A functor that diffuses by itself.
template <class Real, int Axes>
struct Spreading {
  static constexpr Shape shape = star<1, Axes>;
  explicit Spreading(Options const&) {}
  [[nodiscard]] KOKKOS_FUNCTION Real diffusivity() const { return 1; }
};

TEST(CarriedFields, AreDeclaredInOrder) {
  EXPECT_EQ(refusal_of([] { Equations("late", "Late.").field("u", "A field.").transport(); }),
            "physics `late`: `transport` must come before all fields");
  auto const message = refusal_of([] {
    Equations equations("twice", "Twice.");
    equations.transport().field("u", "A field.");
    static_cast<void>(equations.evolution<Spreading, 1>());
  });
  EXPECT_NE(message.find("physics `twice`: a functor of fields that a flow carries"), std::string::npos) << message;
}

/// Solves as often as is needed, and remembers what it was asked.
class Remembering final : public LinearSolver {
 public:
  explicit Remembering(std::vector<double>& guesses, int& prepared) : guesses_(guesses), prepared_(prepared) {}
  void prepare(Operator const& a) override {
    ++prepared_;
    solver_.prepare(a);
  }
  SolveReport solve(Operator const& a, Vector const& b, Vector& x) override {
    guesses_.push_back(x.maximum());
    return solver_.solve(a, b, x);
  }

 private:
  std::vector<double>& guesses_;
  int& prepared_;
  ConjugateGradients solver_{{.relative = 1e-14, .absolute = 0, .iterations = 1000}};
};

TEST(RateOfField, PreparesItsSolverForNewScalesAndStartsFromTheState) {
  Case const all({.mesh = unit_mesh({24}), .conditions = all_walls(BoundaryKind::dirichlet)});
  std::vector<double> guesses;
  int prepared = 0;
  RateOfField<double> rate =
      carried<double>(all.discretisation, false, all.volume, std::make_unique<Remembering>(guesses, prepared)).rate;
  FieldVector<double> right = all.vector();
  FieldVector<double> out = all.vector();
  right.randomize(3);
  for (double const scale : {0.1, 0.1, 0.05, 0.05}) {
    out.fill(scale);
    EXPECT_TRUE(reached(rate.solve(0, scale, right, out).outcome));
    EXPECT_EQ(guesses.back(), scale);
  }
  EXPECT_EQ(prepared, 2);
  // out - scale g(out) = right
  FieldVector<double> image = all.vector();
  EXPECT_TRUE(rate.evaluate(RatePart::whole, 0, out, image));
  image.scale(-0.05);
  image.add(1, out);
  image.add(-1, right);
  // The norm of 1 - scale g is 1 + 0.05 4 24^2, and solves leave 1e-14 of their right-hand side.
  EXPECT_LE(image.maximum(), 1e-12);
}

}  // namespace
}  // namespace halocline::transport
