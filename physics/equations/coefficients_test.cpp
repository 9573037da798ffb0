#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <halocline/physics.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/test_declared.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

using test::make;
using test::quantity;
using test::run;

/// du/dt = div(k grad u).
template <class Real, int Axes>
struct Spreading {
  static constexpr Shape shape = point;
  static constexpr int coefficient_fields = 1;
  explicit Spreading(Options const&) {}
  template <class K>
  KOKKOS_FUNCTION Real diffusivity(K const& k) const {
    return k[here];
  }
};

/// The same with one k for all points.
template <class Real, int Axes>
struct SpreadingEvenly {
  static constexpr Shape shape = point;
  Real k;
  explicit SpreadingEvenly(Options const& own) : k(static_cast<Real>(own.real("k"))) {}
  [[nodiscard]] Real diffusivity() const { return k; }
};

/// Two fields, two coefficients: both diffuse differently, and react at a rate that varies.
template <class Real, int Axes>
struct Decaying {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  static constexpr int coefficient_fields = 2;
  explicit Decaying(Options const&) {}
  template <class P, class U, class V, class K, class R>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const&, K const&, R const& rate) const {
    Real const passing = rate[here] * u[here];
    return {-passing, passing};
  }
  template <class K, class R>
  KOKKOS_FUNCTION Values<Real, 2> diffusivity(K const& k, R const& rate) const {
    return {k[here], k[here] * rate[here]};
  }
  template <class P, class U, class V, class K, class R>
  KOKKOS_FUNCTION Real fastest(P const&, U const&, V const&, K const&, R const& rate) const {
    return Real(0.5) * rate[here];
  }
};

/// du/dt is the coefficient of a diagonal neighbour.
template <class Real, int Axes>
struct OfCorner {
  static constexpr Shape shape = box<1, Axes>;
  static constexpr int coefficient_fields = 1;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape; }
  explicit OfCorner(Options const&) {}
  template <class P, class U, class K>
  KOKKOS_FUNCTION Real operator()(P const&, U const&, K const& k) const {
    return k[Offset<1, -1>{}];
  }
};

Equations spreading() {
  Equations equations("spreading", "Diffusion.");
  equations.field("u", "What spreads.").coefficient("k", "Diffusivity.", "1");
  equations.mean("u").maximum("u").integral("u");
  return equations;
}

std::string const precisely = "solver: {method: cg, cg: {relative_tolerance: 1e-13}}\n";

/// Deck of the manufactured solution u = e^-t s(x), where lap s = -axes s, with k = 2 + sin(x) cos(y) and walls of a
/// kind, where robin has a = b = 1.
std::string manufactured(int axes, std::string const& method, std::string const& wall) {
  std::string const k = axes == 1 ? "2+sin(x)" : "2+sin(x)*cos(y)";
  std::string const of_z = axes > 2 ? "*cos(z)" : "";
  std::string const of_y = axes > 1 ? "*cos(y+0.1)" : "";
  std::string const u = "exp(-t)*sin(x+0.3)" + of_y + of_z;
  std::string const derivatives[] = {"exp(-t)*cos(x+0.3)" + of_y + of_z, "-exp(-t)*sin(x+0.3)*sin(y+0.1)" + of_z,
                                     "-exp(-t)*sin(x+0.3)" + of_y + "*sin(z)"};
  std::string gradients = "cos(x)*" + std::string(axes > 1 ? "cos(y)*" : "") + "(" + derivatives[0] + ")";
  if (axes > 1) gradients += "-sin(x)*sin(y)*(" + derivatives[1] + ")";
  std::string const source = "-" + u + "+" + std::to_string(axes) + "*(" + k + ")*" + u + "-(" + gradients + ")";
  std::string walls;
  char const* const faces[] = {"west", "east", "south", "north", "bottom", "top"};
  for (int face = 0; face < 2 * axes; ++face) {
    std::string value = wall == "neumann" ? "" : u;
    if (wall != "dirichlet") value.append(face % 2 == 0 ? "-(" : "+(").append(derivatives[face / 2]).append(")");
    walls.append(faces[face]).append(": {kind: ").append(wall).append(", value: '").append(value).append("'}, ");
  }
  return "time: {method: " + method + "}\n" + precisely + "spreading:\n  k: '" + k + "'\n  u: {initial: '" + u +
         "', exact: '" + u + "', source: '" + source + "', boundary: {" + walls + "}}\n";
}

