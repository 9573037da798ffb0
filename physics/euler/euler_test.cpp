#include "physics/euler/euler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "framework/runtime/error.hpp"
#include "physics/equations/test_law.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

constexpr double gas = 1.4;

using test::Domain;

/// A run of a deck; `options` is the content of the physics' section.
class Flow : public test::LawRun {
 public:
  Flow(std::string const& options, Domain const& domain, std::string const& method = "ssp_rk2",
       Precision precision = Precision::double_)
      : LawRun(euler_physics(), options, domain, method, precision) {}
};

struct State {
  double density, velocity, pressure;
};

/// The exact solution of the Riemann problem for an ideal gas (Toro, chapter 4).
class ExactRiemann {
 public:
  ExactRiemann(State const& left, State const& right) : left_(left), right_(right) {
    pressure = 0.5 * (left.pressure + right.pressure);
    for (int n = 0; n < 100; ++n) {
      auto const [f_left, slope_left] = side(left_);
      auto const [f_right, slope_right] = side(right_);
      pressure =
          std::max(1e-12, pressure - (f_left + f_right + right.velocity - left.velocity) / (slope_left + slope_right));
    }
    velocity = 0.5 * (left.velocity + right.velocity) + 0.5 * (side(right_)[0] - side(left_)[0]);
  }
  /// The state at x / t = speed.
  [[nodiscard]] State operator()(double speed) const {
    if (speed <= velocity) return sample(left_, speed, 1);
    return sample(right_, speed, -1);
  }

  double pressure, velocity;

 private:
  static double sound(State const& w) { return std::sqrt(gas * w.pressure / w.density); }
  [[nodiscard]] std::array<double, 2> side(State const& w) const {
    if (pressure > w.pressure) {
      double const a = 2 / ((gas + 1) * w.density);
      double const b = (gas - 1) / (gas + 1) * w.pressure;
      double const root = std::sqrt(a / (pressure + b));
      return {(pressure - w.pressure) * root, root * (1 - (pressure - w.pressure) / (2 * (pressure + b)))};
    }
    double const ratio = pressure / w.pressure;
    return {2 * sound(w) / (gas - 1) * (std::pow(ratio, (gas - 1) / (2 * gas)) - 1),
            std::pow(ratio, -(gas + 1) / (2 * gas)) / (w.density * sound(w))};
  }
  /// \param way 1 for the left side, -1 for the right side, which is the mirror image
  [[nodiscard]] State sample(State const& w, double speed, double way) const {
    double const ratio = pressure / w.pressure;
    double const c = sound(w);
    double const s = way * speed;
    double const u = way * w.velocity;
    if (pressure > w.pressure) {
      double const shock = u - c * std::sqrt((gas + 1) / (2 * gas) * ratio + (gas - 1) / (2 * gas));
      if (s < shock) return w;
      double const q = (gas - 1) / (gas + 1);
      return {w.density * (ratio + q) / (q * ratio + 1), velocity, pressure};
    }
    double const c_star = c * std::pow(ratio, (gas - 1) / (2 * gas));
    if (s < u - c) return w;
    if (s > way * velocity - c_star) return {w.density * std::pow(ratio, 1 / gas), velocity, pressure};
    double const inside = 2 / (gas + 1) + (gas - 1) / ((gas + 1) * c) * (u - s);
    return {w.density * std::pow(inside, 2 / (gas - 1)), way * 2 / (gas + 1) * (c + (gas - 1) / 2 * u + s),
            w.pressure * std::pow(inside, 2 * gas / (gas - 1))};
  }

  State left_, right_;
};

ExactRiemann const sod_exact({1, 0, 1}, {0.125, 0, 0.1});
constexpr double sod_end = 0.2;

std::string sod(std::string const& along, std::string const& more = "") {
  return more + "initial: {density: '" + along + " < 0.5 ? 1 : 0.125', pressure: '" + along + " < 0.5 ? 1 : 0.1'}";
}

