#include "physics/equations/evolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "physics/equations/sum_of_rates.hpp"
#include "physics/equations/test_declared.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

using test::make;
using test::quantity;
using test::run;

/// du/dt = -u v + div grad u / 10, dv/dt = u v - v + div grad v / 20 as one functor …
template <class Real, int Axes>
struct Whole {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int fields = 2;
  explicit Whole(Options const&) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v) const {
    Real const uv = u[here] * v[here];
    return {Real(0.1) * at.laplacian(u) - uv, Real(0.05) * at.laplacian(v) + uv - v[here]};
  }
};

/// … and the same with diffusion that can be solved for.
template <class Real, int Axes>
struct Split {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  explicit Split(Options const&) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v) const {
    Real const uv = u[here] * v[here];
    return {-uv, uv - v[here]};
  }
  [[nodiscard]] Values<Real, 2> diffusivity() const { return {Real(0.1), Real(0.05)}; }
};

Equations two_fields() {
  Equations equations("pair", "Two fields that react and diffuse.");
  equations.field("u", "What is eaten.", "1").field("v", "What eats.");
  equations.stable_step([](Options const&, StructuredMesh const& mesh) { return stable_diffusion_step(mesh, 0.1); });
  equations.mean("u").minimum("u").maximum("v").conserves("v");
  return equations;
}

std::string const along_axes[] = {"sin(1+2*x)", "sin(1+2*x)*cos(1.5*y)", "sin(1+2*x)*cos(1.5*y)*cos(z-0.2)"};

/// Deck of a manufactured solution: u = (2 + place(x)) e^-t, v = 1 + t place(x) / 2, where -lap place = eigenvalue
/// place.
std::string manufactured(int axes, std::string const& method, std::string const& kind) {
  std::string const place = along_axes[axes - 1];
  std::string const eigenvalue = std::vector<std::string>{"4", "6.25", "7.25"}[static_cast<std::size_t>(axes - 1)];
  std::string const u = "(2+" + place + ")*exp(-t)";
  std::string const v = "(1+t*" + place + "/2)";
  std::string const source_u = "-" + u + "+0.1*" + eigenvalue + "*" + place + "*exp(-t)+" + u + "*" + v;
  std::string const source_v = place + "/2+0.05*" + eigenvalue + "*t*" + place + "/2-" + u + "*" + v + "+" + v;
  auto const walls = [axes, &kind](std::string const& value) {
    char const* const faces[] = {"west", "east", "south", "north", "bottom", "top"};
    std::string of_all;
    for (int face = 0; face < 2 * axes; ++face) {
      of_all.append(faces[face]).append(": {kind: ").append(kind).append(", value: '").append(value).append("'}, ");
    }
    return of_all;
  };
  auto const field = [](std::string const& name, std::string const& exact, std::string const& source,
                        std::string const& faces_of_it) {
    return "  " + name + ": {initial: '" + exact + "', exact: '" + exact + "', source: '" + source + "', boundary: {" +
           faces_of_it + "}}\n";
  };
  return "time: {method: " + method + "}\nsolver: {method: cg, cg: {relative_tolerance: 1e-12}}\npair:\n" +
         field("u", u, source_u, walls(u)) + field("v", v, source_v, walls(v));
}

double error_of(PhysicsEntry const& entry, int axes, Index cells, std::string const& method, int steps) {
  std::vector<Index> all(static_cast<std::size_t>(axes), cells);
  all.back() += cells / 2;
  auto const physics = make(entry, manufactured(axes, method, "dirichlet"), test::unit_mesh(all));
  run(*physics, 0.25, steps);
  return std::max(quantity(*physics, "error_maximum(u)"), quantity(*physics, "error_maximum(v)"));
}

