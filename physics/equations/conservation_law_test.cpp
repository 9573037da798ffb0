#include "physics/equations/conservation_law.hpp"

#include <array>
#include <cmath>
#include <halocline/physics.hpp>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "physics/equations/test_law.hpp"

// What a law may have besides its flux and its waves. These laws have one field and one axis.

namespace halocline {
namespace {

struct OneVector {
  static constexpr int fields = 4;
  static constexpr int vector = 2;
};
struct TwoVectors {
  static constexpr int fields = 8;
  static constexpr std::array vector{2, 5};
};
struct AlternatingVectors {
  static constexpr int fields = 6;
  static constexpr std::array<std::array<int, 2>, 2> vector{{{2, 4}, {3, 5}}};
};
struct NoVector {
  static constexpr int fields = 3;
};

TEST(ConservationLaw, AVectorIsAnIndexOrAList) {
  using Fields = std::array<unsigned, 3>;
  EXPECT_EQ((equation::reversed_fields<OneVector, 2>()), (Fields{0b0100, 0b1000, 0}));
  EXPECT_EQ((equation::reversed_fields<TwoVectors, 3>()), (Fields{0b00100100, 0b01001000, 0b10010000}));
  EXPECT_EQ((equation::reversed_fields<TwoVectors, 1>()), (Fields{0b00100100, 0, 0}));
  EXPECT_EQ((equation::reversed_fields<AlternatingVectors, 2>()), (Fields{0b001100, 0b110000, 0}));
  EXPECT_EQ((equation::reversed_fields<NoVector, 3>()), (Fields{0, 0, 0}));
}

/// du/dt + d(u^2/2)/dx = 0 with Godunov's flux, the exact one.
template <class Real, int Axes>
struct Godunov {
  static constexpr int fields = 1;
  using State = Values<Real, fields>;
  explicit Godunov(Options const&) {}

  KOKKOS_FUNCTION State primitive(State const& u) const { return u; }
  KOKKOS_FUNCTION State conserved(State const& w) const { return w; }
  KOKKOS_FUNCTION bool is_physical(State const& w) const { return w.value[0] - w.value[0] == 0; }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const& w) const {
    return select(w.value[0] < 0, -w.value[0], w.value[0]);
  }
  template <int Axis>
  KOKKOS_FUNCTION State riemann_flux(State const& l, State const& r) const {
    // The upwind value from each side, zero if the wind blows away from the face.
    Real const a = select(l.value[0] > 0, l.value[0], Real{0});
    Real const b = select(r.value[0] < 0, r.value[0], Real{0});
    return {{Real{0.5} * select(a * a > b * b, a * a, b * b)}};
  }
};

/// du/dt + du/dx = D d2u/dx2
template <class Real, int Axes>
struct Diffusing {
  static constexpr int fields = 1;
  using State = Values<Real, fields>;
  Real D;
  explicit Diffusing(Options const& own) : D(static_cast<Real>(own.real("D"))) {}

  KOKKOS_FUNCTION State primitive(State const& u) const { return u; }
  KOKKOS_FUNCTION State conserved(State const& w) const { return w; }
  KOKKOS_FUNCTION bool is_physical(State const& w) const { return w.value[0] - w.value[0] == 0; }
  template <int Axis>
  KOKKOS_FUNCTION State flux(State const&, State const& u) const {
    return u;
  }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const&) const {
    return 1;
  }
  template <int Axis>
  KOKKOS_FUNCTION WaveBounds<Real> bounds(State const&, State const&) const {
    return {-1, 1};
  }
  KOKKOS_FUNCTION State diffusivity() const { return {{D}}; }
};

/// The same equation, whose diffusion is a source.
template <class Real, int Axes>
struct Neighbouring {
  static constexpr int fields = 1;
  static constexpr Shape source_shape = star<1, Axes>;
  using State = Values<Real, fields>;
  Diffusing<Real, Axes> law;
  explicit Neighbouring(Options const& own) : law(own) {}

  KOKKOS_FUNCTION State primitive(State const& u) const { return u; }
  KOKKOS_FUNCTION State conserved(State const& w) const { return w; }
  KOKKOS_FUNCTION bool is_physical(State const& w) const { return law.is_physical(w); }
  template <int Axis>
  KOKKOS_FUNCTION State flux(State const& w, State const& u) const {
    return law.template flux<Axis>(w, u);
  }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const& w) const {
    return law.template speed<Axis>(w);
  }
  template <int Axis>
  KOKKOS_FUNCTION WaveBounds<Real> bounds(State const& l, State const& r) const {
    return law.template bounds<Axis>(l, r);
  }
  template <class P, class U>
  KOKKOS_FUNCTION State source(P const& at, U const& u) const {
    Real const width = 1 / at.inverse_spacing(0);
    return {{law.D * ((u[east] - u[here]) - (u[here] - u[west])) / (width * width)}};
  }
};

}  // namespace