/// Mean |density - exact| of Sod's tube along x, on a separate mesh on each rank.
double sod_error(Flow const& flow) {
  std::vector<double> const density = flow.values(0);
  double sum = 0;
  auto const cells = static_cast<double>(density.size());
  for (std::size_t i = 0; i < density.size(); ++i) {
    double const x = (static_cast<double>(i) + 0.5) / cells;
    sum += std::abs(density[i] - sod_exact((x - 0.5) / sod_end).density) / cells;
  }
  return sum;
}
double sod_error(Index cells, std::string const& options, std::string const& method = "ssp_rk2") {
  Flow flow(sod("x", options), {.cells = {cells}, .all_ranks = false}, method);
  flow.run(sod_end);
  return sod_error(flow);
}

TEST(Euler, TheExactSolverFindsSodsStarState) {
  EXPECT_NEAR(sod_exact.pressure, 0.3031301781, 1e-9);
  EXPECT_NEAR(sod_exact.velocity, 0.9274526200, 1e-9);
}

TEST(Euler, SodsStarStateIsFound) {
  HALOCLINE_TEST_OF_ONE_RANK();
  Flow flow(sod("x", "reconstruction: plm, riemann: hllc, "), {.cells = {400}, .all_ranks = false});
  flow.run(sod_end);
  // Speeds between the tail of the rarefaction, -0.0703, and the contact, 0.9275; and between that and the shock,
  // 1.7522.
  for (double const speed : {0.5, 1.4}) {
    auto const i = static_cast<std::size_t>((0.5 + speed * sod_end) * 400);
    double const density = flow.values(0)[i];
    double const velocity = flow.values(2)[i] / density;
    double const pressure = (gas - 1) * (flow.values(1)[i] - 0.5 * density * velocity * velocity);
    EXPECT_NEAR(density, sod_exact(speed).density, 0.01 * sod_exact(speed).density);
    EXPECT_NEAR(velocity, 0.9274526200, 0.0093);
    EXPECT_NEAR(pressure, 0.3031301781, 0.0030);
  }
}

// At smeared contacts a second-order scheme converges with order two thirds, at shocks with order one.
TEST(Euler, SodConvergesAtTheOrderOfShocks) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::vector<double> errors;
  for (Index const cells : {100, 200, 400, 800}) errors.push_back(sod_error(cells, "limiter: mc, "));
  // The fitted slope of four equidistant points.
  double const slope = (3 * std::log2(errors[0] / errors[3]) + std::log2(errors[1] / errors[2])) / 10;
  EXPECT_GE(slope, 0.8) << errors[0] << " " << errors[1] << " " << errors[2] << " " << errors[3];
}

TEST(Euler, AllSchemesRunSod) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (auto const& [reconstruction, worst] : {std::pair{"reconstruction: donor_cell", 0.030},
                                              {"limiter: minmod", 0.012},
                                              {"limiter: mc", 0.009},
                                              {"limiter: van_leer", 0.009},
                                              {"limiter: superbee", 0.009},
                                              {"reconstruction: weno5", 0.010}}) {
    for (std::string const riemann : {"rusanov", "hll", "hllc"}) {
      std::string const options = std::string(reconstruction) + ", riemann: " + riemann + ", ";
      double const error = sod_error(100, options, "ssp_rk3");
      EXPECT_LT(error, worst) << options;
      EXPECT_GT(error, 0.002) << options;
    }
  }
}

// No scheme creates new extrema, except for the small overshoots of WENO.
TEST(Euler, SodStaysWithoutOscillations) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const scheme : {"limiter: mc, ", "limiter: van_leer, ", "reconstruction: weno5, "}) {
    Flow flow(sod("x", scheme), {.cells = {200}, .all_ranks = false}, "ssp_rk3");
    flow.run(sod_end);
    EXPECT_LT(flow.quantity("maximum(density)"), 1 + 1e-3) << scheme;
    EXPECT_GT(flow.quantity("minimum(density)"), 0.125 - 1e-3) << scheme;
    // The total variation is that of the exact solution, which falls from 1 to 0.125, plus the overshoots.
    std::vector<double> const density = flow.values(0);
    double variation = 0;
    for (std::size_t i = 1; i < density.size(); ++i) variation += std::abs(density[i] - density[i - 1]);
    EXPECT_LT(variation, 0.875 + 0.02) << scheme;
  }
}