double error_of(int axes, std::string const& method, std::string const& wall, Index cells, bool stretched = false) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 1, 2, 3>();
  auto const physics =
      make(entry, manufactured(axes, method, wall),
           test::unit_mesh(std::vector<Index>(static_cast<std::size_t>(axes), cells), {.stretched = stretched}));
  double const end = 0.05;
  // Explicit steps are so short that only the error in space is left; the others are by a method of second order.
  double const longest = physics->stable_step();
  int const steps = std::isfinite(longest) ? static_cast<int>(end / (0.9 * longest)) + 1 : static_cast<int>(2 * cells);
  run(*physics, end, steps);
  return quantity(*physics, "error_2(u)");
}

// On walls with a derivative, sweeps and solvers need the diffusivity on the wall itself; imex_ark3 uses both.
class CoefficientOrder : public testing::TestWithParam<std::tuple<int, char const*, char const*>> {};
TEST_P(CoefficientOrder, DiffusionThatVariesIsOfSecondOrder) {
  auto const [axes, method, wall] = GetParam();
  Index const cells = axes == 3 ? 8 : 16;
  double const coarse = error_of(axes, method, wall, cells);
  double const fine = error_of(axes, method, wall, 2 * cells);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3) << coarse << ", " << fine;
  EXPECT_LT(fine, 1e-3);
}
INSTANTIATE_TEST_SUITE_P(AllAxes, CoefficientOrder,
                         testing::Combine(testing::Values(1, 2, 3),
                                          testing::Values("rk4", "sdirk2", "imex_ars222", "imex_ark3"),
                                          testing::Values("dirichlet", "neumann", "robin")));

// Operators evaluate the rate there; uneven cells are small where u is flat, too, so two more are needed.
TEST(Coefficients, DiffusionAloneIsOfSecondOrderOnStretchedMeshes) {
  for (std::string const method : {"rk4", "rkl2", "sdirk2", "imex_ark3"}) {
    for (std::string const wall : {"dirichlet", "neumann", "robin"}) {
      double const coarse = error_of(2, method, wall, 16, true);
      double const fine = error_of(2, method, wall, 32, true);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3) << method << ", " << wall << ": " << coarse << ", " << fine;
    }
  }
}

/// Edges of equal cells, by number: the mesh does not know that they are equal.
std::shared_ptr<StructuredMesh const> evenly_stretched(std::vector<Index> const& cells) {
  StructuredMeshDescription description;
  for (Index const count : cells) {
    std::vector<double> edges;
    for (Index i = 0; i <= count; ++i) edges.push_back(static_cast<double>(i) / static_cast<double>(count));
    description.axes.push_back(Axis::stretched(edges));
  }
  return StructuredMesh::make(description, test::all_ranks());
}

// Sweeps evaluate the rate on one mesh, operators on the other, with walls of all kinds and sources.
TEST(Coefficients, SweepsAndOperatorsAgree) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 2>();
  for (std::string const method : {"ssp_rk3", "dormand_prince", "rkl2", "imex_ars222", "imex_ark3", "bdf2"}) {
    std::string deck = "time: {method: ";
    deck.append(method).append("}\n").append(precisely);
    deck +=
        "spreading:\n  k: 1+x+y^2\n  sources: [{position: [0.3, 0.9], strength: 1+t}]\n"
        "  u: {initial: 'x*y', source: 'sin(9*x)+t', boundary: {west: {kind: dirichlet, value: 1+t},\n"
        "    east: {kind: robin, a: 2, b: 1, value: y}, north: {kind: neumann, value: x*t}}}\n";
    std::vector<double> means, largest, integrals;
    for (auto const& mesh : {test::unit_mesh({13, 7}), evenly_stretched({13, 7})}) {
      auto const physics = make(entry, deck, mesh);
      run(*physics, 0.01, 20);
      means.push_back(quantity(*physics, "mean(u)"));
      largest.push_back(quantity(*physics, "maximum(u)"));
      integrals.push_back(quantity(*physics, "integral(u)"));
    }
    // Solves end at 1e-13 of the residual, 40 of them at most.
    EXPECT_NEAR(means[1], means[0], 1e-11) << method;
    EXPECT_NEAR(largest[1], largest[0], 1e-11) << method;
    EXPECT_NEAR(integrals[1], integrals[0], 1e-11) << method;
  }
}