// Halving the spacing divides the error by four; the next term of its series may be a tenth of it here.
TEST(Evolution, IsOfSecondOrderInSpaceWithWallsThatChangeInTime) {
  PhysicsEntry const whole = two_fields().evolution<Whole, 1, 2, 3>();
  PhysicsEntry const split = two_fields().evolution<Split, 1, 2, 3>();
  for (int axes = 1; axes <= 3; ++axes) {
    for (PhysicsEntry const* const entry : {&whole, &split}) {
      double const coarse = error_of(*entry, axes, 8, "ssp_rk3", 60);
      double const fine = error_of(*entry, axes, 16, "ssp_rk3", 60);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3) << axes << " axes: " << coarse << ", " << fine;
    }
  }
}

// The same equation in one form or the other: equal up to rounding, since sums have another order.
TEST(Evolution, DiffusionBesideTheRateIsDiffusionWithinIt) {
  PhysicsEntry const whole = two_fields().evolution<Whole, 1, 2, 3>();
  PhysicsEntry const split = two_fields().evolution<Split, 1, 2, 3>();
  for (std::string const method : {"explicit_euler", "ssp_rk2", "rk4"}) {
    double const one = error_of(whole, 2, 8, method, 20);
    EXPECT_NEAR(error_of(split, 2, 8, method, 20), one, 1e-12) << method;
  }
}