/// L1 error of a density wave after one period.
double wave_error(Index cells, std::string const& options, std::string const& method, double courant) {
  Flow flow(options +
                "initial: {density: '1 + 0.2*sin(2*pi*x)', velocity_x: 1, pressure: 1}, "
                "density: {exact: '1 + 0.2*sin(2*pi*(x - t))'}",
            {.cells = {cells}, .periodic = {true, false, false}}, method);
  flow.run(1, courant);
  return flow.quantity("error_1(density)");
}

TEST(Euler, SmoothWavesHaveTheOrderOfTheScheme) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const limiter : {"van_leer", "mc"}) {
    std::string const options = "limiter: " + limiter + ", ";
    double const coarse = wave_error(128, options, "ssp_rk2", 0.5);
    double const fine = wave_error(256, options, "ssp_rk2", 0.5);
    EXPECT_GE(std::log2(coarse / fine), 1.8) << limiter << " " << coarse << " " << fine;
  }
  double const coarse = wave_error(128, "reconstruction: weno5, ", "ssp_rk3", 0.5);
  double const fine = wave_error(256, "reconstruction: weno5, ", "ssp_rk3", 0.5);
  EXPECT_GE(std::log2(coarse / fine), 2.8) << coarse << " " << fine;
}

/// L1 error of density of a sound wave that moves left or right, after one period.
double sound_error(int way, std::string const& scheme) {
  std::string const sign = way > 0 ? "" : "-";
  std::string const wave = "1e-3*sin(2*pi*x)";
  std::string const exact = "1 + 1e-3*sin(2*pi*(x - " + sign + "sqrt(1.4)*t))";
  Flow flow(scheme + "initial: {density: '1 + " + wave + "', velocity_x: '" + sign + "sqrt(1.4)*" + wave +
                "', pressure: '1 + 1.4*" + wave + "'}, density: {exact: '" + exact + "'}",
            {.cells = {64}, .periodic = {true, false, false}});
  flow.run(0.5 / std::sqrt(gas));
  return flow.quantity("error_1(density)");
}

// Superbee steepens waves: contacts stay sharp, and the crests of smooth waves are flattened.
TEST(Euler, SuperbeeKeepsContactsSharp) {
  HALOCLINE_TEST_OF_ONE_RANK();
  auto const contact = [](std::string const& limiter) {
    std::string const density = "initial: {density: 'abs(x - 0.5) < 0.25 ? 2 : 1', velocity_x: 1}, density: {exact: ";
    Flow flow("limiter: " + limiter + ", " + density + "'abs(x - 0.5) < 0.25 ? 2 : 1'}",
              {.cells = {100}, .periodic = {true, false, false}});
    flow.run(1, 0.5);
    return flow.quantity("error_1(density)");
  };
  EXPECT_LT(contact("superbee"), 0.6 * contact("mc"));
  double const coarse = wave_error(128, "limiter: superbee, ", "ssp_rk2", 0.5);
  double const fine = wave_error(256, "limiter: superbee, ", "ssp_rk2", 0.5);
  EXPECT_GE(std::log2(coarse / fine), 1.4) << coarse << " " << fine;
}

TEST(Euler, SoundHasNoPreferredDirection) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const scheme : {"limiter: mc, riemann: hll, ", "riemann: hllc, ", "reconstruction: weno5, "}) {
    double const right = sound_error(1, scheme);
    EXPECT_LT(right, 1e-4) << scheme;
    EXPECT_NEAR(sound_error(-1, scheme), right, 1e-14) << scheme;
  }
}

