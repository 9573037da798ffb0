#include "physics/equations/evolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
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
