#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/point_set.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

TEST(Position, IsOneFieldOfThreeComponents) {
  auto const points = std::make_shared<PointSet const>(5, test::communicator().split(0));
  Field<double> const here(points, {.name = "here", .components = 3, .ghosts = 0, .position = true});
  Field<double> const there(points, {.name = "there", .components = 3, .ghosts = 0, .position = true});
  Field<double> const flat(points, {.name = "flat", .components = 2, .ghosts = 0, .position = true});
  Field<double> const speed(points, {.name = "speed", .components = 3, .ghosts = 0});
  auto const one_of = [](std::vector<FieldBase const*> const& fields) { return have_one_position(fields); };
  EXPECT_TRUE(one_of({&speed, &here}));
  EXPECT_FALSE(one_of({}));
  EXPECT_FALSE(one_of({&speed}));
  EXPECT_FALSE(one_of({&flat}));
  EXPECT_FALSE(one_of({&here, &there}));
}

}  // namespace
}  // namespace halocline