TEST(Coefficients, IntegralsOnStretchedMeshesAreWeightedByVolumes) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 1>();
  auto const physics = make(entry, "time: {method: bdf2}\nspreading: {u: {initial: x, exact: 0}}\n",
                            test::unit_mesh({40}, {.stretched = true}));
  // The midpoint rule is exact for x, and for x^2 off by the sum of width^3 / 12 < 0.04^2 / 12.
  EXPECT_NEAR(quantity(*physics, "integral(u)"), 0.5, 1e-14);
  EXPECT_NEAR(quantity(*physics, "mean(u)"), 0.5, 1e-14);
  EXPECT_NEAR(quantity(*physics, "error_1(u)"), 0.5, 1e-14);
  EXPECT_NEAR(quantity(*physics, "error_2(u)"), std::sqrt(1.0 / 3), 2e-4);
}

// A cell that conducts well between cells that do not: faces take harmonic means, and steps are as long as they allow.
TEST(Coefficients, TheStableStepIsThatOfTheFaces) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 1>();
  Index const cells = 16;
  double const square = 1.0 / static_cast<double>(cells * cells);
  auto const step = [&](std::string const& k, std::shared_ptr<StructuredMesh const> const& mesh) {
    return make(entry, "time: {method: explicit_euler}\nspreading: {k: '" + k + "'}\n", mesh)->stable_step();
  };
  std::string const spike = "abs(x-0.53125) < 0.01 ? 1000 : 1";
  double const face = 2.0 * 1000 / 1001;
  EXPECT_NEAR(step(spike, test::unit_mesh({cells})), square / (2 * face), 1e-12);
  EXPECT_NEAR(step(spike, evenly_stretched({cells})), square / (2 * face), 1e-12);
  EXPECT_NEAR(step("1", test::unit_mesh({cells})), square / 2, 1e-12);
}

/// Largest and mean u after some steps of a deck.
std::vector<double> outcome(PhysicsEntry const& entry, std::string const& own, std::string const& method, double end,
                            int steps, Precision precision = Precision::double_) {
  auto const physics = make(entry, "time: {method: " + method + "}\n" + precisely + entry.name + ":\n" + own,
                            test::unit_mesh({13, 7}), precision);
  run(*physics, end, steps);
  return {quantity(*physics, "maximum(u)"), quantity(*physics, "mean(u)")};
}

std::string const hill =
    "  u: {initial: 'exp(-20*((x-0.4)^2+(y-0.6)^2))', boundary: {west: {kind: dirichlet, value: 0.5}}}\n";

TEST(Coefficients, OneThatIsTheSameEverywhereGivesTheBitsOfAConstant) {
  Equations evenly("spreading", "Diffusion.");
  evenly.field("u", "What spreads.").mean("u").maximum("u");
  evenly.options().real("k", "Diffusivity.");
  PhysicsEntry const by_option = evenly.evolution<SpreadingEvenly, 2>();
  PhysicsEntry const by_coefficient = spreading().evolution<Spreading, 2>();
  for (char const* const method : {"ssp_rk3", "bdf2"}) {
    EXPECT_EQ(outcome(by_option, hill + "  k: 0.3\n", method, 0.01, 20),
              outcome(by_coefficient, hill + "  k: 0.3\n", method, 0.01, 20))
        << method;
  }
}

// Powers of two change no bits: the range of the precision is used as a whole.
TEST(Coefficients, DiffusivityOfAnyScaleIsRight) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 2>();
  auto const scaled = [&](std::string const& factor, double end) {
    return outcome(entry, hill + "  k: '" + factor + "*(1+1e4*x)'\n", "ssp_rk3", end, 10, Precision::single);
  };
  double const end = 1e-6;
  std::vector<double> const usual = scaled("1", end);
  EXPECT_EQ(scaled("7.888609052210118e-31", std::ldexp(end, 100)), usual);
  EXPECT_EQ(scaled("1.2676506002282294e30", std::ldexp(end, -100)), usual);
}

