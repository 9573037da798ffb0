#include "physics/shallow-water/shallow_water.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "framework/runtime/error.hpp"
#include "physics/equations/test_law.hpp"

namespace halocline {
namespace {

using test::Domain;

constexpr double gravity = 9.81;
constexpr double accuracy = 2.220446049250313e-16;

class Water : public test::LawRun {
 public:
  Water(std::string const& options, Domain const& domain, std::string const& method = "ssp_rk2",
        Precision precision = Precision::double_)
      : LawRun(shallow_water_physics(), options, domain, method, precision) {}
};

/// Depth and velocity at x / t of the dam break with depth `left` behind a dam at 0 and `right` in front of it.
struct DamBreak {
  double left, right;
  double middle = 0, velocity = 0, shock = 0;  ///< between the rarefaction and the bore

  /// J. J. Stoker, Water Waves (1957), section 10.8: finds the depth between them by Newton's method; not needed if the
  /// bed is dry.
  DamBreak(double depth_left, double depth_right) : left(depth_left), right(depth_right) {
    if (right == 0) return;
    auto const miss = [&](double h) {
      return 2 * (std::sqrt(gravity * left) - std::sqrt(gravity * h)) -
             (h - right) * std::sqrt(0.5 * gravity * (h + right) / (h * right));
    };
    middle = 0.5 * (left + right);
    for (int n = 0; n < 50; ++n) {
      double const width = 1e-6 * middle;
      middle -= miss(middle) * 2 * width / (miss(middle + width) - miss(middle - width));
    }
    velocity = 2 * (std::sqrt(gravity * left) - std::sqrt(gravity * middle));
    shock = middle * velocity / (middle - right);
  }
  /// Inside the rarefaction: A. Ritter's solution (Zeitschrift des VDI 36, 1892).
  [[nodiscard]] std::array<double, 2> operator()(double s) const {
    double const c = std::sqrt(gravity * left);
    double const tail = right == 0 ? 2 * c : velocity - std::sqrt(gravity * middle);
    if (s <= -c) return {left, 0};
    if (s <= tail) return {(2 * c - s) * (2 * c - s) / (9 * gravity), 2.0 / 3 * (c + s)};
    if (s <= shock) return {middle, velocity};
    return {right, 0};
  }
};

constexpr double dam_end = 0.12;  ///< time at which the front onto a dry bed is at 0.75

double dam_error(double right, Index cells, std::string const& options, Precision precision = Precision::double_) {
  Water water(options + "initial: {depth: 'x < 0 ? 1 : " + std::to_string(right) + "'}",
              {.cells = {cells}, .lower = {-1}, .all_ranks = false}, "ssp_rk2", precision);
  water.run(dam_end);
  EXPECT_GE(water.quantity("minimum(depth)"), 0);
  DamBreak const exact(1, right);
  double const width = 2 / static_cast<double>(cells);
  double sum = 0;
  std::size_t i = 0;
  auto const add = [&](double depth) {
    double const x = (static_cast<double>(i++) + 0.5) * width - 1;
    sum += std::abs(depth - exact(x / dam_end)[0]) * width;
  };
  if (precision == Precision::double_) {
    for (double const depth : water.values(0)) add(depth);
  } else {
    for (float const depth : water.values<float>(0)) add(static_cast<double>(depth));
  }
  return sum;
}

/// The slope of a line fitted to the logarithms of the errors on 100, 200, 400 and 800 cells.
double fitted_order(std::function<double(Index)> const& error) {
  std::array<double, 4> const errors{error(100), error(200), error(400), error(800)};
  return (3 * std::log2(errors[0] / errors[3]) + std::log2(errors[1] / errors[2])) / 10;
}

TEST(ShallowWater, WhatStokerHasPassesTheBore) {
  DamBreak const exact(1, 0.2);
  double const end_of_rarefaction = exact.velocity - std::sqrt(gravity * exact.middle);
  EXPECT_NEAR(exact(end_of_rarefaction - 1e-12)[0], exact.middle, 1e-9);
  double const relative = exact.velocity - exact.shock;
  EXPECT_NEAR(exact.middle * relative, -exact.right * exact.shock, 1e-9);
  EXPECT_NEAR(exact.middle * relative * relative + 0.5 * gravity * exact.middle * exact.middle,
              exact.right * exact.shock * exact.shock + 0.5 * gravity * exact.right * exact.right, 1e-8);
}

TEST(ShallowWater, DamBreaksConverge) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (double const right : {0.2, 0.0}) {
    for (std::string const scheme : {"", "limiter: mc, ", "limiter: minmod, riemann: rusanov, "}) {
      double const order = fitted_order([&](Index cells) { return dam_error(right, cells, scheme); });
      EXPECT_GE(order, 0.85) << right << " " << scheme;
    }
  }
}

TEST(ShallowWater, AllSchemesBreakDams) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (double const right : {0.2, 0.0}) {
    for (auto const& [reconstruction, worst] : {std::pair{"reconstruction: donor_cell", 0.035},
                                                {"limiter: minmod", 0.016},
                                                {"limiter: mc", 0.012},
                                                {"limiter: superbee", 0.012},
                                                {"limiter: van_leer", 0.012}}) {
      for (std::string const riemann : {"rusanov", "hll"}) {
        std::string const options = std::string(reconstruction) + ", riemann: " + riemann + ", ";
        double const error = dam_error(right, 100, options);
        EXPECT_LT(error, worst) << options << right;
        EXPECT_GT(error, 0.004) << options << right;
        EXPECT_NEAR(dam_error(right, 100, options, Precision::single), error, 1e-5) << options << right;
      }
    }
  }
}

