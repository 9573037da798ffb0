#include "framework/operator/crs_operator.hpp"
#include "framework/operator/crs_assembly.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "framework/operator/test_problem.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test_problem::make_operator;
using test_problem::Wall;

template <class Real>
class CrsOperatorTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CrsOperatorTest, Precisions);

// Both add the same products in different orders.
TYPED_TEST(CrsOperatorTest, IsTheStencilToRounding) {
  std::vector<test_problem::Options> const problems = {
      {.cells = {17, 13}},
      {.cells = {7, 5, 6}, .wall = Wall::insulated, .shift = 0.5},
      {.cells = {29}, .contrast = 100},
      {.cells = {4}},
      {.cells = {10, 8}, .periodic = true, .shift = 1},
      {.cells = {11}, .periodic = true, .shift = 1},
      {.cells = {5}, .periodic = true, .shift = 1},
      {.cells = {10, 23}, .periodic = true, .shift = 1, .blocks_per_rank = 2}};
  for (auto const& options : problems) {
    auto const a = make_operator<TypeParam>(test::communicator().split(0), options);
    CrsOperator<TypeParam> const assembled(*a, 1);
    auto const x = a->create_vector();
    auto const y = a->create_vector();
    auto const expected = a->create_vector();
    double const epsilon = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    double const norm = a->norm_bound();
    // The stencil's bound also counts the ghosts beyond cold walls.
    EXPECT_LE(assembled.norm_bound(), (1 + 16 * epsilon) * norm);
    EXPECT_GE(2 * assembled.norm_bound(), norm);
    // Two applications, so that the second one starts with filled ghosts.
    for (std::uint64_t const seed : {1U, 2U}) {
      x->randomize(seed);
      assembled.apply(*x, *y);
      a->apply(*x, *expected);
      y->add(-1, *expected);
      EXPECT_LE(y->maximum(), 16 * epsilon * norm);
    }
    ASSERT_TRUE(assembled.diagonal(*y));
    ASSERT_TRUE(a->diagonal(*expected));
    y->add(-1, *expected);
    EXPECT_LE(y->maximum(), 16 * epsilon * norm);
  }
}

TEST(CrsOperator, HoldsEveryEntryOnce) {
  auto const a = make_operator<double>(test::communicator().split(0), {.cells = {12, 7}});
  CrsOperator<double> const assembled(*a, 1);
  EXPECT_EQ(assembled.nonzeros(), 12 * 7 + 2 * (11 * 7) + 2 * (12 * 6));
  // A larger radius than needed changes nothing.
  CrsOperator<double> const generous(*make_operator<double>(test::communicator().split(0), {.cells = {12, 1}}), 1);
  EXPECT_EQ(generous.nonzeros(), 12 + 2 * 11);
}

TEST(AxisColouring, KeepsPointsOfOneColourApart) {
  for (int const radius : {1, 2, 3}) {
    for (bool const periodic : {false, true}) {
      for (Index points = 1; points < 60; ++points) {
        AxisColouring const axis = colour_axis(points, radius, periodic);
        for (Index i = 0; i < points; ++i) {
          ASSERT_GE(axis.colour(i), 0);
          ASSERT_LT(axis.colour(i), axis.colours);
          for (Index distance = 1; distance <= 2 * radius; ++distance) {
            Index const other = periodic ? (i + distance) % points : i + distance;
            if (other >= points || other == i) continue;
            ASSERT_NE(axis.colour(i), axis.colour(other)) << points << " points, radius " << radius << ", " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halocline
