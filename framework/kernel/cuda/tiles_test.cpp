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

TYPED_TEST(CudaTilesTest, FunctorsWithPhases) {
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

/// The TMA unit reads ahead what the sweep itself overwrites later.
TYPED_TEST(CudaTilesTest, PointsAreUpdatedInPlace) {
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
TYPED_TEST(CudaTilesTest, OutputsMayBeInputs) {
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

/// A search leaves the fields unchanged, even those that the sweep updates in place, and its result is used afterwards.
TYPED_TEST(CudaTilesTest, ASearchChangesNoResult) {
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
TYPED_TEST(CudaTilesTest, UpdatesStreamInThreeDimensions) {
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

TYPED_TEST(CudaTilesTest, WholeNumbersAreReadDirectly) {
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