/// An island and a shoal in water with the surface at 1, over a bottom that jumps from cell to cell.
std::string island(std::string const& walls, std::string const& scheme, std::string const& y = "y") {
  std::string text = scheme;
  text.append("boundary: {").append(walls).append("}, initial: {surface: 1, bathymetry: '1.5*exp(-20*((x - 0.4)^2 + (");
  text.append(y).append(" - 0.3)^2)) + 0.6*exp(-40*((x - 0.8)^2 + (").append(y).append(" - 0.8)^2)) + 0.2*random(3)'}");
  return text;
}

/// Takes 1000 steps from rest; velocity and surface must then be unchanged within 1e-12 of the depth, which is 1.
void expect_rest(Water& water, int axes, std::string const& what) {
  std::vector<double> const before = water.values(0);
  std::vector<double> const bottom = water.values(1);
  for (int n = 0; n < 1000; ++n) water.step(0.8 * water.physics().stable_step());
  EXPECT_GE(water.least(0), 0) << what;
  std::vector<double> const depth = water.values(0);
  double dry = 0;
  for (std::size_t n = 0; n < depth.size(); ++n) {
    ASSERT_NEAR(depth[n], before[n], 1e-12) << what << " " << n;
    ASSERT_NEAR(water.values(1)[n], bottom[n], 1e-12) << what << " " << n;
    dry += before[n] == 0 ? 1 : 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
      double const momentum = water.values(2 + axis)[n];
      ASSERT_LE(std::abs(momentum), 1e-12 * std::max(before[n], 1e-6)) << what << " " << n;
    }
  }
  EXPECT_GT(water.mesh().communicator().max(dry), 0) << what;
}

TEST(ShallowWater, ALakeAtRestStaysAtRest) {
  std::string const reflecting = "west: {kind: reflecting}, east: {kind: reflecting}";
  std::string const open = "east: {kind: inflow, surface: 1, velocity_x: 0}";
  for (std::string const scheme :
       {"", "limiter: mc, ", "riemann: rusanov, limiter: minmod, ", "reconstruction: donor_cell, "}) {
    for (std::string const& walls : {reflecting, open}) {
      Water water(island(walls, scheme, "0.3"), {.cells = {101}});
      expect_rest(water, 1, scheme + walls);
    }
  }
  Water closed(island("west: {kind: reflecting}, north: {kind: reflecting}", ""), {.cells = {29, 23}});
  expect_rest(closed, 2, "walls");
  Water periodic(island("", "limiter: mc, gravity: 1, "), {.cells = {29, 23}, .periodic = {true, true, false}});
  expect_rest(periodic, 2, "periodic");
  Water other(island("", ""), {.cells = {21, 23}}, "ssp_rk3");
  expect_rest(other, 2, "ssp_rk3");
}

// Steady flow along x, q = h u, with the head e = q^2 / (2 h^2) + g (h + b): the bottom follows from a given depth.
TEST(ShallowWater, SteadyFlowOverABottomIsOfSecondOrder) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const flow : {"2", "16"}) {  // slower and faster than waves
    for (std::string const limiter : {"van_leer", "mc"}) {
      std::string const depth = "(2 + 0.3*sin(2*pi*x))";
      std::string text = "limiter: " + limiter;
      text.append(", initial: {depth: '")
          .append(depth)
          .append("', velocity_x: '")
          .append(flow)
          .append("/")
          .append(depth);
      text.append("', bathymetry: '-").append(depth).append(" - ").append(flow).append("^2/(2*9.81*");
      text.append(depth).append("^2)'}, depth: {exact: '").append(depth).append("'}");
      std::vector<double> errors;
      for (Index const cells : {64, 128}) {
        Water water(text, {.cells = {cells}, .periodic = {true, false, false}});
        water.run(1);
        errors.push_back(water.quantity("error_1(depth)"));
      }
      EXPECT_GE(std::log2(errors[0] / errors[1]), 1.8) << flow << limiter << " " << errors[0] << " " << errors[1];
      EXPECT_LT(errors[1], 1e-3);
    }
  }
}