/// What u and v do to each other …
template <class Real, int Axes>
struct Reaction {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  explicit Reaction(Options const&) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v) const {
    Real const uv = u[here] * v[here];
    return {-uv, uv - v[here]};
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION Real fastest(P const&, U const& u, V const& v) const {
    return u[here] + v[here];
  }
};
/// … that they spread along x, which is constructed from the mesh, too …
template <class Real, int Axes>
struct AlongX {
  static constexpr Shape shape = line<1, 0>;
  static constexpr int fields = 2;
  AlongX(Options const&, StructuredMesh const& mesh) : cells(static_cast<Real>(mesh.axis(0).cells())) {}
  Real cells;
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v) const {
    return {Real(0.1) * at.template second_derivative<0>(u), Real(0.05) * at.template second_derivative<0>(v)};
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION double fastest(P const&, U const&, V const&) const {
    return static_cast<double>(Real(0.2) * cells * cells);
  }
};
/// … and along the other axes …
template <class Real, int Axes>
struct Across {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int fields = 2;
  explicit Across(Options const&) {}
  template <class U, class P>
  KOKKOS_FUNCTION static Real second(P const& at, U const& u) {
    Real sum = 0;
    if constexpr (Axes > 1) sum += at.template second_derivative<1>(u);
    if constexpr (Axes > 2) sum += at.template second_derivative<2>(u);
    return sum;
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v) const {
    return {Real(0.1) * second(at, u), Real(0.05) * second(at, v)};
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION double fastest(P const& at, U const&, V const&) const {
    double sum = 0;
    for (int axis = 1; axis < Axes; ++axis) sum += 0.2 * static_cast<double>(at.inverse_square(axis));
    return sum;
  }
};
/// … as one functor.
template <class Real, int Axes>
struct AllOfThem {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int fields = 2;
  Real cells;
  AllOfThem(Options const&, StructuredMesh const& mesh) : cells(static_cast<Real>(mesh.axis(0).cells())) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v) const {
    Real const uv = u[here] * v[here];
    return {-uv + Real(0.1) * at.template second_derivative<0>(u) + Real(0.1) * Across<Real, Axes>::second(at, u),
            uv - v[here] + Real(0.05) * at.template second_derivative<0>(v) +
                Real(0.05) * Across<Real, Axes>::second(at, v)};
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION double fastest(P const& at, U const& u, V const& v) const {
    double sum = static_cast<double>(u[here] + v[here]) + static_cast<double>(Real(0.2) * cells * cells);
    double across = 0;
    for (int axis = 1; axis < Axes; ++axis) across += 0.2 * static_cast<double>(at.inverse_square(axis));
    return sum + across;
  }
};
/// Diffusion alone, as what Split has beside its reaction.
template <class Real, int Axes>
struct Diffusing {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  explicit Diffusing(Options const&) {}
  [[nodiscard]] Values<Real, 2> diffusivity() const { return {Real(0.1), Real(0.05)}; }
};

/// What a physics becomes after some steps, and its stable step.
std::vector<double> outcome_of(PhysicsEntry const& entry, int axes, std::string const& method, Precision precision) {
  std::vector<Index> const cells{7, 6, 5};
  auto const mesh = test::unit_mesh(std::vector<Index>(cells.begin(), cells.begin() + axes));
  auto const physics = make(entry, manufactured(axes, method, "neumann"), mesh, precision);
  run(*physics, 0.05, 20);
  std::vector<double> all{physics->stable_step()};
  for (Quantity const& each : physics->quantities()) all.push_back(each.value);
  return all;
}

TEST(SumOfRates, IsToTheBitWhatOneFunctorGives) {
  PhysicsEntry const sum = two_fields().evolution<Reaction, AlongX, Across, 1, 2, 3>();
  PhysicsEntry const one = two_fields().evolution<AllOfThem, 1, 2, 3>();
  PhysicsEntry const split = two_fields().evolution<Split, 1, 2>();
  PhysicsEntry const solved = two_fields().evolution<Diffusing, Reaction, 1, 2>();
  for (Precision const precision : {Precision::double_, Precision::single}) {
    for (int axes = 1; axes <= 3; ++axes) {
      for (char const* const method : {"explicit_euler", "ssp_rk3", "rk4"}) {
        EXPECT_EQ(outcome_of(sum, axes, method, precision), outcome_of(one, axes, method, precision)) << method << axes;
      }
    }
  }
  for (char const* const method : {"ssp_rk3", "imex_ark3"}) {
    std::vector<double> mine = outcome_of(solved, 2, method, Precision::double_);
    std::vector<double> other = outcome_of(split, 2, method, Precision::double_);
    mine.front() = other.front() = 0;  // Split has no `fastest`
    EXPECT_EQ(mine, other) << method;
  }
}

TEST(SumOfRates, IsOfSecondOrderInSpace) {
  PhysicsEntry const entry = two_fields().evolution<Reaction, AlongX, Across, 1, 2, 3>();
  for (int axes = 1; axes <= 3; ++axes) {
    double const order = std::log2(error_of(entry, axes, 8, "ssp_rk3", 60) / error_of(entry, axes, 16, "ssp_rk3", 60));
    EXPECT_NEAR(order, 2, 0.3) << axes;
  }
}

TEST(SumOfRates, HasTheBoundsOfItsPartsTogether) {
  // 1 / (u + v + 0.2 * 49 + 0.2 * 36), at the start, where u + v is largest.
  auto const physics =
      make(two_fields().evolution<Reaction, AlongX, Across, 2>(),
           "time: {method: explicit_euler}\npair: {u: {initial: 2+x}, v: {initial: 3}}\n", test::unit_mesh({7, 6}));
  EXPECT_DOUBLE_EQ(physics->stable_step(), 1 / (2 + 6.5 / 7 + 3 + 0.2 * 49 + 0.2 * 36));
  EXPECT_EQ((SumOfRates<double, Reaction<double, 2>, AlongX<double, 2>>::shape.axes), 1);
}

TEST(SumOfRates, ShapesAreJoined) {
  using equation::joined;
  EXPECT_TRUE(joined(line<1, 0>, line<2, 1>).covers(line<2, 1>));
  EXPECT_TRUE(joined(line<1, 0>, line<2, 1>).covers(line<1, 0>));
  EXPECT_TRUE(joined(star<2, 2>, box<1, 2>).covers(star<2, 2>));
  EXPECT_TRUE(joined(star<2, 2>, box<1, 2>).covers(box<1, 2>));
  EXPECT_EQ(joined(point, star<1, 2>).radius, 1);
  EXPECT_EQ(joined(star<2, 3>, star<1, 3>).kind, ShapeKind::star);
}

/// d2u/dt2 = u_xx, with a bound that is half of the largest frequency …
template <class Real>
struct WaveOf {
  static constexpr Shape shape = star<1, 1>;
  static constexpr int order_in_time = 2;
  explicit WaveOf(Options const&) {}
  double scale = 1;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    return static_cast<Real>(scale) * at.laplacian(u);
  }
  template <class P, class U>
  KOKKOS_FUNCTION Real fastest(P const& at, U const&) const {
    return at.inverse_spacing(0);
  }
  KOKKOS_FUNCTION double inertia() const { return 1; }
  [[nodiscard]] WaveOf times(double factor) const {
    WaveOf scaled = *this;
    scaled.scale *= factor;
    return scaled;
  }
};
/// … and -9 u, whose frequency is 3.
template <class Real>
struct Mass {
  static constexpr Shape shape = point;
  static constexpr int order_in_time = 2;
  explicit Mass(Options const&) {}
  double square = 9;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return -static_cast<Real>(square) * u[here];
  }
  template <class P, class U>
  KOKKOS_FUNCTION Real fastest(P const&, U const&) const {
    return Real(1.5);
  }
  [[nodiscard]] Mass times(double factor) const {
    Mass scaled = *this;
    scaled.square *= factor;
    return scaled;
  }
};

