#include "physics/equations/reconstruction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

namespace halocline {
namespace {

template <class Real>
class Reconstruction : public testing::Test {
 protected:
  using Line = std::array<Real, 5>;

  /// Lines of random data: smooth, rough, with a jump, constant, and zero.
  static std::vector<Line> lines() {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<Real> number(-1, 1);
    std::vector<Line> all{{}, {1, 1, 1, 1, 1}, {1, 1, 1, 3, 3}};
    for (int n = 0; n < 200; ++n) {
      Line line{};
      for (Real& value : line) value = n % 2 == 0 ? number(random) : 2 + Real(0.01) * number(random);
      all.push_back(line);
    }
    return all;
  }

  /// Data in other units, a power of two times as large, give the same multiple of the edge's value.
  template <class Edge>
  static void expect_homogeneous(Edge const& edge, int exponent) {
    for (Line const& line : lines()) {
      Line scaled = line;
      for (Real& value : scaled) value = std::ldexp(value, exponent);
      Real const expected = std::ldexp(value_of(edge, line), exponent);
      ASSERT_EQ(value_of(edge, scaled), expected)
          << "2^" << exponent << ": " << line[1] << " " << line[2] << " " << line[3];
    }
  }

  template <class Edge>
  static Real value_of(Edge const& edge, Line const& line) {
    if constexpr (Edge::reach == 1)
      return edge(line[1], line[2], line[3]);
    else
      return edge(line[0], line[1], line[2], line[3], line[4]);
  }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Reconstruction, Precisions);

/// Far beyond the range of squares, and short of that of differences: 2^±90 in single precision, 2^±900 in double.
TYPED_TEST(Reconstruction, HoldsInAnyUnits) {
  int const most = std::is_same_v<TypeParam, float> ? 90 : 900;
  for (int const exponent : {-most, -most / 2, -10, 1, most / 2, most}) {
    TestFixture::expect_homogeneous(MinmodSlopes<TypeParam>{TypeParam(1)}, exponent);
    TestFixture::expect_homogeneous(MinmodSlopes<TypeParam>{TypeParam(2)}, exponent);
    TestFixture::expect_homogeneous(MinmodSlopes<TypeParam>{TypeParam(2), TypeParam(1)}, exponent);
    TestFixture::expect_homogeneous(VanLeerSlopes<TypeParam>{}, exponent);
    TestFixture::expect_homogeneous(Weno5<TypeParam>{}, exponent);
  }
}

/// Smooth data give the values of the fifth-order polynomial, a jump those of the smooth side.
TYPED_TEST(Reconstruction, Weno5ChoosesSmoothSides) {
  Weno5<TypeParam> const edge;
  EXPECT_NEAR(edge(1, 2, 3, 4, 5), 3.5, 1e-5);
  EXPECT_NEAR(edge(1, 1, 1, 9, 9), 1, 1e-4);
  EXPECT_EQ(edge(0, 0, 0, 0, 0), 0);
}

}  // namespace
}  // namespace halocline