// Waves in a uniform flow, held by a source: h = 2 + w(x - t, y - t / 2), u = 1, v = 1 / 2.
TEST(ShallowWater, WavesOverABottomAreOfSecondOrder) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::string const depth = "(2 + 0.3*sin(2*pi*(x - t))*cos(2*pi*(y - 0.5*t)))";
  std::string const bottom = "0.2*cos(2*pi*x)*sin(2*pi*y)";
  std::string const slope_x = "(0.3*cos(2*pi*(x - t))*cos(2*pi*(y - 0.5*t)) - 0.2*sin(2*pi*x)*sin(2*pi*y))";
  std::string const slope_y = "(-0.3*sin(2*pi*(x - t))*sin(2*pi*(y - 0.5*t)) + 0.2*cos(2*pi*x)*cos(2*pi*y))";
  std::string text =
      "limiter: mc, initial: {depth: '" + depth + "', velocity_x: 1, velocity_y: 0.5, bathymetry: '" + bottom;
  text.append("'}, depth: {exact: '").append(depth).append("'}, momentum_x: {exact: '").append(depth);
  text.append("', source: '9.81*2*pi*").append(depth).append("*").append(slope_x);
  text.append("'}, momentum_y: {exact: '0.5*").append(depth);
  text.append("', source: '9.81*2*pi*").append(depth).append("*").append(slope_y).append("'}");
  std::array<std::array<double, 3>, 2> errors{};
  for (std::size_t n = 0; n < 2; ++n) {
    Index const cells = 48 << n;
    Water water(text, {.cells = {cells, cells}, .periodic = {true, true, false}});
    water.run(0.25);
    errors[n] = {water.quantity("error_1(depth)"), water.quantity("error_1(momentum_x)"),
                 water.quantity("error_1(momentum_y)")};
  }
  for (std::size_t field = 0; field < 3; ++field) {
    EXPECT_GE(std::log2(errors[0][field] / errors[1][field]), 1.8) << errors[0][field] << " " << errors[1][field];
  }
}

// W. C. Thacker, J. Fluid Mech. 107 (1981): water with a plane surface oscillates in a parabolic bowl. With the bottom
// H ((x / a)^2 - 1) its depth is H (1 - ((x - X) / a)^2) where that is above zero, X = -A cos(w t), w^2 = 2 g H / a^2.
TEST(ShallowWater, WaterSwingsInAParabolicBowl) {
  HALOCLINE_TEST_OF_ONE_RANK();
  double const end = 2.25 * std::acos(-1.0) / std::sqrt(gravity);  // more than a period
  for (std::string const limiter : {"van_leer", "mc"}) {
    double const order = fitted_order([&](Index cells) {
      Water water(
          "limiter: " + limiter +
              ", initial: {bathymetry: '0.5*(x^2 - 1)', depth: 'max(0, 0.5*(1 - (x + 0.5)^2))'}, depth: {exact: "
              "'max(0, 0.5*(1 - (x + 0.5*cos(sqrt(9.81)*t))^2))'}",
          {.cells = {cells / 2}, .upper = {2}, .lower = {-2}, .all_ranks = false});
      double const before = water.quantity("integral(depth)");
      while (water.time() < end * (1 - 1e-12)) {
        water.step(std::min(0.8 * water.physics().stable_step(), end - water.time()));
        EXPECT_GE(water.least(0), 0);
      }
      EXPECT_NEAR(water.quantity("integral(depth)"), before, 1e-12);
      return water.quantity("error_1(depth)");
    });
    // The shore has kinks, where a second-order scheme has first-order errors.
    EXPECT_GE(order, 1.2) << limiter;
  }
}