TEST(Euler, MirroredDataHaveTheMirroredSolution) {
  HALOCLINE_TEST_OF_ONE_RANK();
  Index const cells = 60;
  for (std::string const scheme : {"limiter: mc, riemann: hllc, ", "riemann: hll, ", "reconstruction: weno5, "}) {
    std::vector<std::vector<double>> of_side;
    for (std::string const x : {"x", "(1-x)"}) {
      std::string const sign = x == "x" ? "" : "-";
      std::string const walls = x == "x" ? "west: {kind: reflecting}" : "east: {kind: reflecting}";
      std::string text = scheme;
      text.append("boundary: {").append(walls).append("}, initial: {density: '").append(x);
      text.append(" < 0.4 ? 1 : 0.5', velocity_x: '").append(sign).append("0.3', pressure: '").append(x);
      text.append(" < 0.4 ? 2 : 0.1'}");
      Flow flow(text, {.cells = {cells}, .all_ranks = false});
      flow.run(0.3);
      of_side.push_back(flow.values(0));
    }
    std::reverse(of_side[1].begin(), of_side[1].end());
    for (std::size_t i = 0; i < of_side[0].size(); ++i) ASSERT_NEAR(of_side[0][i], of_side[1][i], 1e-12) << scheme << i;
  }
}

TEST(Euler, TheAxesAreAlike) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::vector<std::vector<double>> densities;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<Index> cells(3, 2);
    cells[axis] = 64;
    Flow flow(sod(std::string(1, "xyz"[axis])), {.cells = cells, .all_ranks = false});
    for (int n = 0; n < 20; ++n) flow.step(0.3 / 64);
    std::vector<double> const all = flow.values(0);
    std::size_t const stride = axis == 0 ? 1 : axis == 1 ? 2 : 4;
    std::vector<double>& line = densities.emplace_back();
    for (std::size_t i = 0; i < 64; ++i) line.push_back(all[i * stride]);
  }
  Flow flow(sod("x"), {.cells = {64}, .all_ranks = false});
  for (int n = 0; n < 20; ++n) flow.step(0.3 / 64);
  densities.push_back(flow.values(0));
  for (std::size_t axis = 1; axis < 4; ++axis) {
    for (std::size_t i = 0; i < 64; ++i) ASSERT_NEAR(densities[axis][i], densities[0][i], 1e-13) << axis << " " << i;
  }
}

std::string const vortices =
    "initial: {density: '1 + 0.5*sin(2*pi*x)*cos(2*pi*y)', velocity_x: '0.4*sin(2*pi*y)', velocity_y: "
    "'0.3*cos(4*pi*x)', pressure: '1 + 0.2*cos(2*pi*x)'}";

TEST(Euler, WhatIsConservedChangesByRoundingAlone) {
  for (std::string const walls : {"", "boundary: {south: {kind: reflecting}, north: {kind: reflecting}}, "}) {
    for (std::string const scheme : {"", "reconstruction: weno5, "}) {
      std::string text = scheme;
      text.append(walls).append(vortices);
      Flow flow(text, {.cells = {32, 24}, .periodic = {true, walls.empty(), false}});
      std::vector<std::string> const conserved = flow.physics().conserved();
      EXPECT_EQ(conserved.size(), walls.empty() ? 4u : 3u);
      std::vector<double> before;
      for (std::string const& name : conserved) before.push_back(flow.quantity(name));
      flow.run(0.1);
      // One rounding per stage of numbers up to 4; they add up as a random walk.
      for (std::size_t n = 0; n < conserved.size(); ++n) {
        EXPECT_NEAR(flow.quantity(conserved[n]), before[n], 1e-13) << conserved[n] << " " << walls << scheme;
      }
    }
  }
  EXPECT_TRUE(Flow(sod("x"), {.cells = {32}}).physics().conserved().empty());
}

TEST(Euler, RanksDoNotChangeABit) {
  for (std::string const scheme : {"", "limiter: mc, riemann: hll, ", "reconstruction: weno5, "}) {
    std::string options = scheme;
    options.append("boundary: {south: {kind: reflecting}, north: {kind: outflow}}, ").append(vortices);
    Flow alone(options, {.cells = {32, 24}, .periodic = {true, false, false}, .all_ranks = false});
    Flow together(options, {.cells = {32, 24}, .periodic = {true, false, false}});
    for (int n = 0; n < 10; ++n) {
      alone.step(0.004);
      together.step(0.004);
    }
    test::expect_same_bits(together, alone, scheme);
  }
}