// With k = 1 beside 1/1000 the exact solution is linear on both sides, and its flux q is the same.
TEST(Coefficients, AJumpOnAFaceIsExact) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 1>();
  std::string const exact = "x<0.5 ? x/500.5 : 1-1000*(1-x)/500.5";
  auto const error = [&](std::string const& method, std::string const& initial, double end, int steps) {
    auto const physics =
        make(entry,
             "time: {method: " + method + "}\n" + precisely + "spreading:\n  k: 'x<0.5 ? 1 : 0.001'\n  u: {initial: '" +
                 initial + "', exact: '" + exact +
                 "', boundary: {west: {kind: dirichlet, value: 0}, east: {kind: dirichlet, value: 1}}}\n",
             test::unit_mesh({16}));
    run(*physics, end, steps);
    return quantity(*physics, "error_maximum(u)");
  };
  // The solver leaves 1e-13 of the residual, times the condition, 16^2 times 1000.
  EXPECT_LT(error("implicit_euler", "0", 1e9, 3), 1e-7);
  // Rounding of fluxes of 16 / 500 by 1e-16, in 100 steps that each add 1 / 4 of them.
  EXPECT_LT(error("rk4", exact, 100 * 0.25 / 256, 100), 1e-13);
}

TEST(Coefficients, NothingFlowsWhereNothingDiffuses) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 1>();
  for (char const* const method : {"rk4", "sdirk2"}) {
    auto const physics = make(entry,
                              "time: {method: " + std::string(method) + "}\n" + precisely +
                                  "spreading:\n  k: 'x<0.5 ? 1 : 0'\n  u: {initial: 'x<0.5 ? cos(2*pi*x)^2 : x', "
                                  "exact: 'x<0.5 ? 0.5 : x'}\n",
                              test::unit_mesh({20}));
    run(*physics, 2, method == std::string("rk4") ? 4000 : 200);
    // exp(-2 (2 pi)^2) is left of the wave in the half that diffuses; the solver leaves more.
    EXPECT_LT(quantity(*physics, "error_maximum(u)"), 1e-12) << method;
  }
}

/// Only u diffuses, and where its coefficient is a zero with a sign, nothing does.
template <class Real, int Axes>
struct SpreadingBeside {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  static constexpr int coefficient_fields = 1;
  explicit SpreadingBeside(Options const&) {}
  template <class K>
  KOKKOS_FUNCTION Values<Real, 2> diffusivity(K const& k) const {
    return {k[here], 0};
  }
};

TEST(Coefficients, AFieldThatDoesNotDiffuseStaysBesideOneThatDoes) {
  Equations equations("beside", "Diffusion of one field.");
  equations.field("u", "It spreads.").field("v", "It stays.").mean("u").coefficient("k", "Diffusivity.", "1");
  PhysicsEntry const entry = equations.evolution<SpreadingBeside, 1>();
  for (char const* const method : {"rk4", "sdirk2", "imex_ark3"}) {
    std::string deck = "time: {method: ";
    deck.append(method).append("}\n").append(precisely);
    deck +=
        "beside: {k: 'x<0.5 ? 0 : -min(0,x-2)*(x<0.75 ? 0 : 1)', u: {initial: x}, v: {initial: 'x^2', exact: 'x^2'}}\n";
    auto const physics = make(entry, deck, test::unit_mesh({16}));
    run(*physics, 0.01, 20);
    EXPECT_LT(quantity(*physics, "error_maximum(v)"), 1e-12) << method;
    EXPECT_NEAR(quantity(*physics, "mean(u)"), 0.5, 1e-12) << method;
  }
}

TEST(Coefficients, SeveralFieldsDiffuseByTheirOwn) {
  Equations equations("decaying", "Decay.");
  equations.field("u", "Parent.").field("v", "Child.").integral("u").integral("v");
  equations.coefficient("k", "Diffusivity of u.", "1").coefficient("rate", "Of decay.", "1");
  PhysicsEntry const entry = equations.evolution<Decaying, 2>();
  std::string const own = "decaying:\n  k: '0.1+0.05*x'\n  rate: '1+y'\n  u: {initial: '1+x*y'}\n";
  double of_explicit = 0;
  for (auto const& [method, steps] : {std::pair{"rk4", 400}, {"imex_ark3", 100}}) {
    std::string deck = "time: {method: ";
    deck.append(method).append("}\n").append(precisely).append(own);
    auto const physics = make(entry, deck, test::unit_mesh({9, 14}));
    double const all = quantity(*physics, "integral(u)") + quantity(*physics, "integral(v)");
    run(*physics, 0.5, steps);
    double const u = quantity(*physics, "integral(u)");
    EXPECT_NEAR(u + quantity(*physics, "integral(v)"), all, 1e-12 * all) << method;
    if (of_explicit == 0) {
      of_explicit = u;
      EXPECT_GT(u, 0.3 * all);
      EXPECT_LT(u, 0.6 * all);
    }
    // imex_ark3 has order 3: the cube of steps of 1/200 times rates of 2.
    EXPECT_NEAR(u, of_explicit, 1e-6) << method;
  }
}

