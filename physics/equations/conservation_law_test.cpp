#include "physics/equations/conservation_law.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <halocline/physics.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "physics/equations/test_law.hpp"
#include "solvers/time/test_methods.hpp"

// What a law may have besides its flux and its waves: laws of one field and one axis, and one of three fields in a
// plane that has all of it.

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

/// Waves of speed 1 along x and 2 along y, with density 2, whose fields diffuse and whose momentum has a source that
/// reads neighbours up to two cells away on each side. In an unnamed namespace, nvcc would warn of members that nothing
/// reads for one axis.
template <class Real, int Axes>
struct Waves {
  static constexpr int fields = 3;
  static constexpr int vector = 1;
  static constexpr Shape source_shape = star<2, Axes>;
  using State = Values<Real, fields>;
  explicit Waves(Options const&) {}

  KOKKOS_FUNCTION State primitive(State const& u) const {
    return {{u.value[0], Real{0.5} * u.value[1], Real{0.5} * u.value[2]}};
  }
  KOKKOS_FUNCTION State conserved(State const& w) const { return {{w.value[0], 2 * w.value[1], 2 * w.value[2]}}; }
  KOKKOS_FUNCTION bool is_physical(State const& w) const { return w.value[0] - w.value[0] == 0; }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const&) const {
    return 1 + Axis;
  }
  template <int Axis>
  KOKKOS_FUNCTION State riemann_flux(State const& l, State const& r) const {
    constexpr int normal = 1 + Axis;
    Real const speed = 1 + Axis;
    State flux{};
    flux.value[0] = Real{0.5} * speed * ((l.value[normal] + r.value[normal]) - (r.value[0] - l.value[0]));
    flux.value[normal] = speed * ((l.value[0] + r.value[0]) - (r.value[normal] - l.value[normal]));
    return flux;
  }
  KOKKOS_FUNCTION State diffusivity() const { return {{Real{0.125}, Real{0.0625}, Real{0.03125}}}; }
  template <class P, class U, class V, class W>
  KOKKOS_FUNCTION State source(P const&, U const& p, V const& m_x, W const& m_y) const {
    return {{0, Real{0.25} * (p[along<0, -2>] + 2 * p[north] - 3 * m_x[along<0, 2>]),
             Real{0.25} * (m_y[along<1, -2>] - 2 * m_x[along<1, 2>] + 3 * p[west])}};
  }
};

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

template struct LawParts<Waves, 2>;

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

PhysicsEntry waves() {
  Equations equations("waves", "Waves in a plane.");
  equations.conserved_field("pressure", "Pressure.", {"pressure", "Pressure.", "1"});
  equations.balanced_field("momentum_x", "Momentum along x.", {"velocity_x", "Velocity along x.", "0"});
  equations.balanced_field("momentum_y", "Momentum along y.", {"velocity_y", "Velocity along y.", "0"});
  return equations.law<Waves, 2>();
}

/// A plane of cells of 1/8 by 1/4 for waves.
test::Domain plane(bool is_periodic, bool all_ranks, int blocks = 1) {
  return {.cells = {24, 20},
          .upper = {3, 5, 1},
          .periodic = {is_periodic, false, false},
          .all_ranks = all_ranks,
          .blocks = blocks};
}

/// The walls and the start of waves; all values are integers.
std::string start_of_waves(bool is_periodic) {
  std::string text = "boundary: {south: {kind: reflecting}, north: {kind: outflow}";
  if (!is_periodic) text += ", west: {kind: reflecting}, east: {kind: reflecting}";
  return text +
         "}, initial: {pressure: 'rint(4*sin(37*x + 11*y))', velocity_x: 'rint(3*cos(23*x - 19*y))', velocity_y: "
         "'rint(3*sin(29*x + 31*y))'}";
}