// Random heaps of water and dry cells, over a bottom that jumps by more than the depth, inside walls.
TEST(ShallowWater, NoDepthFallsBelowZeroAndNoWaterIsLost) {
  std::string const walls =
      "boundary: {west: {kind: reflecting}, east: {kind: reflecting}, south: {kind: reflecting}, north: {kind: "
      "reflecting}}, ";
  std::string const speeds = "velocity_x: '8*random(5) - 4', velocity_y: '8*random(6) - 4'}";
  for (std::string const scheme :
       {"", "limiter: mc, ", "limiter: minmod, ", "reconstruction: donor_cell, ", "riemann: rusanov, "}) {
    for (std::string const start :
         {"depth: 'random(1)^20', bathymetry: '3*random(2)', ", "surface: 0.5, bathymetry: 'random(1)', ",
          "depth: '(random(1) > 0.5)*random(2)^8', "}) {
      std::string text = scheme;
      text.append(walls).append("initial: {").append(start).append(speeds);
      Water water(text, {.cells = {20, 16}});
      double const before = water.quantity("integral(depth)");
      for (int n = 0; n < 200; ++n) {
        water.step(0.8 * water.physics().stable_step());
        ASSERT_GE(water.least(0), 0) << text << " " << n;
      }
      // One rounding per cell and stage.
      EXPECT_NEAR(water.quantity("integral(depth)"), before, 400 * accuracy * before) << text;
    }
  }
}

TEST(ShallowWater, MirroredDataHaveTheMirroredSolution) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::vector<std::vector<double>> of_side;
  for (bool const turned : {false, true}) {
    std::string const x = turned ? "(1-x)" : "x";
    std::string text = turned ? "boundary: {east: {kind: reflecting}}" : "boundary: {west: {kind: reflecting}}";
    text.append(", initial: {surface: '").append(x).append(" < 0.4 ? 1 : 0.3', bathymetry: '0.9*").append(x);
    text.append("^2', velocity_x: ").append(turned ? "-0.3" : "0.3").append("}");
    Water water(text, {.cells = {60}, .all_ranks = false});
    water.run(0.3);
    of_side.push_back(water.values(0));
  }
  std::reverse(of_side[1].begin(), of_side[1].end());
  for (std::size_t i = 0; i < of_side[0].size(); ++i) ASSERT_NEAR(of_side[0][i], of_side[1][i], 1e-12) << i;
}

TEST(ShallowWater, TheAxesAreAlike) {
  HALOCLINE_TEST_OF_ONE_RANK();
  std::vector<std::vector<double>> depths;
  for (std::size_t axes : {0U, 1U, 2U}) {
    std::vector<Index> cells{64};
    if (axes == 1) cells = {64, 2};
    if (axes == 2) cells = {2, 64};
    std::string const s = axes == 2 ? "y" : "x";
    std::string text = "initial: {surface: '" + s;
    text.append(" < 0.5 ? 1 : 0.1', bathymetry: '0.5*").append(s).append("'}");
    Water water(text, {.cells = cells, .all_ranks = false});
    for (int n = 0; n < 40; ++n) water.step(0.1 / 64);
    std::vector<double> const all = water.values(0);
    std::vector<double>& line = depths.emplace_back();
    for (std::size_t i = 0; i < 64; ++i) line.push_back(all[axes == 2 ? 2 * i : i]);
  }
  for (std::size_t i = 0; i < 64; ++i) {
    ASSERT_NEAR(depths[1][i], depths[0][i], 1e-14) << i;
    ASSERT_NEAR(depths[2][i], depths[0][i], 1e-14) << i;
  }
}

TEST(ShallowWater, RanksDoNotChangeABit) {
  std::string const walls =
      "south: {kind: reflecting}, north: {kind: inflow, surface: 1 + t, velocity_x: 0, velocity_y: -1}";
  std::string const own =
      "south: {kind: discharge, discharge: 'x - 0.3 + t', where: x > 0.2}, north: {kind: stage, surface: 0.6 + t}";
  for (std::string const& options : {"boundary: {" + walls + "}", "boundary: {" + own + "}",
                                     "limiter: mc, riemann: rusanov, boundary: {" + walls + "}"}) {
    std::string const all = options +
                            ", initial: {surface: '0.5 + 0.4*sin(2*pi*x)', bathymetry: '0.6*random(1)', "
                            "velocity_y: 'cos(2*pi*x)'}";
    Water alone(all, {.cells = {32, 24}, .periodic = {true, false, false}, .all_ranks = false});
    Water together(all, {.cells = {32, 24}, .periodic = {true, false, false}});
    for (int n = 0; n < 20; ++n) {
      alone.step(0.002);
      together.step(0.002);
    }
    test::expect_same_bits(together, alone, options);
    EXPECT_EQ(together.physics().stable_step(), alone.physics().stable_step()) << options;
  }
}