// On several ranks the diagonal neighbour is in the ghosts of another one.
TEST(Coefficients, CornersOfNeighboursAreRead) {
  PhysicsEntry const entry = spreading().evolution<OfCorner, 2>();
  auto const mesh = test::unit_mesh({8, 10}, {.periodic = {true, true, false}});
  auto const physics = make(entry,
                            "time: {method: explicit_euler}\nspreading:\n  k: 'sin(2*pi*x)*cos(2*pi*y)'\n  u: {exact: "
                            "'sin(2*pi*(x+1/8))*cos(2*pi*(y-1/10))'}\n",
                            mesh);
  run(*physics, 1, 1);
  EXPECT_LT(quantity(*physics, "error_maximum(u)"), 1e-14);
}

TEST(Coefficients, DiffusivitiesBelowZeroAreRefusedByNameAndPlace) {
  PhysicsEntry const entry = spreading().evolution<Spreading, 1>();
  try {
    static_cast<void>(make(entry, "time: {method: rk4}\nspreading: {k: '0.25-x'}\n", test::unit_mesh({4})));
    FAIL() << "accepted";
  } catch (Error const& error) {
    EXPECT_NE(
        std::string(error.what()).find("diffusivity of `u`, which follows from `spreading.k`, is -0.125 at (0.375)"),
        std::string::npos)
        << error.what();
  }
}

/// The flow between cells: what a donor cell gives, or the mean of both.
template <class Real, int Axis, bool Upwind, class U>
KOKKOS_FORCEINLINE_FUNCTION Real carried(Real lower, Real upper, U const& u) {
  if constexpr (Upwind) {
    return upper * select(upper > 0, u[here], u[along<Axis, 1>]) -
           lower * select(lower > 0, u[along<Axis, -1>], u[here]);
  } else {
    return Real(0.5) * (upper * (u[here] + u[along<Axis, 1>]) - lower * (u[along<Axis, -1>] + u[here]));
  }
}

/// du/dt = -div(v u) with velocities that are stored on faces …
template <class Real, int Axes, bool Upwind>
struct CarriedByStored {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int coefficient_fields = Axes;
  static constexpr Shape input_shape(int n) {
    return n == 0 ? shape : n == 1 ? line<1, 0> : n == 2 ? line<1, 1> : line<1, 2>;
  }
  explicit CarriedByStored(Options const&) {}
  template <class P, class U, class... V>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, V const&... v) const {
    return -along_axis<0>(at, u, v...);
  }

 private:
  template <int Axis, class P, class U, class V, class... More>
  KOKKOS_FORCEINLINE_FUNCTION static Real along_axis(P const& at, U const& u, V const& v, More const&... more) {
    Real const net = at.inverse_spacing(Axis) * carried<Real, Axis, Upwind>(v[here], v[along<Axis, 1>], u);
    if constexpr (Axis + 1 < Axes) {
      return net + along_axis<Axis + 1>(at, u, more...);
    } else {
      return net;
    }
  }
};
template <class Real, int Axes>
using Donor = CarriedByStored<Real, Axes, true>;
template <class Real, int Axes>
using Central = CarriedByStored<Real, Axes, false>;

/// … or computed there: cos(2 pi x) along each axis.
template <class Real, int Axes>
struct DonorComputed {
  static constexpr Shape shape = star<1, Axes>;
  explicit DonorComputed(Options const&) {}
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    Real sum = along_axis<0>(at, u);
    if constexpr (Axes > 1) sum += along_axis<1>(at, u);
    if constexpr (Axes > 2) sum += along_axis<2>(at, u);
    return -sum;
  }

 private:
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION static Real velocity(P const& at, int axis, Index further) {
    Real const x = static_cast<Real>(at.index(axis) + further) / at.inverse_spacing(axis);
    return Kokkos::cos(2 * Kokkos::numbers::pi_v<Real> * x);
  }
  template <int Axis, class P, class U>
  KOKKOS_FORCEINLINE_FUNCTION static Real along_axis(P const& at, U const& u) {
    return at.inverse_spacing(Axis) * carried<Real, Axis, true>(velocity(at, Axis, 0), velocity(at, Axis, 1), u);
  }
};

