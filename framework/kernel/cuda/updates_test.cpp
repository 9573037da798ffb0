#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/kernel/cuda/test_tiles.hpp"

namespace halocline {
namespace {

using namespace kernel_test;
using Space = Kokkos::Cuda;

/// One of two fields is updated in place; the other depends on it and on neighbours; three sums.
template <class Real>
struct InPlace {
  static constexpr Shape shape = star<1>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  Real weight;
  template <class P, class U, class D, class B>
  KOKKOS_FUNCTION Result<Real, 2, 3> operator()(P const&, U const& u, D const& d, B const& b) const {
    Real const residual = b[here] - ((u[east] - u[west]) + (u[north] - u[south]) + weight * (u[top] - u[bottom]));
    Real const step = weight * d[here] + residual;
    return {{step, u[here] + step}, {step * step, residual * residual, d[here]}};
  }
};

/// Two fields are updated in place from a third, point by point, with a sum.
template <class Real>
struct PointUpdate {
  static constexpr Shape shape = point;
  Real alpha;
  template <class P, class X, class D, class Z>
  KOKKOS_FUNCTION Result<Real, 2, 1> operator()(P const& at, X const& x, D const& d, Z const& z) const {
    Real const next = z[here] + alpha * at.position(2) * d[here];
    return {{x[here] + alpha * d[here], next}, {next * next}};
  }
};

/// Every other point is unchanged, but adds to the sum.
template <class Real, int Dimensions>
struct EveryOther {
  static constexpr Shape shape = star<1, Dimensions>;
  Real weight;
  template <class P>
  KOKKOS_FUNCTION int phase(P const& at) const {
    return static_cast<int>((at.index(0) + at.index(1) + at.index(2)) & 1);
  }
  template <int Phase, class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> in_phase(P const& at, U const& u) const {
    if constexpr (Phase == 0) {
      return {{u[here]}, {weight}};
    } else {
      Real value = weight * (u[west] - u[east]) + (u[south] - Real{2} * u[north]) + at.position(0);
      if constexpr (Dimensions > 2) value += u[bottom] + weight * u[top];
      return {{value}, {u[here]}};
    }
  }
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u) const {
    return phase(at) == 0 ? in_phase<0>(at, u) : in_phase<1>(at, u);
  }
};

/// An integer field chooses what is written.
template <class Real>
struct ByNumber {
  static constexpr Shape shape = point;
  template <class P, class U, class M>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, M const& number) const {
    return select(number[here] % 3 == 0, u[here], Real(number[here]));
  }
};

template <class Real>
class CudaUpdatesTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaUpdatesTest, Reals);

TYPED_TEST(CudaUpdatesTest, FunctorsWithPhases) {
  auto const streamed = []<int Dimensions>(std::integral_constant<int, Dimensions>, std::vector<Extents> const& sizes) {
    int count = 0;
    for (Extents const& extents : sizes) {
      TestBlock<TypeParam, Space> const u(extents, 4, 1);
      for (IndexRange const& range : ranges(extents)) {
        count +=
            expect_same<TypeParam, PlainSum>(range, extents, EveryOther<TypeParam, Dimensions>{TypeParam{0.25}}, u);
      }
    }
    return count;
  };
  EXPECT_GT(streamed(std::integral_constant<int, 3>(), solid), 0);
  EXPECT_GT(streamed(std::integral_constant<int, 2>(), flat), 0);
}

/// The TMA unit reads ahead what the sweep itself overwrites later.
TYPED_TEST(CudaUpdatesTest, PointsAreUpdatedInPlace) {
  int streamed = 0;
  for (Extents const& extents : solid) {
    for (IndexRange const& range : ranges(extents)) {
      auto const setup = [&](auto const& use) {
        TestBlock<TypeParam, Space> const x(extents, 1, 1);
        TestBlock<TypeParam, Space> const d(extents, 0, 2);
        TestBlock<TypeParam, Space> const z(extents, 0, 3, 9);
        use(kernel::make_task(test_geometry<TypeParam>(), outputs(x.view(), d.view()),
                              PointUpdate<TypeParam>{TypeParam{0.6875}}, x.view(), d.view(), z.view()));
        return joined(x.contents(), d.contents());
      };
      streamed += expect_every_form<TypeParam, CompensatedSum>(range, setup);
    }
  }
  EXPECT_GT(streamed, 0);
}

/// The same with neighbours.
TYPED_TEST(CudaUpdatesTest, OutputsMayBeInputs) {
  int streamed = 0;
  for (Extents const& extents : solid) {
    for (IndexRange const& range : ranges(extents)) {
      auto const setup = [&](auto const& use) {
        TestBlock<TypeParam, Space> const u(extents, 1, 1);
        TestBlock<TypeParam, Space> const d(extents, 2, 2);
        TestBlock<TypeParam, Space> const b(extents, 0, 3);
        TestBlock<TypeParam, Space> const next(extents, 1, 4);
        use(kernel::make_task(Geometry<TypeParam>{}, outputs(d.view(), next.view()),
                              InPlace<TypeParam>{TypeParam{0.6875}}, u.view(), d.view(), b.view()));
        return joined(d.contents(), next.contents());
      };
      streamed += expect_every_form<TypeParam, PlainSum>(range, setup);
    }
  }
  EXPECT_GT(streamed, 0);
}

