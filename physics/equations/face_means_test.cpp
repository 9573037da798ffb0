#include "physics/equations/face_means.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace halocline {
namespace {

template <class Real>
class FaceMeans : public testing::Test {
 protected:
  /// Powers of two from the smallest subnormal number to the largest one, as exponents.
  static std::vector<int> exponents() {
    std::vector<int> all;
    using Limits = std::numeric_limits<Real>;
    int const least = Limits::min_exponent - Limits::digits;
    for (int exponent = least; exponent < Limits::max_exponent; exponent += 7) all.push_back(exponent);
    all.push_back(Limits::max_exponent - 1);
    return all;
  }
  static Real power(int exponent) { return std::ldexp(Real{1}, exponent); }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FaceMeans, Precisions);

// Where no number is subnormal, a scale that is a power of two does not change a bit.
TYPED_TEST(FaceMeans, TheHarmonicMeanIsTheSameAtAnyScale) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  for (Real const ratio : {Real(1), Real(1.25), Real(3), Real(1000.7), Real(1e12)}) {
    Real const expected = 2 * ratio / (1 + ratio);
    Real const found = harmonic_mean(Real{1}, ratio);
    EXPECT_NEAR(found, expected, 4 * Limits::epsilon() * expected);
    for (int const exponent : this->exponents()) {
      Real const a = this->power(exponent);
      Real const b = std::ldexp(ratio, exponent);
      if (a < Limits::min() || !std::isfinite(b)) continue;
      EXPECT_EQ(harmonic_mean(a, b), std::ldexp(found, exponent)) << a << " and " << b;
      EXPECT_EQ(harmonic_mean(b, a), std::ldexp(found, exponent)) << b << " and " << a;
    }
  }
}

// Between the smaller number and twice that, and not above the larger one: also for subnormal numbers, and for any
// ratio.
TYPED_TEST(FaceMeans, TheHarmonicMeanIsBetweenItsBoundsOverTheWholeRange) {
  using Real = TypeParam;
  for (int const low : this->exponents()) {
    for (int const high : this->exponents()) {
      if (low > high) continue;
      Real const a = this->power(low);
      Real const b = this->power(high);
      Real const mean = harmonic_mean(a, b);
      EXPECT_GE(mean, a) << a << " and " << b;
      EXPECT_LE(mean / 2, a) << a << " and " << b;
      EXPECT_LE(mean, b) << a << " and " << b;
      if (low == high) {
        EXPECT_EQ(mean, a);
      }
    }
  }
}

TYPED_TEST(FaceMeans, TheHarmonicMeanOfExtremes) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  EXPECT_EQ(harmonic_mean(Limits::max(), Limits::max()), Limits::max());
  EXPECT_EQ(harmonic_mean(Limits::denorm_min(), Limits::denorm_min()), Limits::denorm_min());
  EXPECT_EQ(harmonic_mean(Limits::denorm_min(), Limits::max()), 2 * Limits::denorm_min());
  EXPECT_EQ(harmonic_mean(Real{0}, Real{0}), 0);
  EXPECT_EQ(harmonic_mean(Real{0}, Limits::max()), 0);
  EXPECT_TRUE(std::isnan(harmonic_mean(Limits::quiet_NaN(), Real{1})));
  EXPECT_TRUE(std::isnan(harmonic_mean(Real{1}, Limits::quiet_NaN())));
}

TYPED_TEST(FaceMeans, TheArithmeticMeanOfExtremes) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  EXPECT_EQ(arithmetic_mean(Limits::max(), Limits::max()), Limits::max());
  EXPECT_EQ(arithmetic_mean(Limits::max(), Real{0}), Limits::max() / 2);
  EXPECT_EQ(arithmetic_mean(Limits::denorm_min(), Limits::denorm_min()), Limits::denorm_min());
  EXPECT_EQ(arithmetic_mean(Real(0.1), Real(0.3)), (Real(0.1) + Real(0.3)) / 2);
}

// Powers of two whose product is in range, in any order.
TYPED_TEST(FaceMeans, AProductThatIsInRangeIsFound) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  int const least = Limits::min_exponent - 1;
  int const most = Limits::max_exponent - 1;
  for (int a = least; a <= most; a += 11) {
    for (int b = least; b <= most; b += 13) {
      for (int c = least; c <= most; c += 17) {
        if (a + b + c < least || a + b + c > most) continue;
        EXPECT_EQ(product_in_range(this->power(a), this->power(b), this->power(c)), this->power(a + b + c));
      }
    }
  }
}

}  // namespace
}  // namespace halocline