/// A field that velocities on faces carry; without `stored`, they are not declared.
Equations carrying(bool stored = true) {
  Equations equations("carrying", "A field in a flow.");
  equations.field("u", "What is carried.").mean("u");
  for (int axis = 0; axis < 3 && stored; ++axis) {
    std::string const x(1, "xyz"[axis]);
    equations.face_coefficient("v" + x, axis, "Velocity along " + x + ".", "cos(2*pi*" + x + ")");
  }
  return equations;
}

/// The largest difference between the fields of two physics on one mesh, on any rank.
double difference(Physics const& a, Physics const& b, StructuredMesh const& mesh) {
  double largest = 0;
  for (Block const& block : mesh.blocks()) {
    auto const size = static_cast<std::size_t>(mesh.owned(block, Centring::cell).size());
    std::vector<double> values[2] = {std::vector<double>(size), std::vector<double>(size)};
    a.fields()[0]->copy_owned(block, 0, std::as_writable_bytes(std::span(values[0])));
    b.fields()[0]->copy_owned(block, 0, std::as_writable_bytes(std::span(values[1])));
    for (std::size_t n = 0; n < size; ++n) largest = std::max(largest, std::abs(values[0][n] - values[1][n]));
  }
  return mesh.communicator().max(largest);
}

// A border between blocks or ranks, a periodic one or a wall has one face: both sides must read it.
TEST(FaceCoefficients, StoredVelocitiesAreThoseThatAFunctorComputes) {
  PhysicsEntry const stored = carrying().evolution<Donor, 1, 2, 3>();
  PhysicsEntry const computed = carrying(false).evolution<DonorComputed, 1, 2, 3>();
  std::vector<std::vector<Index>> const domains{{23}, {13, 10}, {10, 9, 12}};
  for (std::vector<Index> const& cells : domains) {
    for (int const blocks : {1, 2, 3}) {
      for (bool const periodic : {false, true}) {
        auto const mesh = test::unit_mesh(cells, {.periodic = {periodic, false, periodic}, .blocks_per_rank = blocks});
        std::string const deck =
            "time: {method: ssp_rk3}\ncarrying: {u: {initial: '2+sin(3+4*x)*cos(1+5*y)*exp(z)'}}\n";
        auto const a = make(stored, deck, mesh);
        auto const b = make(computed, deck, mesh);
        for (Physics* const each : {a.get(), b.get()}) run(*each, 0.02, 5);
        // Rounding: velocities differ by 1e-16, rates by that times 23.
        EXPECT_LT(difference(*a, *b, *mesh), 1e-14) << cells.size() << " axes, " << blocks << " blocks";
      }
    }
  }
}

// The expressions differ at both ends of a periodic axis, which are one face.
TEST(FaceCoefficients, FluxesConserveAcrossPeriodicEnds) {
  PhysicsEntry const entry = carrying().evolution<Donor, 1, 2, 3>();
  std::vector<std::vector<Index>> const domains{{23}, {13, 10}, {10, 9, 12}};
  for (std::vector<Index> const& cells : domains) {
    for (int const blocks : {1, 3}) {
      auto const mesh = test::unit_mesh(cells, {.periodic = {true, true, true}, .blocks_per_rank = blocks});
      auto const physics = make(entry,
                                "time: {method: rk4}\ncarrying: {vx: 1+x, vy: 'x-y', vz: 'y*z-0.3', u: {initial: "
                                "'2+sin(3+4*x)*cos(1+5*y)*exp(z)'}}\n",
                                mesh);
      double const mean = quantity(*physics, "mean(u)");
      run(*physics, 0.1, 20);
      EXPECT_NEAR(quantity(*physics, "mean(u)"), mean, 1e-14) << cells.size() << " axes, " << blocks << " blocks";
    }
  }
}