TEST(Euler, NarrowBlocksHaveTheBitsOfWideOnes) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const scheme : {"", "limiter: mc, riemann: rusanov, ", "reconstruction: weno5, riemann: hll, "}) {
    for (std::size_t const axes : {2UL, 3UL}) {
      std::string options = scheme;
      options.append("boundary: {south: {kind: reflecting}}, density: {source: '0.1*x*y'}, ").append(vortices);
      auto const make = [&](Domain const& domain) { return Flow(options, domain); };
      test::expect_bits_of_narrow_blocks(make, axes, scheme);
    }
  }
}

// E = alpha r^5 rho / t^2 with alpha 0.851072 for gamma 1.4 for a spherical blast, 0.984041 for a cylindrical one (Kamm
// & Timmes, "On efficient generation of numerically robust Sedov solutions", LA-UR-07-2849; Sedov, 1959).
TEST(Euler, TheBlastWaveIsWhereSedovsIs) {
  HALOCLINE_TEST_OF_ONE_RANK();
  Index const cells = 64;
  double const width = 1.2 / static_cast<double>(cells);
  // A quarter of the plane: a quarter of the energy 1 is in the cells within two widths of the corner.
  double area = 0;
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) area += width * width;
  }
  std::string const energy = std::to_string((gas - 1) * 0.25 / area);
  std::string const inside = std::to_string(2 * width);
  Flow flow("boundary: {west: {kind: reflecting}, south: {kind: reflecting}}, initial: {density: 1, pressure: '(x < " +
                inside + " && y < " + inside + ") ? " + energy + " : 1e-5'}",
            {.cells = {cells, cells}, .upper = {1.2, 1.2, 1}, .all_ranks = false});
  double const end = 0.6;
  flow.run(end);
  double const radius = std::pow(1 / 0.984041, 0.25) * std::sqrt(end);
  std::vector<double> const density = flow.values(0);
  auto const at = [&](Index i, Index j) { return density[static_cast<std::size_t>(i + cells * j)]; };
  // The front is where the density, which jumps to 6, reaches half of that, coming from outside: along an axis and a
  // diagonal.
  for (bool const diagonal : {false, true}) {
    double const step = diagonal ? std::sqrt(2) * width : width;
    Index i = cells - 1;
    while (i > 0 && at(i, diagonal ? i : 0) < 2.0) --i;
    EXPECT_NEAR((static_cast<double>(i) + 0.5) * step, radius, 2 * width) << diagonal;
  }
  for (Index i = 0; i < cells; ++i) {
    for (Index j = 0; j < i; ++j) ASSERT_NEAR(at(i, j), at(j, i), 1e-10) << i << " " << j;
  }
}

// A Mach 10 shock crosses the domain; the inflow condition beside it moves with it.
TEST(Euler, WhatFlowsInFollowsPlaceAndTime) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::string const state =
      "density: 'x < 0.1 + 10*t ? 8 : 1.4', velocity_x: 'x < 0.1 + 10*t ? 8.25 : 0', velocity_y: 0, "
      "pressure: 'x < 0.1 + 10*t ? 116.5 : 1'";
  std::string const inflow = "{kind: inflow, " + state + "}";
  Flow flow("boundary: {west: " + inflow + ", south: " + inflow + ", north: " + inflow + "}, initial: {" + state + "}",
            {.cells = {64, 4}, .upper = {1, 0.0625, 1}, .all_ranks = false});
  flow.run(0.05, 0.4);
  std::vector<double> const density = flow.values(0);
  for (std::size_t j = 0; j < 4; ++j) {
    // The shock is then at 0.6, in cell 38; the start-up error of the sharp initial state is at 0.51.
    EXPECT_NEAR(density[2 + 64 * j], 8, 0.05) << j;
    EXPECT_NEAR(density[24 + 64 * j], 8, 0.3) << j;
    EXPECT_GT(density[36 + 64 * j], 6) << j;
    EXPECT_NEAR(density[43 + 64 * j], 1.4, 1e-3) << j;
  }
  // Where `where` is zero there is no inflow: the face reflects.
  std::string const closed = "{kind: inflow, where: 'y < -1', density: 8, velocity_x: 8, velocity_y: 0, pressure: 100}";
  Flow still("boundary: {west: " + closed + "}, initial: {density: 1.4, pressure: 1}",
             {.cells = {16, 4}, .all_ranks = false});
  still.run(0.1);
  for (double const value : still.values(0)) EXPECT_NEAR(value, 1.4, 1e-14);
}

