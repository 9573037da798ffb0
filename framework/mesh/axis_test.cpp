#include "framework/mesh/axis.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

std::string input_error(auto const& action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Axis, UniformHasEqualCells) {
  Axis const axis = Axis::uniform(3, -1, 2);
  EXPECT_TRUE(axis.is_uniform());
  EXPECT_EQ(axis.cells(), 3);
  EXPECT_EQ(axis.edge(0), -1);
  EXPECT_EQ(axis.edge(2), 1);
  EXPECT_EQ(axis.edge(3), 2);
  EXPECT_EQ(axis.centre(1), 0.5);
  EXPECT_EQ(axis.width(2), 1);
}

TEST(Axis, LastEdgeIsTheUpperEndToTheBit) {
  Axis const axis = Axis::uniform(49, 0, 0.1);
  EXPECT_EQ(axis.edge(49), 0.1);
}

TEST(Axis, StretchedHasItsEdges) {
  Axis const axis = Axis::stretched({0, 1, 3, 7});
  EXPECT_FALSE(axis.is_uniform());
  EXPECT_EQ(axis.cells(), 3);
  EXPECT_EQ(axis.centre(2), 5);
  EXPECT_EQ(axis.width(1), 2);
  EXPECT_EQ(axis, Axis::stretched({0, 1, 3, 7}));
  EXPECT_FALSE(axis == Axis::stretched({0, 2, 3, 7}));
  EXPECT_FALSE(axis == Axis::uniform(3, 0, 7));
}

TEST(Axis, RefusesNonsense) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(input_error([] { static_cast<void>(Axis::uniform(0, 0, 1)); }),
            "an axis of 0 cells: at least one is needed");
  EXPECT_EQ(input_error([] { static_cast<void>(Axis::uniform(-3, 0, 1)); }),
            "an axis of -3 cells: at least one is needed");
  EXPECT_EQ(input_error([] { static_cast<void>(Axis::uniform(3, 1, 1)); }),
            "an axis from 1 to 1: the upper end must lie above the lower one, at a finite distance");
  EXPECT_EQ(input_error([nan] { static_cast<void>(Axis::uniform(3, 0, nan)); }),
            "an axis from 0 to nan: both ends must be finite numbers");
  EXPECT_NE(input_error([] { static_cast<void>(Axis::uniform(3, -1.7e308, 1.7e308)); }), "nothing was thrown");
  EXPECT_NE(input_error([] { static_cast<void>(Axis::uniform(Index{1} << 60, 1, 2)); }), "nothing was thrown");
  EXPECT_EQ(input_error([] { static_cast<void>(Axis::stretched({0})); }), "a stretched axis needs at least two edges");
  EXPECT_EQ(input_error([] {
              static_cast<void>(Axis::stretched({0, 2, 1, 3}));
            }),
            "the edges of a stretched axis must increase: edge 2 is 1, the one before it 2");
  EXPECT_NE(input_error([nan] { static_cast<void>(Axis::stretched({0, nan, 3})); }), "nothing was thrown");
}

}  // namespace
}  // namespace halocline