TEST(FaceCoefficients, CentralFluxesAreOfSecondOrder) {
  PhysicsEntry const entry = carrying().evolution<Central, 1, 2>();
  // Of period 1: u = 2 + sin(2 pi (x + y)) e^-t, v = (1 + cos(2 pi x) / 2, 1 - sin(2 pi y) / 2).
  auto const error = [&](int axes, Index cells) {
    std::string const phase = axes == 1 ? "(2*pi*x)" : "(2*pi*(x+y))";
    std::string const u = "(2+sin" + phase + "*exp(-t))";
    std::string const slope = "2*pi*cos" + phase + "*exp(-t)";
    std::string source = "-sin" + phase + "*exp(-t)+(1+cos(2*pi*x)/2)*" + slope + "-pi*sin(2*pi*x)*" + u;
    if (axes == 2) source += "+(1-sin(2*pi*y)/2)*" + slope + "-pi*cos(2*pi*y)*" + u;
    auto const physics = make(
        entry,
        "time: {method: rk4}\ncarrying: {vx: 1+cos(2*pi*x)/2, vy: 1-sin(2*pi*y)/2, u: {initial: '" + u + "', exact: '" +
            u + "', source: '" + source + "'}}\n",
        test::unit_mesh(std::vector<Index>(static_cast<std::size_t>(axes), cells), {.periodic = {true, true, true}}));
    run(*physics, 0.2, 80);
    return quantity(*physics, "error_2(u)");
  };
  for (int const axes : {1, 2}) EXPECT_NEAR(std::log2(error(axes, 16) / error(axes, 32)), 2, 0.3) << axes;
}

TEST(FaceCoefficients, SumsReadThem) {
  PhysicsEntry const one = carrying().evolution<Central, 2>();
  PhysicsEntry const two = carrying().evolution<Central, Central, 2>();
  auto const mesh = test::unit_mesh({8, 7});
  auto const a = make(one, "time: {method: rk4}\ncarrying: {vx: 2+2*x, vy: 2*y, u: {initial: x*y}}\n", mesh);
  auto const b = make(two, "time: {method: rk4}\ncarrying: {vx: 1+x, vy: y, u: {initial: x*y}}\n", mesh);
  for (Physics* const each : {a.get(), b.get()}) run(*each, 0.01, 3);
  EXPECT_EQ(difference(*a, *b, *mesh), 0);
}

