#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "framework/kernel/cuda/test_tiles.hpp"
#include "framework/kernel/repeated_work.hpp"

namespace halocline {
namespace {

using namespace kernel_test;
using kernel::cuda::StreamTuning;
using Space = Kokkos::Cuda;

template <class Real, int Radius>
using FlatStarSum = LowStarSum<Real, Radius, 2>;

/// A 3D star with its sum; the second input is read at the point only.
template <class Real, int Radius>
struct SolidStarSum {
  static constexpr Shape shape = star<Radius>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  StarSum<Real, Radius> star_sum;
  template <class P, class U, class B>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u, B const& b) const {
    Real const value = star_sum(at, u) - b[here];
    return {{value}, {value * b[here]}};
  }
};

/// Each input is read along different axes.
template <class Real, int Radius>
struct SolidFluxes {
  static constexpr Shape shape = star<Radius>;
  static constexpr Shape input_shapes[4] = {line<Radius, 1>, shape, line<Radius, 0>, line<1, 2>};
  static constexpr Shape input_shape(int n) { return input_shapes[n]; }
  StarSum<Real, Radius> star_sum;
  template <class P, class Y, class U, class X, class Z>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, Y const& y, U const& u, X const& x, Z const& z) const {
    Real const value = star_sum(at, u) + x[along<0, Radius>] * x[along<0, -Radius>] -
                       (y[along<1, Radius>] * y[along<1, -Radius>] + z[top] * (z[here] - z[bottom]));
    return {{value}, {value * y[here]}};
  }
};
template <class Real, int Radius>
struct FlatFluxes {
  static constexpr Shape shape = star<Radius, 2>;
  static constexpr Shape input_shapes[3] = {line<Radius, 1>, shape, line<Radius, 0>};
  static constexpr Shape input_shape(int n) { return input_shapes[n]; }
  FlatStarSum<Real, Radius> star_sum;
  template <class P, class Y, class U, class X>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, Y const& y, U const& u, X const& x) const {
    Real const value = star_sum(at, u).value[0] + x[along<0, Radius>] * x[along<0, -Radius>] -
                       y[along<1, Radius>] * y[along<1, -Radius>];
    return {{value}, {value * y[here]}};
  }
};

template <class Real>
struct BoxAndFluxes {
  static constexpr Shape shape = box<1>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : n == 1 ? line<1, 1> : point; }
  BoxSum<Real> box_sum;
  template <class P, class U, class X, class B>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u, X const& x, B const& b) const {
    Real const value = box_sum(at, u) + x[north] * b[here] - x[south];
    return {{value}, {value * x[here]}};
  }
};

template <class Real>
class CudaTilesTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaTilesTest, Reals);

template <class Real, int Radius>
void check_stars() {
  int streamed = 0;
  for (Extents const& extents : solid) {
    TestBlock<Real, Space> const u(extents, 4, 1);
    TestBlock<Real, Space> const b(extents, 0, 2, 5);
    for (IndexRange const& range : ranges(extents)) {
      streamed += expect_same<Real, PlainSum>(range, extents, SolidStarSum<Real, Radius>{{Real{0.6875}}}, u, b);
    }
  }
  EXPECT_GT(streamed, 0);
  streamed = 0;
  for (Extents const& extents : flat) {
    TestBlock<Real, Space> const u(extents, 4, 1);
    for (IndexRange const& range : ranges(extents)) {
      streamed += expect_same<Real, CompensatedSum>(range, extents, FlatStarSum<Real, Radius>{Real{0.6875}}, u);
    }
  }
  EXPECT_GT(streamed, 0);
}

TYPED_TEST(CudaTilesTest, StarsOfRadiusOne) { check_stars<TypeParam, 1>(); }
TYPED_TEST(CudaTilesTest, StarsOfRadiusTwo) { check_stars<TypeParam, 2>(); }
TYPED_TEST(CudaTilesTest, StarsOfRadiusThree) { check_stars<TypeParam, 3>(); }
TYPED_TEST(CudaTilesTest, StarsOfRadiusFour) { check_stars<TypeParam, 4>(); }

