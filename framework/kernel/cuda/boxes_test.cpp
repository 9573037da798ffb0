#include <gtest/gtest.h>

#include "framework/kernel/cuda/test_tiles.hpp"

namespace halocline {
namespace {

using namespace kernel_test;

template <class Real, int Radius, int Axes>
struct BoxAndSum {
  static constexpr Shape shape = box<Radius, Axes>;
  FarBoxSum<Real, Radius, Axes> box_sum;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u) const {
    Real const value = box_sum(at, u);
    return {{value}, {value}};
  }
};

template <class Real>
class CudaBoxesTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaBoxesTest, Reals);

template <class Real, class Accumulator, int Radius, int Axes>
void check_boxes(std::vector<Extents> const& sizes) {
  int streamed = 0;
  for (Extents const& extents : sizes) {
    TestBlock<Real, Kokkos::Cuda> const u(extents, 4, 1);
    for (IndexRange const& range : ranges(extents)) {
      streamed += expect_same<Real, Accumulator>(range, extents, BoxAndSum<Real, Radius, Axes>{{Real{0.3125}}}, u);
    }
  }
  EXPECT_GT(streamed, 0);
}

/// A box along a line is a star, so it also streams along x.
template <class Real, int Radius>
void check_lines() {
  for (Index const count : {1, 2, 257, 4097, 65537}) {
    IndexRange const range{{5, 0, 0}, {5 + count, 1, 1}};
    TestLine<Real> const u(range.end[0], 1);
    auto const setup = [&](auto const& use) {
      TestLine<Real> const out(range.end[0], 2);
      use(kernel::make_task(test_geometry<Real>(), out.view(), BoxAndSum<Real, Radius, 1>{{Real{0.3125}}}, u.view()));
      return out.contents();
    };
    Forms<Real, PlainSum, decltype(setup)> const forms(range, setup);
    forms.expect_direct();
    forms.expect_line();
  }
}

template <class Real, int Radius>
void check_radius() {
  check_boxes<Real, Maximum, Radius, 3>(solid);
  check_boxes<Real, CompensatedSum, Radius, 2>(flat);
  check_lines<Real, Radius>();
}

TYPED_TEST(CudaBoxesTest, OfRadiusOne) { check_radius<TypeParam, 1>(); }
TYPED_TEST(CudaBoxesTest, OfRadiusTwo) { check_radius<TypeParam, 2>(); }
TYPED_TEST(CudaBoxesTest, OfRadiusThree) { check_radius<TypeParam, 3>(); }
TYPED_TEST(CudaBoxesTest, OfRadiusFour) { check_radius<TypeParam, 4>(); }

}  // namespace
}  // namespace halocline