/// Donor cells and explicit Euler for Waves by loops over all cells of the plane, without ghosts. All values are
/// multiples of powers of two that need no rounding, so that the order of sums does not matter.
class LoopsOverThePlane {
 public:
  LoopsOverThePlane(test::LawRun const& start, bool is_periodic) : is_periodic_(is_periodic) {
    for (std::size_t n = 0; n < 3; ++n) fields_[n] = start.values(n);
  }
  void step(double size) {
    auto const before = *this;
    for (Index j = 0; j < y_cells; ++j) {
      for (Index i = 0; i < x_cells; ++i) {
        std::array<double, 3> const rate = before.rate(i, j);
        for (std::size_t n = 0; n < 3; ++n) fields_[n][static_cast<std::size_t>(i + x_cells * j)] += size * rate[n];
      }
    }
  }
  /// The value in a cell, or two cells beyond the ends of one axis: of the periodic image, of the mirror image with
  /// the normal momentum reversed, or in the north of the last cell.
  [[nodiscard]] double at(std::size_t field, Index i, Index j) const {
    double sign = 1;
    if (is_periodic_) {
      i = (i + x_cells) % x_cells;
    } else if (i < 0 || i >= x_cells) {
      i = i < 0 ? -1 - i : 2 * x_cells - 1 - i;
      if (field == 1) sign = -1;
    }
    if (j < 0) {
      j = -1 - j;
      if (field == 2) sign = -1;
    } else if (j >= y_cells) {
      j = y_cells - 1;
    }
    return sign * fields_[field][static_cast<std::size_t>(i + x_cells * j)];
  }

 private:
  static constexpr Index x_cells = 24;
  static constexpr Index y_cells = 20;
  using State = std::array<double, 3>;

  /// The flux from the west of a cell …
  [[nodiscard]] State from_west(Index i, Index j) const {
    double const p_l = at(0, i - 1, j);
    double const p_r = at(0, i, j);
    double const v_l = at(1, i - 1, j) / 2;
    double const v_r = at(1, i, j) / 2;
    return {(v_l + v_r - p_r + p_l) / 2, p_l + p_r - v_r + v_l, 0};
  }
  /// … and from the south, where waves are twice as fast.
  [[nodiscard]] State from_south(Index i, Index j) const {
    double const p_l = at(0, i, j - 1);
    double const p_r = at(0, i, j);
    double const v_l = at(2, i, j - 1) / 2;
    double const v_r = at(2, i, j) / 2;
    return {v_l + v_r - p_r + p_l, 0, 2 * (p_l + p_r - v_r + v_l)};
  }
  [[nodiscard]] State rate(Index i, Index j) const {
    State const west_flux = from_west(i, j);
    State const east_flux = from_west(i + 1, j);
    State const south_flux = from_south(i, j);
    State const north_flux = from_south(i, j + 1);
    State const diffusivity{0.125, 0.0625, 0.03125};
    State const source{0, (at(0, i - 2, j) + 2 * at(0, i, j + 1) - 3 * at(1, i + 2, j)) / 4,
                       (at(2, i, j - 2) - 2 * at(1, i, j + 2) + 3 * at(0, i - 1, j)) / 4};
    State sum{};
    for (std::size_t n = 0; n < 3; ++n) {
      double const along_x = 64 * (at(n, i + 1, j) - 2 * at(n, i, j) + at(n, i - 1, j));
      double const along_y = 16 * (at(n, i, j + 1) - 2 * at(n, i, j) + at(n, i, j - 1));
      sum[n] = 8 * (west_flux[n] - east_flux[n]) + 4 * (south_flux[n] - north_flux[n]) +
               diffusivity[n] * (along_x + along_y) + source[n];
    }
    return sum;
  }

  bool is_periodic_;
  std::array<std::vector<double>, 3> fields_;
};

template <class Real>
void expect_values_of_loops(test::LawRun const& run, LoopsOverThePlane const& loops, std::string const& trace) {
  for (std::size_t field = 0; field < 3; ++field) {
    std::vector<Real> const mine = run.values<Real>(field);
    std::size_t n = 0;
    for (Block const& block : run.mesh().blocks()) {
      for (Index j = block.cells.begin[1]; j < block.cells.end[1]; ++j) {
        for (Index i = block.cells.begin[0]; i < block.cells.end[0]; ++i) {
          ASSERT_EQ(static_cast<double>(mine[n++]), loops.at(field, i, j)) << trace << field << " " << i << " " << j;
        }
      }
    }
    ASSERT_EQ(n, mine.size());
  }
}

/// \param steps few enough for all values to fit the precision
template <class Real>
void expect_waves_of_loops(Precision precision, int steps) {
  for (bool const is_periodic : {false, true}) {
    std::string const options = "reconstruction: donor_cell, " + start_of_waves(is_periodic);
    LoopsOverThePlane loops(test::LawRun(waves(), options, plane(is_periodic, false), "explicit_euler"), is_periodic);
    std::vector<std::unique_ptr<test::LawRun>> runs;
    for (int const blocks : {1, 3}) {
      runs.push_back(std::make_unique<test::LawRun>(waves(), options, plane(is_periodic, true, blocks),
                                                    "explicit_euler", precision));
    }
    if (test::communicator().size() == 4) {
      EXPECT_EQ(runs.front()->mesh().partition().grid(), (ProcessGrid{2, 2, 1})) << "both axes should be cut";
    }
    std::string const when = is_periodic ? " periodic " : " walls ";
    for (int n = 0; n < steps; ++n) {
      loops.step(1.0 / 64);
      for (auto const& run : runs) {
        run->step(1.0 / 64);
        expect_values_of_loops<Real>(*run, loops, std::to_string(n) + when);
      }
    }
  }
}

