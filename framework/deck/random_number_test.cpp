#include "framework/deck/random_number.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

constexpr int cells = 64;
constexpr double points = 1.0 * cells * cells * cells;

double centre(int n) { return (n + 0.5) / cells; }

/// Calls `visit` for each cell of a cube.
void for_cells(std::function<void(int, int, int)> const& visit) {
  for (int k = 0; k < cells; ++k) {
    for (int j = 0; j < cells; ++j) {
      for (int i = 0; i < cells; ++i) visit(i, j, k);
    }
  }
}

double at(std::uint64_t seed, int i, int j, int k) { return random_number(seed, centre(i), centre(j), centre(k)); }

// Reference values from another implementation of XXH64, written for NumPy from its specification.
TEST(RandomNumber, IsThatOfXxh64) {
  EXPECT_EQ(random_number(0, 0, 0, 0), 0x1.766605d152c11p-1);
  EXPECT_EQ(random_number(7, 0.5, -0.25, 3), 0x1.d234a067b44dap-2);
  EXPECT_EQ(random_number(std::numeric_limits<std::uint64_t>::max(), 1e300, -1e-300, 0.1), 0x1.20da0cb321002p-1);
  EXPECT_EQ(random_number(3, -0.0, 1, -0.0), random_number(3, 0, 1, 0));
}

// The bounds are four standard deviations; the test always uses the same numbers.
TEST(RandomNumber, IsUniform) {
  double sum = 0;
  double squares = 0;
  std::array<double, 256> counts{};
  for_cells([&](int i, int j, int k) {
    double const number = at(1, i, j, k);
    ASSERT_TRUE(number >= 0 && number < 1);
    sum += number;
    squares += (number - 0.5) * (number - 0.5);
    ++counts[static_cast<std::size_t>(number * 256)];
  });
  EXPECT_NEAR(sum / points, 0.5, 4 * std::sqrt(1.0 / 12 / points));
  EXPECT_NEAR(squares / points, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / points));
  double chi_square = 0;
  double const expected = points / 256;
  for (double const count : counts) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_NEAR(chi_square, 255, 4 * std::sqrt(2 * 255.0));
}

TEST(RandomNumber, OfNeighboursAndOfOtherSeedsIsIndependent) {
  std::array<double, 4> products{};
  for_cells([&](int i, int j, int k) {
    double const here = at(1, i, j, k) - 0.5;
    products[0] += here * (at(1, i + 1, j, k) - 0.5);
    products[1] += here * (at(1, i, j + 1, k) - 0.5);
    products[2] += here * (at(1, i, j, k + 1) - 0.5);
    products[3] += here * (at(2, i, j, k) - 0.5);
  });
  for (double const product : products) EXPECT_NEAR(product / points, 0, 4 * std::sqrt(1.0 / 144 / points));
}

TEST(RandomNumber, IsKnownToExpressions) {
  Expression const expression("2*random(7) - 1 + 0 * random( 18446744073709551615 )*random(7)");
  EXPECT_FALSE(expression.is_constant());
  EXPECT_FALSE(expression.depends_on_time());
  Expression const copy = expression;
  for (double const time : {0.0, 3.5}) EXPECT_EQ(copy(0.5, -0.25, 3, time), 2 * random_number(7, 0.5, -0.25, 3) - 1);
  EXPECT_EQ(expression(1, 2, 3, 0), 2 * random_number(7, 1, 2, 3) - 1);
  EXPECT_EQ(expression.text(), "2*random(7) - 1 + 0 * random( 18446744073709551615 )*random(7)");
  EXPECT_EQ(Expression("x < 0.5 ? random(1) : random (2)")(1, 0, 0, 0), random_number(2, 1, 0, 0));
}

std::string refusal(std::string const& text) {
  try {
    Expression const expression(text);
  } catch (InputError const& error) {
    std::string const message = error.what();
    std::string const before = "is not an expression of x, y, z and t: ";
    return message.substr(message.find(before) + before.size());
  }
  return "";
}

TEST(RandomNumber, NeedsAnIntegerForItsSeed) {
  auto const no_integer = [](std::string const& seed) {
    return "the seed of `random(" + seed + ")` is not an integer from 0 to 18446744073709551615, written in digits";
  };
  for (std::string const seed : {"1.5", "-1", "x", "", "1e3", "2+3", "1, 2", "random(1)", "18446744073709551616"})
    EXPECT_EQ(refusal("1 + random(" + seed + ")"), no_integer(seed));
  EXPECT_EQ(refusal("random(1"), "a parenthesis is not closed");
  EXPECT_EQ(refusal("2 * random"), "`random` needs a seed: random(1)");
  EXPECT_EQ(refusal("2 random(1)"), "`random(1)` is not allowed there");
  EXPECT_EQ(refusal("2random(1)"), "`random(1)` is not allowed there");
  EXPECT_EQ(refusal("random_1"),
            "`random_1` is not known (known: x, y, z, t, pi, random(seed) and muParser's functions)");
  EXPECT_EQ(refusal("myrandom(1)").substr(0, 10), "`myrandom`");
  // Users cannot name the internal variables for random numbers.
  EXPECT_EQ(refusal("random\x01"
                    "1\x01 + random(1)"),
            "`random` needs a seed: random(1)");
}

}  // namespace
}  // namespace halocline