// A standing wave of the Klein-Gordon equation: its frequency is the root of (2 pi)^2 + 9.
TEST(SumOfRates, OfSecondDerivativesInTimeKeepsTheEnergy) {
  Equations equations("kg", "Waves with a mass.");
  equations.second_order().field("u", "Displacement.").energy();
  PhysicsEntry const entry = equations.evolution<WaveOf, Mass>();
  auto const error = [&](Index cells) {
    auto const physics = make(entry,
                              "time: {courant: 0.5}\nkg: {u: {initial: 'cos(2*pi*x)', exact: "
                              "'cos(2*pi*x)*cos(t*sqrt(4*pi^2+9))'}}\n",
                              test::unit_mesh({cells}));
    EXPECT_DOUBLE_EQ(physics->stable_step(), 1 / std::sqrt(static_cast<double>(cells * cells) + 2.25));
    int const steps = static_cast<int>(2 * cells);
    run(*physics, 0.5, steps);
    double const energy = quantity(*physics, "energy");
    static_cast<void>(physics->advance({steps + 1, 0.5, 0.5 / steps}));
    EXPECT_NEAR(quantity(*physics, "energy"), energy, 1e-12 * energy);
    return quantity(*physics, "error_maximum(u)");
  };
  EXPECT_NEAR(std::log2(error(32) / error(64)), 2, 0.1);
}

/// mean(u) at time 1 of a diffusing cosine between insulated walls.
double mean_after(std::string const& method, int steps) {
  auto const physics = make(two_fields().evolution<Split, 1, 2, 3>(),
                            "time: {method: " + method +
                                "}\nsolver: {method: cg, cg: {relative_tolerance: 1e-13}}\npair:\n"
                                "  u: {initial: '2 + cos(pi*x)'}\n  v: {initial: '1 + cos(pi*x)*cos(2*pi*y)'}",
                            test::unit_mesh({24, 16}));
  run(*physics, 1, steps);
  return quantity(*physics, "mean(u)");
}

// The error of a method of order p falls by 2^p; with these steps the next term may be a quarter of it. The explicit
// method runs beyond its stable step and diverges.
TEST(Evolution, ImexMethodsHaveTheirOrderAndNoStepOfDiffusion) {
  double const best = mean_after("imex_ark3", 256);
  for (auto const& [method, order] : {std::pair{"imex_ars222", 2}, {"imex_ark3", 3}}) {
    double const coarse = std::abs(mean_after(method, 32) - best);
    double const fine = std::abs(mean_after(method, 64) - best);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25 * order) << method << ": " << coarse << ", " << fine;
    EXPECT_LT(fine, 1e-5);
  }
  EXPECT_FALSE(std::abs(mean_after("ssp_rk3", 32)) < 10);
}