// The neighbours of a source lie beyond walls and on other ranks, too.
TEST(ConservationLaw, FluxDiffusionAndNeighboursOfALawAddUp) { expect_waves_of_loops<double>(Precision::double_, 4); }

TEST(ConservationLaw, TheyAddUpInSinglePrecisionToo) { expect_waves_of_loops<float>(Precision::single, 2); }

TEST(ConservationLaw, TheStableStepInAPlaneAddsUpBothAxes) {
  test::LawRun const run(waves(), start_of_waves(false), plane(false, true), "ssp_rk2");
  // Speed over spacing along both axes, and diffusion by the largest diffusivity.
  EXPECT_NEAR(run.physics().stable_step(), 1 / (1 * 8 + 2 * 4 + 2 * 0.125 * (8 * 8 + 4 * 4)), 1e-16);
}

TEST(ConservationLaw, RanksDoNotChangeABitOfWaves) {
  for (std::string const scheme : {"", "limiter: mc, ", "reconstruction: weno5, "}) {
    for (bool const is_periodic : {false, true}) {
      std::string const options = scheme + start_of_waves(is_periodic);
      test::LawRun alone(waves(), options, plane(is_periodic, false), "ssp_rk3");
      test::LawRun together(waves(), options, plane(is_periodic, true), "ssp_rk3");
      for (int n = 0; n < 10; ++n) {
        alone.step(0.02);
        together.step(0.02);
      }
      test::expect_same_bits(together, alone, scheme + (is_periodic ? "periodic " : "walls "));
    }
  }
}

TEST(ConservationLaw, NarrowBlocksHaveTheBitsOfWideOnes) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const scheme : {"", "reconstruction: weno5, "}) {
    auto const make = [&](test::Domain const& domain) {
      return test::LawRun(waves(), scheme + start_of_waves(true), domain, "ssp_rk2");
    };
    test::expect_bits_of_narrow_blocks(make, 2, scheme);
  }
}

TEST(ConservationLaw, NothingDiffusesThroughReflectingWalls) {
  std::string const walls =
      "boundary: {west: {kind: reflecting}, east: {kind: reflecting}, south: {kind: reflecting}, north: {kind: "
      "reflecting}}, initial: {pressure: '1 + x*(y < 1)', velocity_x: 'sin(3*x + y)', velocity_y: 'cos(x - 2*y)'}";
  for (std::string const scheme : {"reconstruction: donor_cell, ", "", "reconstruction: weno5, "}) {
    test::LawRun run(waves(), scheme + walls, plane(false, true), "ssp_rk3");
    EXPECT_EQ(run.physics().conserved(), (std::vector<std::string>{"integral(pressure)"})) << scheme;
    double const before = run.quantity("integral(pressure)");
    run.run(0.5);
    // One rounding a stage of values up to 6; they add up as a random walk.
    EXPECT_NEAR(run.quantity("integral(pressure)"), before, 1e-13) << scheme;
  }
}

// The diffusion of a law is no part that a method could solve for.
TEST(ConservationLaw, MethodsThatSolveAreRefusedWhereALawDiffuses) {
  std::string const advice =
      " (deck:1:16); use one of bogacki_shampine, dormand_prince, explicit_euler, rk4, ssp_rk2, ssp_rk3, or leave it "
      "out";
  RateParts const parts = waves().rate_parts;
  std::string const solves = " solves linear systems, and the physics declares none (`rate_parts`)";
  for (std::string const method : {"imex_ars222", "imex_ark3", "sdirk2"}) {
    std::string expected = "`time.method`: ";
    expected.append(method).append(solves).append(advice);
    EXPECT_EQ(mistakes_of_method(method, parts), expected);
  }
  EXPECT_EQ(mistakes_of_method("rkl2", parts),
            "`time.method`: rkl2 is stable for diffusion, but not for waves" + advice);
  EXPECT_EQ(mistakes_of_method("ssp_rk3", parts), "");
}

}  // namespace
}  // namespace halocline