// If the pressure outside is lower, a rarefaction enters the domain; behind it are that pressure and the velocity that
// the rarefaction makes.
TEST(Euler, APressureOutsideIsThatOfWhatFlowsOut) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::string const out = "{kind: pressure_outflow, pressure: 0.8}";
  constexpr std::size_t cells = 400;
  Flow flow("boundary: {west: " + out + ", east: " + out + "}, initial: {density: 1, pressure: 1}",
            {.cells = {cells}, .all_ranks = false});
  flow.run(0.2);
  std::vector<double> const density = flow.values(0);
  std::vector<double> const momentum = flow.values(2);
  double const expected = std::pow(0.8, 1 / 1.4);
  double const velocity = 2 / 0.4 * std::sqrt(1.4) * (1 - std::pow(0.8, 0.4 / 2.8));
  for (std::size_t const i : {std::size_t{360}, std::size_t{396}}) {
    EXPECT_NEAR(density[i], expected, 1e-3) << i;
    EXPECT_NEAR(momentum[i] / density[i], velocity, 1e-3) << i;
    EXPECT_NEAR(density[cells - 1 - i], density[i], 1e-12) << i;
    EXPECT_NEAR(momentum[cells - 1 - i], -momentum[i], 1e-12) << i;
  }
  EXPECT_NEAR(density[cells / 2], 1, 1e-12);
  // Supersonic outflow does not depend on the pressure.
  std::string const state = "density: 1.4, pressure: 1, velocity_x: 3";
  Flow fast("boundary: {west: {kind: inflow, " + state + "}, east: {kind: pressure_outflow, pressure: 9}}, initial: {" +
                state + "}",
            {.cells = {16}, .all_ranks = false});
  fast.run(0.5);
  for (double const value : fast.values(0)) EXPECT_NEAR(value, 1.4, 1e-13);
  // Where `where` is zero the face reflects.
  Flow still("boundary: {east: {kind: pressure_outflow, where: 'y < 0', pressure: 0.1}}",
             {.cells = {8, 4}, .all_ranks = false});
  still.run(0.1);
  for (double const value : still.values(0)) EXPECT_NEAR(value, 1, 1e-14);
  EXPECT_THROW(Flow("boundary: {east: {kind: pressure_outflow, pressure: '1/(y - y)'}}", {.cells = {8, 4}}).run(0.1),
               InputError);
}

TEST(Euler, SinglePrecisionIsAsClose) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const scheme : {"", "reconstruction: weno5, "}) {
    Flow flow(sod("x", scheme), {.cells = {200}, .all_ranks = false}, "ssp_rk3", Precision::single);
    flow.run(sod_end);
    std::vector<float> const density = flow.values<float>(0);
    double sum = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      double const x = (static_cast<double>(i) + 0.5) / 200;
      sum += std::abs(static_cast<double>(density[i]) - sod_exact((x - 0.5) / sod_end).density) / 200;
    }
    EXPECT_NEAR(sum, sod_error(200, scheme, "ssp_rk3"), 1e-5) << scheme;
  }
}

// Methods with many stages or with slopes take several passes.
TEST(Euler, MethodsWithSlopesAgree) {
  HALOCLINE_TEST_OF_ONE_RANK();
  double const best = wave_error(64, "reconstruction: weno5, ", "ssp_rk3", 0.1);
  EXPECT_NEAR(wave_error(64, "reconstruction: weno5, ", "rk4", 0.1), best, 0.05 * best);
}