/// A search leaves the fields unchanged, even those that the sweep updates in place, and its result is used afterwards.
TYPED_TEST(CudaUpdatesTest, ASearchChangesNoResult) {
  Extents const extents{256, 96, 64};
  TestBlock<TypeParam, Space> const u(extents, 1, 1);
  TestBlock<TypeParam, Space> const b(extents, 0, 2);
  Space const space{};
  auto const run = [&] {
    TestBlock<TypeParam, Space> const d(extents, 0, 3);
    TestBlock<TypeParam, Space> const next(extents, 1, 4);
    Reduction<Space> sums;
    sweep_reduce(space, d.owned(), Geometry<TypeParam>{}, sums, outputs(d.view(), next.view()),
                 InPlace<TypeParam>{TypeParam{0.6875}}, u.view(), d.view(), b.view());
    return Outcome<TypeParam>{joined(d.contents(), next.contents()), {sums.value(0), sums.value(1), sums.value(2)}};
  };
  auto const expect_equal = [](Outcome<TypeParam> const& expected, Outcome<TypeParam> const& actual) {
    EXPECT_EQ(first_difference(expected.fields, actual.fields), -1);
    EXPECT_EQ(first_difference(expected.sums, actual.sums), -1);
  };
  Outcome<TypeParam> const expected = run();
  kernel::cuda::forget_plans();
  kernel::tuner::set_mode(kernel::TuneMode::search);
  expect_equal(expected, run());
  kernel::tuner::set_mode(kernel::TuneMode::read);
  EXPECT_GT(kernel::tuner::found().size(), 0);
  expect_equal(expected, run());
}

/// Updates of large fields stream by default in 3D, and use the direct form in 2D, where nothing is searched.
TYPED_TEST(CudaUpdatesTest, UpdatesStreamInThreeDimensions) {
  Space const space{};
  for (Extents const& extents : {Extents{128, 128, 80}, Extents{1100, 1000, 1}}) {
    TestBlock<TypeParam, Space> const x(extents, 0, 1);
    TestBlock<TypeParam, Space> const d(extents, 0, 2);
    TestBlock<TypeParam, Space> const out(extents, 0, 3);
    TestBlock<TypeParam, Space> const other(extents, 0, 4);
    TestBlock<TypeParam, Space> const expected(extents, 0, 3);
    TestBlock<TypeParam, Space> const other_expected(extents, 0, 4);
    auto const task = [&](auto const& first, auto const& second) {
      return kernel::make_task(test_geometry<TypeParam>(), outputs(first.view(), second.view()),
                               PointUpdate<TypeParam>{TypeParam{0.6875}}, x.view(), d.view(), x.view());
    };
    Reduction<Space> sums;
    kernel::sweep_reduce_portably(space, out.owned(), task(expected, other_expected), sums);
    double const sum = sums.value();
    auto const mine = task(out, other);
    bool const streams = extents[2] > 1;
    EXPECT_EQ((kernel::cuda::form_of<std::remove_const_t<decltype(mine)>, PlainSum>(out.owned(), mine).find("str")),
              streams ? 0U : std::string::npos);
    kernel::cuda::forget_plans();
    kernel::tuner::set_mode(kernel::TuneMode::search);
    kernel::sweep_reduce_on_cuda(space, out.owned(), mine, sums);
    kernel::tuner::set_mode(kernel::TuneMode::read);
    EXPECT_EQ(sums.value(), sum);
    EXPECT_EQ(first_difference(expected.contents(), out.contents()), -1);
    EXPECT_EQ(first_difference(other_expected.contents(), other.contents()), -1);
    // The search's result can be written and read again.
    std::string const cache = kernel::tuner::cache().text();
    EXPECT_EQ(kernel::TuningTable::parse(cache, "cache").text(), cache);
  }
}

TYPED_TEST(CudaUpdatesTest, WholeNumbersAreReadDirectly) {
  Extents const extents{128, 128, 80};
  Index const row = 128;
  Index const plane = row * 128;
  TestBlock<TypeParam, Space> const u(extents, 0, 1);
  TestBlock<TypeParam, Space> const out(extents, 0, 2);
  TestBlock<TypeParam, Space> const expected(extents, 0, 2);
  Kokkos::View<int*, Space> const numbers("numbers", static_cast<std::size_t>(plane * 80));
  auto const host = Kokkos::create_mirror_view(numbers);
  for (std::size_t n = 0; n < host.extent(0); ++n) host(n) = static_cast<int>(n % 7);
  Kokkos::deep_copy(numbers, host);
  BlockView<int> const number{numbers.data(), row, plane};
  auto const geometry = test_geometry<TypeParam>();
  kernel::sweep_portably(Space{}, out.owned(),
                         kernel::make_task(geometry, expected.view(), ByNumber<TypeParam>{}, u.view(), number));
  sweep(Space{}, out.owned(), geometry, out.view(), ByNumber<TypeParam>{}, u.view(), number);
  Space{}.fence();
  EXPECT_EQ(first_difference(expected.contents(), out.contents()), -1);
}

}  // namespace
}  // namespace halocline
