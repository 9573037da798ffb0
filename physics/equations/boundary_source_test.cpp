#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/field/test_fields.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

using namespace halocline::test;
using testing::ThrowsMessage;

/// Cells of the unit square on this rank alone, insulated except at the west wall.
DiffusionDescription with_west_wall(std::string const& value) {
  DiffusionDescription description{.mesh = unit_mesh({4, 8}, {}, this_rank()),
                                   .conditions = all_walls(BoundaryKind::reflecting)};
  description.conditions.at(0, -1) = {BoundaryKind::dirichlet, Expression(value), 1, 1};
  return description;
}

TEST(BoundarySource, RefusesValuesThatAreNoNumbersNamingThePlace) {
  EXPECT_THAT(
      [] { BoundarySource<double> const source(with_west_wall("1/(y-0.3125)")); },
      ThrowsMessage<InputError>("boundary.west: '1/(y-0.3125)' is not a finite number at (0, 0.3125, 0), t = 0"));
}

TEST(BoundarySource, ValuesThatDependOnTimeAreAskedForWhenTheyAreNeeded) {
  DiffusionDescription const description = with_west_wall("1/t");
  BoundarySource<double> const source(description);
  auto const b = make_diffusion<double>(description)->create_vector();
  source.add(2, 1, *b);
  EXPECT_GT(b->maximum(), 0);
  EXPECT_THAT([&] { source.add(0, 1, *b); },
              ThrowsMessage<InputError>("boundary.west: '1/t' is not a finite number at (0, 0.0625, 0), t = 0"));
}

// The wall is half a cell of 1/4 away from centres, and a cell is 1/8 high: the weight is 1.
TEST(BoundarySource, FollowsPlaceAndTime) {
  DiffusionDescription const description = with_west_wall("x + cos(3*y)*exp(-t)");
  BoundarySource<double> const source(description);
  auto const b = make_diffusion<double>(description)->create_vector();
  Field<double>& field = as_field_vector<double>(*b).field();
  for (double const time : {2.0, 0.5, 0.5, 3.0}) {
    b->fill(0);
    source.add(time, 2, *b);
    for (Block const& block : field.mesh().blocks()) {
      HostCopy<double> values(field, block);
      for (Index j = 0; j < 8; ++j) {
        double const y = (static_cast<double>(j) + 0.5) / 8;
        EXPECT_NEAR(values(0, 0, j, 0), 2 * std::cos(3 * y) * std::exp(-time), 1e-14) << time;
        for (Index i = 1; i < 4; ++i) EXPECT_EQ(values(0, i, j, 0), 0);
      }
    }
  }
}

TEST(BoundarySource, AxesThatTheMeshDoesNotHaveAreAtZero) {
  DiffusionDescription const description = with_west_wall("z");
  auto const b = make_diffusion<double>(description)->create_vector();
  BoundarySource<double>(description).add(0, 1, *b);
  EXPECT_EQ(b->maximum(), 0);
}

}  // namespace
}  // namespace halocline