template <class Real, int Radius>
void check_fluxes() {
  int streamed = 0;
  for (Extents const& extents : solid) {
    // No input has more ghosts than it needs, except for the padding that all have.
    TestBlock<Real, Space> const u(extents, Radius, 1);
    TestBlock<Real, Space> const x(extents, Radius, 2);
    TestBlock<Real, Space> const y(extents, Radius, 3, 7);
    TestBlock<Real, Space> const z(extents, 1, 4);
    for (IndexRange const& range : ranges(extents)) {
      streamed += expect_same<Real, PlainSum>(range, extents, SolidFluxes<Real, Radius>{{Real{0.6875}}}, y, u, x, z);
    }
  }
  EXPECT_GT(streamed, 0);
  streamed = 0;
  for (Extents const& extents : flat) {
    TestBlock<Real, Space> const u(extents, Radius, 1);
    TestBlock<Real, Space> const x(extents, Radius, 2);
    TestBlock<Real, Space> const y(extents, Radius, 3, 7);
    for (IndexRange const& range : ranges(extents)) {
      streamed += expect_same<Real, PlainSum>(range, extents, FlatFluxes<Real, Radius>{{Real{0.6875}}}, y, u, x);
    }
  }
  EXPECT_GT(streamed, 0);
}

/// A box beside inputs that are read along one axis or at the point only.
TYPED_TEST(CudaTilesTest, BoxesWithNarrowInputs) {
  int streamed = 0;
  for (Extents const& extents : solid) {
    TestBlock<TypeParam, Space> const u(extents, 1, 1);
    TestBlock<TypeParam, Space> const x(extents, 1, 2);
    TestBlock<TypeParam, Space> const b(extents, 0, 3);
    for (IndexRange const& range : ranges(extents)) {
      streamed +=
          expect_same<TypeParam, PlainSum>(range, extents, BoxAndFluxes<TypeParam>{{TypeParam{0.3125}}}, u, x, b);
    }
  }
  EXPECT_GT(streamed, 0);
}

TYPED_TEST(CudaTilesTest, InputsThatAreReadAlongOneAxis) { check_fluxes<TypeParam, 1>(); }
TYPED_TEST(CudaTilesTest, InputsThatAreReadFarAlongOneAxis) { check_fluxes<TypeParam, 3>(); }

/// Rows with any alignment: every form may only read and write one value at a time.
TYPED_TEST(CudaTilesTest, ViewsOfAnyAlignment) {
  Index const row = 75;
  Index const plane = row * 13;
  Kokkos::View<TypeParam*, Space> const from("from", static_cast<std::size_t>(plane * 9));
  Kokkos::View<TypeParam*, Space> const to("to", from.extent(0));
  Kokkos::View<TypeParam*, Space> const expected("expected", from.extent(0));
  auto const numbers = Kokkos::create_mirror_view(from);
  for (std::size_t n = 0; n < numbers.extent(0); ++n) numbers(n) = static_cast<TypeParam>(n * 7919 % 1009);
  Kokkos::deep_copy(from, numbers);
  auto const view = [&](Kokkos::View<TypeParam*, Space> const& memory) {
    return BlockView<TypeParam>{memory.data() + 1 + row + plane, row, plane};
  };
  IndexRange const range{{0, 0, 0}, {71, 11, 7}};
  BoxSum<TypeParam> const functor{TypeParam{0.3125}};
  sweep(Space{}, range, Geometry<TypeParam>{}, view(to), functor, view(from));
  kernel::sweep_portably(Space{}, range, kernel::make_task(Geometry<TypeParam>{}, view(expected), functor, view(from)));
  Space{}.fence();
  EXPECT_EQ(first_difference(contents_of(expected), contents_of(to)), -1);
}