// Compiled for double alone.
#define HALOCLINE_LAW_IN_DOUBLE(Law)                                                                             \
  template <>                                                                                                    \
  StagesOfLaw<float> LawParts<Law, 1>::make_single(Options const&, std::shared_ptr<StructuredMesh const> const&, \
                                                   LawWalls const&) {                                            \
    throw DefectError("a law for tests was compiled for double alone");                                          \
  }                                                                                                              \
  template struct LawParts<Law, 1>
HALOCLINE_LAW_IN_DOUBLE(Godunov);
HALOCLINE_LAW_IN_DOUBLE(Diffusing);
HALOCLINE_LAW_IN_DOUBLE(Neighbouring);

namespace {

template <template <class, int> class Law>
PhysicsEntry law_of_one_field() {
  Equations equations("law", "A law of one field.");
  equations.options().real("D", "Diffusivity.").at_least(0).defaults_to(0);
  equations.conserved_field("u", "What is conserved.", {"u", "What is conserved.", "0"});
  return equations.law<Law, 1>();
}

test::LawRun run_of(PhysicsEntry const& entry, std::string const& options, Index cells, std::string const& method) {
  return {entry, options, {.cells = {cells}, .periodic = {true, false, false}}, method};
}

TEST(ConservationLaw, ALawMayHaveItsOwnFlux) {
  HALOCLINE_TEST_OF_ONE_RANK();
  // A rarefaction at 0.5 with a state at rest on its face, and a shock at the periodic end.
  auto run = run_of(law_of_one_field<Godunov>(), "reconstruction: donor_cell, initial: {u: 'x < 0.5 ? -1 : 2'}", 4,
                    "explicit_euler");
  run.step(0.0625);
  // Fluxes: 1/2 between -1 and -1, 0 in the rarefaction, 2 between 2 and 2 and at the shock; step over width is 1/4.
  EXPECT_EQ(run.values(0), (std::vector<double>{-1 + (2 - 0.5) / 4, -1 + 0.5 / 4, 2 - 2.0 / 4, 2}));
  // Such a law needs no `bounds`, and decks choose no other solver.
  EXPECT_THROW(run_of(law_of_one_field<Godunov>(), "riemann: hll", 16, "ssp_rk2"), InputError);
  // A shock between 2 and 0 moves at speed 1 with every reconstruction.
  for (std::string const scheme : {"plm", "weno5"}) {
    auto moving = run_of(law_of_one_field<Godunov>(),
                         "reconstruction: " + scheme + ", initial: {u: 'x > 0.1 && x < 0.4 ? 2 : 0'}", 100, "ssp_rk3");
    moving.run(0.1);
    EXPECT_GT(moving.values(0)[47], 1.5) << scheme;
    EXPECT_LT(moving.values(0)[52], 0.1) << scheme;
  }
}

/// L1 error of a wave that moves by one period of its own and decays.
double wave_error(Index cells, std::string const& scheme, double courant) {
  auto run =
      run_of(law_of_one_field<Diffusing>(),
             scheme + "D: 0.02, initial: {u: 'sin(2*pi*x)'}, u: {exact: 'exp(-0.02*(2*pi)^2*t)*sin(2*pi*(x - t))'}",
             cells, "ssp_rk3");
  run.run(1, courant);
  return run.quantity("error_1(u)");
}

TEST(ConservationLaw, AFieldMayDiffuse) {
  // Diffusion is of second order with each reconstruction.
  for (std::string const scheme : {"limiter: mc, ", "reconstruction: weno5, "}) {
    double const coarse = wave_error(32, scheme, 0.8);
    double const fine = wave_error(64, scheme, 0.8);
    EXPECT_GE(std::log2(coarse / fine), 1.8) << scheme << coarse << " " << fine;
    // The slopes delay the wave by (2 pi)^3 / 12 / 64^2 of its phase, WENO5 by far less; exp(-0.79) of it is left.
    EXPECT_LT(fine, 2e-3) << scheme;
  }
  // The inverse steps of both add up: speed / width + 2 D / width^2.
  auto const run = run_of(law_of_one_field<Diffusing>(), "D: 0.25", 64, "ssp_rk2");
  EXPECT_NEAR(run.physics().stable_step(), 1 / (64 + 2 * 0.25 * 64 * 64), 1e-15);
}

TEST(ConservationLaw, ASourceMayReadNeighbours) {
  std::string const options = "D: 0.02, initial: {u: 'sin(2*pi*x) + x*(x < 0.5)'}";
  auto diffusing = run_of(law_of_one_field<Diffusing>(), options, 64, "ssp_rk2");
  auto neighbouring = run_of(law_of_one_field<Neighbouring>(), options, 64, "ssp_rk2");
  for (int n = 0; n < 50; ++n) {
    diffusing.step(0.002);
    neighbouring.step(0.002);
  }
  // Both differ by rounding: 100 stages of 64^2 D step = 0.16 times 1e-16.
  std::vector<double> const expected = diffusing.values(0);
  std::vector<double> const found = neighbouring.values(0);
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-13) << n;
}

}  // namespace
}  // namespace halocline