TEST(ShallowWater, NarrowBlocksHaveTheBitsOfWideOnes) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const scheme : {"", "limiter: mc, riemann: rusanov, "}) {
    std::string const options = scheme +
                                "boundary: {south: {kind: reflecting}}, initial: {surface: 0.5 + "
                                "0.4*sin(2*pi*x), bathymetry: '0.6*random(1)', velocity_y: 'cos(2*pi*x)'}";
    auto const make = [&](Domain const& domain) { return Water(options, domain); };
    test::expect_bits_of_narrow_blocks(make, 2, scheme);
  }
}

TEST(ShallowWater, WhatFlowsInHasTheDepthThatIsGiven) {
  HALOCLINE_TEST_OF_ONE_RANK();
  // Over a level bottom a matching uniform flow continues unchanged, given by depth or by surface.
  for (std::string const given : {"depth: 2", "surface: 2.25"}) {
    std::string text = "boundary: {west: {kind: inflow, " + given;
    text.append(", velocity_x: 1}}, initial: {").append(given).append(", velocity_x: 1, bathymetry: 0.25}");
    Water water(text, {.cells = {32}, .all_ranks = false});
    water.run(0.5);
    for (double const depth : water.values(0)) EXPECT_NEAR(depth, 2, 1e-13) << given;
    for (double const momentum : water.values(2)) EXPECT_NEAR(momentum, 2, 1e-13) << given;
  }
  // Supercritical inflow enters completely: 4 per width and time, onto a dry bed.
  Water flood("boundary: {west: {kind: inflow, depth: 0.5, velocity_x: 8}}, initial: {depth: 0, bathymetry: 1}",
              {.cells = {64}, .all_ranks = false});
  flood.run(0.025);
  EXPECT_NEAR(flood.quantity("integral(depth)"), 0.1, 1e-14);
  // There is no inflow if the surface is below the bottom of the wall's cell, or where `where` is zero.
  for (std::string const wall : {"surface: 0.5", "where: x > 0, surface: 5"}) {
    std::string text = "boundary: {west: {kind: inflow, " + wall;
    text.append(", velocity_x: 1}}, initial: {depth: 0, bathymetry: 1}");
    Water dry(text, {.cells = {16}, .all_ranks = false});
    for (int n = 0; n < 10; ++n) dry.step(0.001);
    EXPECT_EQ(dry.quantity("maximum(depth)"), 0) << wall;
  }
  EXPECT_THROW(Water("boundary: {west: {kind: inflow, depth: -t, velocity_x: 1}}", {.cells = {16}}).run(0.1),
               InputError);
}

// Slopes that leave an edge less than half of the depth are reduced, all by the same factor; others are unchanged.
TEST(ShallowWater, NoEdgeHasLessThanHalfOfTheDepth) {
  Section root("", "A deck.");
  root.section(shallow_water_physics().options);
  ShallowWater<double, 1> const law(Deck("deck", "shallow-water: {}").read(root).section("shallow-water"));
  Values<double, 3> const cell{{1, 3, 0}};
  Values<double, 3> const thin = law.at_edge({{0, 4, 8}}, cell);
  EXPECT_EQ(thin[0], 0.5);
  EXPECT_EQ(thin[1], 3.5);
  EXPECT_EQ(thin[2], 4);
  Values<double, 3> const thick = law.at_edge({{2, 2, -8}}, cell);
  EXPECT_EQ(thick[0], 1.5);
  EXPECT_EQ(thick[2], -4);
  Values<double, 3> const slight = law.at_edge({{0.75, 3, 1}}, cell);
  EXPECT_EQ(slight[0], 0.75);
  EXPECT_EQ(slight[2], 1);
  EXPECT_EQ(law.at_edge({{0, 3, 0}}, {{0, 2, 0}})[1], 3);  // in a dry cell the bottom has its slope
}

TEST(ShallowWater, OnlyWaterIsConserved) {
  Water water("boundary: {west: {kind: reflecting}, east: {kind: reflecting}}", {.cells = {16}});
  EXPECT_EQ(water.physics().conserved(), std::vector<std::string>{"integral(depth)"});
}

TEST(ShallowWater, WrongNamesAndStatesAreRefused) {
  HALOCLINE_TEST_OF_ONE_RANK();
  for (std::string const options : {"reconstruction: weno5", "riemann: hllc", "limiter: superb", "gravity: 0",
                                    "dry_depth: 0", "initial: {depth: -1}", "initial: {depth: 'x - 0.5'}",
                                    "initial: {momentum_x: 1}", "boundary: {west: {kind: inflow, bathymetry: 1}}",
                                    "boundary: {west: {kind: dirichlet}}", "bathymetry: {initial: 1}"}) {
    EXPECT_THROW(Water(options, {.cells = {16}}), InputError) << options;
  }
}

}  // namespace
}  // namespace halocline