/// The block that finishes a set of reduction tiles merges it.
TYPED_TEST(CudaTilesTest, MoreReductionTilesThanAreMergedAtOnce) {
  IndexRange const range{{5, 1, 0}, {11'999, 11'649, 1}};
  TestLine<TypeParam> const u(12'000 * 11'650, 1);
  TestLine<TypeParam> const out(12'000 * 11'650, 2);
  auto const as_plane = [](BlockView<TypeParam> view) {
    view.row = 12'000;
    return view;
  };
  auto const geometry = test_geometry<TypeParam>();
  expect_same_sums(range,
                   kernel::make_task(geometry, no_outputs, Dot<TypeParam>{}, as_plane(u.view()), as_plane(u.view())));
  expect_same_sums(range, kernel::make_task(geometry, as_plane(out.view()),
                                            FlatStarSum<TypeParam, 1>{TypeParam{0.6875}}, as_plane(u.view())));
}

/// A step reads what the TMA unit delivers while other steps write: every launch gives the same bits.
TYPED_TEST(CudaTilesTest, ManyLaunchesLeaveTheSameBits) {
  Extents const extents{256, 264, 66};
  TestBlock<TypeParam, Space> const u(extents, 1, 1);
  TestBlock<TypeParam, Space> const b(extents, 0, 2);
  TestBlock<TypeParam, Space> const out(extents, 1, 3);
  SolidStarSum<TypeParam, 1> const functor{{TypeParam{0.6875}}};
  auto const task = kernel::make_task(test_geometry<TypeParam>(), out.view(), functor, u.view(), b.view());
  using Task = std::remove_const_t<decltype(task)>;
  Space const space{};
  Reduction<Space> sums;
  kernel::sweep_reduce_portably(space, out.owned(), task, sums);
  double const expected_sum = sums.value();
  auto const expected = out.contents();
  Index const room = kernel::reduction_tile_room(kernel::ReductionTiles(out.owned()).total());
  for (int const pace : {0, 3}) {
    StreamTuning const tuning{64, 4, 3, 32, pace};
    for (int run = 0; run < 20; ++run) {
      sums.reserve(space, room, 1);
      ASSERT_TRUE((kernel::cuda::StreamSweep<Task, PlainSum>::run(space.cuda_stream(), out.owned(), task,
                                                                  {sums.partials(), room, sums.results()}, &tuning)));
      ASSERT_EQ(sums.value(), expected_sum) << run;
    }
    ASSERT_EQ(first_difference(expected, out.contents()), -1);
  }
}

TYPED_TEST(CudaTilesTest, RepeatedWorkIsReplayedWithItsArguments) {
  Extents const extents{70, 33, 20};
  TestBlock<TypeParam, Space> const u(extents, 1, 1);
  TestBlock<TypeParam, Space> const b(extents, 0, 2);
  TestBlock<TypeParam, Space> const out(extents, 1, 3);
  TestBlock<TypeParam, Space> const expected(extents, 1, 3);
  Space const space{};
  Reduction<Space> sums;
  kernel::RepeatedWork<Space, TypeParam> work;
  for (TypeParam const weight : {TypeParam{0.5}, TypeParam{0.25}}) {
    SolidStarSum<TypeParam, 1> const functor{{weight}};
    sweep_reduce(space, out.owned(), test_geometry<TypeParam>(), sums, expected.view(), functor, u.view(), b.view());
    double const sum = sums.value();
    for (int run = 0; run < 5; ++run) {
      sweep(space, out.owned(), test_geometry<TypeParam>(), out.view(), Clear<TypeParam>{});
      bool const called = work.run(space, weight, [&] {
        sweep_reduce(space, out.owned(), test_geometry<TypeParam>(), sums, out.view(), functor, u.view(), b.view());
      });
      EXPECT_EQ(called, run < 2);
      sums.enqueued(space);
      EXPECT_EQ(sums.value(), sum) << run;
      space.fence();
      EXPECT_EQ(first_difference(expected.contents(), out.contents()), -1) << run;
    }
  }
}

}  // namespace
}  // namespace halocline
