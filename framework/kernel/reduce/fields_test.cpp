#include "framework/kernel/reduce/fields.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/kernel/reduce/test_numbers.hpp"

namespace halocline::reduce {
namespace {

using namespace test;

template <class Case>
class ReduceFieldsTest : public testing::Test {};
TYPED_TEST_SUITE(ReduceFieldsTest, Cases);

/// Values of a field, surrounded by others that no reduction may read.
template <class Space, class Real>
class StoredField {
 public:
  explicit StoredField(std::vector<Real> const& owned) : memory_("field", row * (extents[1] + 2) * (extents[2] + 2)) {
    auto const host = Kokkos::create_mirror_view(memory_);
    Kokkos::deep_copy(host, std::numeric_limits<Real>::quiet_NaN());
    std::size_t n = 0;
    for (Index k = 0; k < extents[2]; ++k) {
      for (Index j = 0; j < extents[1]; ++j) {
        for (Index i = 0; i < extents[0]; ++i) host(static_cast<std::size_t>(place(i, j, k))) = owned[n++];
      }
    }
    Kokkos::deep_copy(memory_, host);
  }
  [[nodiscard]] BlockView<Real const> view() const { return {memory_.data() + place(0, 0, 0), row, plane}; }
  static constexpr Extents extents{37, 9, 5};
  static constexpr Index count = 37 * 9 * 5;
  static constexpr IndexRange range{{0, 0, 0}, extents};

 private:
  static constexpr Index row = 64;
  static constexpr Index plane = row * (extents[1] + 2);
  static Index place(Index i, Index j, Index k) { return 16 + i + (j + 1) * row + (k + 1) * plane; }
  Kokkos::View<Real*, Space> memory_;
};

TYPED_TEST(ReduceFieldsTest, FieldsReduceByTheSameKinds) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  using Field = StoredField<Space, Real>;
  auto const x = whole_numbers<Real>(Field::count, 9);
  auto const y = whole_numbers<Real>(Field::count, 10);
  Field const field_x(x);
  Field const field_y(y);
  double total = 0;
  double products = 0;
  double squares = 0;
  double magnitudes = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    double const value = static_cast<double>(x[n]);
    total += value;
    products += value * static_cast<double>(y[n]);
    squares += value * value;
    magnitudes += std::abs(value);
  }
  Space const space{};
  Reduction<Space> sums;
  of_fields<Sum>(space, Field::range, sums, field_x.view());
  EXPECT_EQ(sums.value(), total);
  of_fields<Dot>(space, Field::range, sums, field_x.view(), field_y.view());
  EXPECT_EQ(sums.value(), products);
  of_fields<SquareNorm>(space, Field::range, sums, field_x.view());
  EXPECT_EQ(sums.value(), squares);
  of_fields<OneNorm>(space, Field::range, sums, field_x.view());
  EXPECT_EQ(sums.value(), magnitudes);
  auto raised = x;
  for (Real& value : raised) value += Real{20};
  Field const positive(raised);
  Reduction<Space, Least> least;
  of_fields<Minimum>(space, Field::range, least, positive.view());
  EXPECT_EQ(least.value(), static_cast<double>(*std::min_element(raised.begin(), raised.end())));
  for (Real& value : raised) value -= Real{100};
  Field const negative(raised);
  Reduction<Space, Greatest> greatest;
  of_fields<Maximum>(space, Field::range, greatest, negative.view());
  EXPECT_EQ(greatest.value(), static_cast<double>(*std::max_element(raised.begin(), raised.end())));
  Reduction<Space, halocline::Maximum> norm;
  of_fields<MaximumNorm>(space, Field::range, norm, negative.view());
  EXPECT_EQ(norm.value(), -static_cast<double>(*std::min_element(raised.begin(), raised.end())));
  of_fields<Minimum>(space, {}, least, positive.view());
  EXPECT_EQ(least.value(), infinity);
  of_fields<Maximum>(space, {}, greatest, positive.view());
  EXPECT_EQ(greatest.value(), -infinity);
}

TYPED_TEST(ReduceFieldsTest, AFieldWithNotANumberHasNoLeastAndNoGreatest) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  using Field = StoredField<Space, Real>;
  for (Index const place : {Index{0}, Field::count / 2, Field::count - 1}) {
    auto numbers = random_numbers<Real>(Field::count, 11);
    numbers[static_cast<std::size_t>(place)] = std::numeric_limits<Real>::quiet_NaN();
    Field const field(numbers);
    Reduction<Space, Least> least;
    of_fields<Minimum>(Space{}, Field::range, least, field.view());
    EXPECT_TRUE(std::isnan(least.value())) << place;
    Reduction<Space, Greatest> greatest;
    of_fields<Maximum>(Space{}, Field::range, greatest, field.view());
    EXPECT_TRUE(std::isnan(greatest.value())) << place;
  }
}

}  // namespace
}  // namespace halocline::reduce