/// Cold gas that flies apart; in long steps plain weno5 leaves the physical range.
std::string const explosion =
    "reconstruction: weno5, gamma: 1.66666666666666667, boundary: {west: {kind: reflecting}, east: {kind: reflecting}, "
    "south: {kind: reflecting}, north: {kind: reflecting}}, initial: {pressure: 1e-6, "
    "velocity_x: '6*(x - 0.5)/sqrt((x - 0.5)^2 + (y - 0.5)^2)', "
    "velocity_y: '6*(y - 0.5)/sqrt((x - 0.5)^2 + (y - 0.5)^2)'}";

TEST(Euler, DonorCellsKeepStatesPhysical) {
  for (std::string const method : {"ssp_rk2", "ssp_rk3"}) {
    Flow plain("fallback: none, " + explosion, {.cells = {24, 20}}, method);
    EXPECT_THROW(plain.run(0.05, 0.95), NotANumberError) << method;
    Flow alone(explosion, {.cells = {24, 20}, .all_ranks = false}, method);
    Flow together(explosion, {.cells = {24, 20}}, method);
    double const mass = together.quantity("integral(density)");
    double const energy = together.quantity("integral(energy)");
    alone.run(0.05, 0.95);
    together.run(0.05, 0.95);
    EXPECT_GT(together.least(0), 0) << method;
    EXPECT_GT(together.quantity("donor_cells"), 0) << method;
    EXPECT_EQ(together.quantity("donor_cells"), alone.quantity("donor_cells")) << method;
    // One rounding a stage of sums near 1 and near 18.
    EXPECT_NEAR(together.quantity("integral(density)"), mass, 1e-13) << method;
    EXPECT_NEAR(together.quantity("integral(energy)"), energy, 2e-12) << method;
    test::expect_same_bits(together, alone, method);
  }
}

TEST(Euler, DonorCellsLeaveOtherStepsAlone) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const method : {"explicit_euler", "ssp_rk2", "ssp_rk3", "rk4"}) {
    std::string const scheme = method == "explicit_euler" ? "reconstruction: donor_cell, " : "reconstruction: weno5, ";
    std::vector<std::vector<double>> densities;
    for (std::string const fallback : {"donor_cell", "none"}) {
      std::string options = scheme;
      options.append("fallback: ").append(fallback).append(", ");
      Flow flow(sod("x", options), {.cells = {100}}, method);
      flow.run(sod_end);
      densities.push_back(flow.values(0));
      if (fallback == "donor_cell") {
        EXPECT_EQ(flow.quantity("donor_cells"), 0) << method;
      }
    }
    EXPECT_EQ(densities[0], densities[1]) << method;
  }
}

TEST(Euler, AStateThatNoGasHasEndsTheRun) {
  HALOCLINE_TEST_OF_ONE_RANK();
  EXPECT_THROW(Flow("initial: {pressure: 'x - 0.5'}", {.cells = {16}}), InputError);
  EXPECT_THROW(Flow("initial: {density: 0}", {.cells = {16}}), InputError);
  Flow flow(
      "initial: {density: 'x < 0.5 ? 1 : 0.01', pressure: 'x < 0.5 ? 1000 : 0.01', velocity_x: 'x < 0.5 ? -50 : "
      "50'}",
      {.cells = {64}});
  try {
    // Far beyond the stable step.
    for (int n = 0; n < 10; ++n) flow.step(0.01);
    ADD_FAILURE() << "nothing was thrown";
  } catch (NotANumberError const& error) {
    EXPECT_NE(std::string(error.what()).find("cell ("), std::string::npos) << error.what();
  }
}