std::string mistakes_of(PhysicsEntry const& entry, std::string const& deck) {
  Section root("", "A deck.");
  root.section(declare_mesh_section());
  root.section(time_section());
  root.section(entry.options);
  Deck const given("deck", deck);
  try {
    Options const read = given.read(root);
    Mistakes mistakes;
    entry.validate(read, mistakes);
    mistakes.report();
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(FaceCoefficients, WrongOnesAreRefusedByName) {
  PhysicsEntry const entry = carrying().evolution<Donor, 1, 2, 3>();
  auto const refused = [&](std::string const& own, std::string const& message) {
    std::string const said = mistakes_of(entry, "mesh: {cells: [8, 8]}\ncarrying: {" + own + "}\n");
    EXPECT_NE(said.find(message), std::string::npos) << said;
  };
  EXPECT_EQ(mistakes_of(entry, "mesh: {cells: [8, 8]}\ncarrying: {vx: 1+y}\n"), "");
  refused("vz: 1", "`carrying.vz`: the mesh has no such axis");
  refused("vx: t", "`carrying.vx`: 't' depends on t, but coefficients are constant in time");
  refused("vx: {file: a.npy}", "`carrying.vx`: expected a number or an expression of x, y, z and t, got a section");
  EXPECT_THROW(
      static_cast<void>(make(entry, "carrying: {vx: 1/(x-0.5)}\n", test::unit_mesh({8}, {}, test::this_rank()))),
      InputError);

  auto const message = [](auto const& work) -> std::string {
    try {
      work();
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([] { carrying().face_coefficient("w", 3, "Velocity.", "0"); }),
            "physics `carrying`: the faces of `w` are along axis 0, 1 or 2, not 3");
  EXPECT_EQ(message([] { static_cast<void>(carrying().coefficient("k", "Another.", "0").evolution<Donor, 2>()); }),
            "physics `carrying`: its functor has 2 coefficients (`coefficient_fields`, by default 0), but the declared "
            "coefficients are vx, vy, k on meshes of 2 axes");
  EXPECT_EQ(message([] { static_cast<void>(carrying().computed("vy", {}).evolution<Donor, 2>()); }),
            "physics `carrying`: `computed` gives values of cells, but `vy` is on faces");
}

/// The only field, with a material: u starts as twice the material unless the deck says otherwise.
Equations of_material() {
  auto const ramp = [](double factor) {
    return
        [factor](Options const& own, StructuredMesh const&, Block const& block) -> std::optional<std::vector<double>> {
          if (factor == 2 && own.has("initial")) return std::nullopt;
          std::vector<double> cells;
          for (Index i = block.cells.begin[0]; i < block.cells.end[0]; ++i)
            cells.push_back(factor * static_cast<double>(i));
          return cells;
        };
  };
  Equations equations("spreading", "Diffusion.");
  equations.only_field("u", "Initial values.").coefficient("k", "Diffusivity.", "");
  equations.material("m", ramp(1)).computed("u", ramp(2));
  equations.integral("weight", "", "m").integral("weighted", "u", "m").integral("all", "u", "").conserves("u");
  equations.mean("u");
  return equations;
}

TEST(Coefficients, AnOnlyFieldHasItsOptionsInTheSectionOfThePhysics) {
  PhysicsEntry const entry = of_material().evolution<Spreading, 1>();
  auto const made = [&](std::string const& own) {
    return make(entry, "time: {method: bdf2}\n" + own, test::unit_mesh({4}));
  };
  auto const physics = made("");
  // Cells 0 to 3 of width 1/4: the sums of i, of 2 i^2 and of 2 i.
  EXPECT_DOUBLE_EQ(quantity(*physics, "weight"), 1.5);
  EXPECT_DOUBLE_EQ(quantity(*physics, "weighted"), 7);
  EXPECT_DOUBLE_EQ(quantity(*physics, "all"), 3);
  EXPECT_DOUBLE_EQ(quantity(*physics, "mean"), 3);
  EXPECT_EQ(physics->conserved(), std::vector<std::string>{"all"});
  ASSERT_EQ(physics->fields().size(), 2U);
  EXPECT_EQ(physics->fields()[1]->name(), "m");
  EXPECT_EQ(physics->quantities().front().name, "weight");
  // Without k nothing else diffuses than by 1.
  run(*physics, 10, 40);
  EXPECT_NEAR(quantity(*physics, "weighted"), 4.5, 1e-6);
  EXPECT_NEAR(quantity(*physics, "all"), 3, 1e-9);

  auto const given = made("spreading: {initial: 1, exact: 3, source: 2, boundary: {west: {kind: dirichlet}}}\n");
  EXPECT_DOUBLE_EQ(quantity(*given, "all"), 1);
  EXPECT_DOUBLE_EQ(quantity(*given, "error_maximum"), 2);
  EXPECT_TRUE(given->conserved().empty());
}

TEST(Coefficients, OnlyDiffusionAloneTakesAnotherMeanOnFaces) {
  Equations equations = spreading();
  equations.face_mean([](Options const&) { return FaceMean::arithmetic; });
  // The mean of 1 and 3 on the face between two cells of width 1/2: after a long step of one cell's heat both have
  // half.
  auto const physics = make(equations.evolution<Spreading, 1>(),
                            "time: {method: implicit_euler}\n" + precisely +
                                "spreading: {k: 'x<0.5 ? 1 : 3', u: {initial: 'x<0.5 ? 1 : 0'}}\n",
                            StructuredMesh::make({.axes = {Axis::uniform(2, 0, 1)}}, test::this_rank()));
  run(*physics, 0.25, 1);
  // With a = step k / width^2 = 2: u0 = 1 - a (u0 - u1), u1 = a (u0 - u1).
  EXPECT_NEAR(quantity(*physics, "maximum(u)"), 3.0 / 5, 1e-12);

  equations.coefficient("rate", "Another.", "1").field("v", "Another.");
  EXPECT_THROW(static_cast<void>(equations.evolution<Decaying, 1>()), InputError);
}

TEST(Coefficients, FunctorAndDeclarationAgreeOnTheirNumber) {
  Equations equations = spreading();
  equations.coefficient("more", "Another.", "0");
  EXPECT_THROW(
      {
        try {
          static_cast<void>(equations.evolution<Spreading, 2>());
        } catch (InputError const& error) {
          EXPECT_NE(std::string(error.what()).find("its functor has 1 coefficients"), std::string::npos);
          EXPECT_NE(std::string(error.what()).find("the declared coefficients are k, more"), std::string::npos);
          throw;
        }
      },
      InputError);
}

}  // namespace
}  // namespace halocline