TEST(Evolution, ReportsWhatWasDeclared) {
  auto const physics =
      make(two_fields().evolution<Whole, 1, 2, 3>(),
           "time: {method: ssp_rk2}\npair: {u: {initial: 'x'}, v: {initial: '2 - y'}}", test::unit_mesh({10, 20}));
  ASSERT_EQ(physics->fields().size(), 2u);
  EXPECT_EQ(physics->fields()[0]->name(), "u");
  EXPECT_EQ(physics->fields()[1]->name(), "v");
  EXPECT_NEAR(quantity(*physics, "mean(u)"), 0.5, 1e-15);
  EXPECT_NEAR(quantity(*physics, "minimum(u)"), 0.05, 1e-15);
  EXPECT_NEAR(quantity(*physics, "maximum(v)"), 1.975, 1e-15);
  EXPECT_NEAR(quantity(*physics, "integral(v)"), 1.5, 1e-14);
  EXPECT_EQ(physics->conserved(), std::vector<std::string>{"integral(v)"});
}

TEST(Evolution, IsNotClosedWhereWallsOrSourcesGiveSomething) {
  PhysicsEntry const entry = two_fields().evolution<Whole, 1, 2, 3>();
  for (std::string const v :
       {"{source: 1}", "{boundary: {west: {kind: dirichlet}}}", "{boundary: {east: {kind: neumann, value: 1}}}"}) {
    EXPECT_TRUE(make(entry, "pair: {v: " + v + "}", test::unit_mesh({10}))->conserved().empty()) << v;
  }
}

// 1 / (2 D sum of 1 / spacing^2) of explicit Euler, from the declared step, and again from the diffusivity.
TEST(Evolution, KnowsItsLongestStableStep) {
  auto const mesh = test::unit_mesh({10, 20});
  double const declared = 1 / (2 * 0.1 * (100 + 400));
  auto const whole = make(two_fields().evolution<Whole, 1, 2, 3>(), "time: {method: explicit_euler}\npair: {}", mesh);
  EXPECT_DOUBLE_EQ(whole->stable_step(), declared);
  auto const split = make(two_fields().evolution<Split, 1, 2, 3>(), "time: {method: explicit_euler}\npair: {}", mesh);
  EXPECT_DOUBLE_EQ(split->stable_step(), declared / 2);
}

TEST(Evolution, SinglePrecisionIsNearDouble) {
  PhysicsEntry const entry = two_fields().evolution<Whole, 1, 2, 3>();
  auto const mesh = test::unit_mesh({16, 13});
  std::string const deck = manufactured(2, "ssp_rk3", "dirichlet");
  auto const single = make(entry, deck, mesh, Precision::single);
  auto const twice = make(entry, deck, mesh);
  run(*single, 0.25, 100);
  run(*twice, 0.25, 100);
  // 300 stages, each of which rounds numbers of size up to 3 a few times.
  double const rounding = 300 * 4 * 3 * static_cast<double>(std::numeric_limits<float>::epsilon());
  EXPECT_NEAR(quantity(*single, "mean(u)"), quantity(*twice, "mean(u)"), rounding);
  EXPECT_NE(quantity(*single, "mean(u)"), quantity(*twice, "mean(u)"));
}

TEST(Equations, RefuseWhatIsNotDeclared) {
  Equations equations("pair", "Two fields.");
  equations.field("u", "One.");
  for (auto const& ask : std::vector<std::function<void()>>{
           [&] { equations.mean("w"); }, [&] { equations.conserves("w"); }, [&] { equations.maximum(""); }}) {
    EXPECT_THROW(ask(), InputError);
  }
}

}  // namespace
}  // namespace halocline