/// A cell of a mesh of unit cells.
struct Cell {
  Index i, j, k;
};
/// An expression that is `value` in this cell and zero elsewhere.
std::string in_cell(Cell const& cell, std::string const& value) {
  std::string text = value;
  auto const within = [&](char axis, Index lower) {
    text.append("*(").append(1, axis).append(" > ").append(std::to_string(lower)).append(")*(");
    text.append(1, axis).append(" < ").append(std::to_string(lower + 1)).append(")");
  };
  within('x', cell.i);
  within('y', cell.j);
  within('z', cell.k);
  return text;
}
/// The rank that owns a cell.
int owner(StructuredMesh const& mesh, Cell const& cell) {
  double mine = 0;
  for (Block const& block : mesh.blocks()) {
    std::array<Index, 3> const at{cell.i, cell.j, cell.k};
    bool is_inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      is_inside = is_inside && at[axis] >= block.cells.begin[axis] && at[axis] < block.cells.end[axis];
    if (is_inside) mine = mesh.communicator().rank();
  }
  return static_cast<int>(mesh.communicator().max(mine));
}

// The first cell by global index is not that of the first rank, nor the first along x or y.
TEST(Euler, MessagesNameTheFirstCellOfAllRanks) {
  Cell const first{13, 6, 1};
  std::array const others{Cell{2, 7, 1}, Cell{1, 0, 2}, Cell{14, 7, 3}};
  Domain const domain{.cells = {16, 8, 4}, .upper = {16, 8, 4}};
  if (test::communicator().size() > 1) {
    auto const mesh = test::make_mesh(domain);
    EXPECT_GT(owner(*mesh, first), owner(*mesh, others[0]));
    EXPECT_GT(owner(*mesh, first), owner(*mesh, others[1]));
  }
  // E = p / (gamma - 1) + density v^2 / 2
  std::string start = "gamma: 1.5, initial: {density: '1 + ";
  start.append(in_cell(first, "2")).append("', velocity_x: 0.5, velocity_y: -1, velocity_z: 2, pressure: '1 - ");
  start.append(in_cell(first, "2.5"));
  for (Cell const& other : others) start.append(" - ").append(in_cell(other, "3"));
  start.append("'}");
  try {
    Flow const flow(start, domain);
    ADD_FAILURE() << "nothing was thrown";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(),
                 "`euler.initial` is not a physical state at cell (13, 6, 1), density 3, energy 4.875, momentum_x 1.5, "
                 "momentum_y -3, momentum_z 6, pressure -1.5, velocity_x 0.5, velocity_y -1, velocity_z 2");
  }
  // Gas at rest whose energy is 2 loses 3 in the first cell during a step, and 4 in the others.
  std::string loss = "gamma: 1.5, reconstruction: donor_cell, energy: {source: '-4*(";
  loss.append(in_cell(first, "3"));
  for (Cell const& other : others) loss.append(" + ").append(in_cell(other, "4"));
  loss.append(")'}, fallback: ");
  std::string const found =
      "the state has left the physical range at time 0.25: cell (13, 6, 1), density 1, energy -1, momentum_x 0, "
      "momentum_y 0, momentum_z 0, pressure -0.5, velocity_x 0, velocity_y 0, velocity_z 0";
  for (auto const& [fallback, advice] :
       {std::pair{"none", "; a shorter step or `reconstruction: donor_cell` may keep it there"},
        std::pair{"donor_cell", ", which donor cells did not prevent; a shorter step may keep it there"}}) {
    Flow flow(loss + fallback, domain, "explicit_euler");
    try {
      flow.step(0.25);
      static_cast<void>(flow.physics().stable_step());
      ADD_FAILURE() << "nothing was thrown";
    } catch (NotANumberError const& error) {
      EXPECT_EQ(error.what(), found + advice);
    }
  }
}

TEST(Euler, WrongNamesAndStatesAreRefused) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const options : {"riemann: roe", "reconstruction: ppm", "limiter: superb", "initial: {energy: 1}",
                                    "gamma: 1", "boundary: {west: {kind: dirichlet}}", "density: {initial: 1}"}) {
    EXPECT_THROW(Flow(options, {.cells = {16}}), InputError) << options;
  }
}

}  // namespace
}  // namespace halocline
