#include <gtest/gtest.h>

#include <ostream>

#include "framework/kernel/test_host_forms.hpp"

namespace halocline {
namespace {

using namespace kernel_test;
using kernel::Stores;

/// Extents that are one, prime, or next to a multiple of vectors, pieces, tiles and segments; 1D, 2D and 3D.
std::vector<Extents> const awkward = {{1, 1, 1}, {2, 1, 1}, {63, 1, 1},  {64, 1, 1},  {65, 1, 1},   {4099, 1, 1},
                                      {1, 3, 1}, {7, 5, 1}, {65, 64, 1}, {129, 9, 1}, {8197, 2, 1}, {1, 1, 5},
                                      {2, 3, 1}, {3, 2, 5}, {31, 7, 11}, {64, 3, 63}, {65, 17, 6},  {16, 1, 9}};

template <class Space>
class SweepTest : public testing::Test {};
using Spaces = testing::Types<
#if defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP,
#endif
#if defined(KOKKOS_ENABLE_THREADS)
    Kokkos::Threads,
#endif
    Kokkos::Serial>;
TYPED_TEST_SUITE(SweepTest, Spaces);

template <class Real, class Space>
void check_shapes(Space const& space) {
  for (Extents const& extents : awkward) {
    TestBlock<Real, Space> const u(extents, 4, 1);
    expect_same_fields<Real, 1>(space, extents, StarSum<Real, 1>{Real{0.6875}}, u);
    expect_same_fields<Real, 1>(space, extents, StarSum<Real, 4>{Real{0.6875}}, u);
    expect_same_fields<Real, 1>(space, extents, BoxSum<Real>{Real{0.3125}}, u);
  }
}

TYPED_TEST(SweepTest, HostFormHasTheBitsOfThePortableFormInDouble) { check_shapes<double>(TypeParam{}); }
TYPED_TEST(SweepTest, HostFormHasTheBitsOfThePortableFormInFloat) { check_shapes<float>(TypeParam{}); }

/// Compares with plain loops, since comparing the two forms would not reveal a mistake that they share.
TYPED_TEST(SweepTest, PortableFormEvaluatesEveryPoint) {
  Extents const extents{7, 5, 3};
  TestBlock<double, TypeParam> const u(extents, 1, 1);
  TestBlock<double, TypeParam> const out(extents, 0, 2);
  StarSum<double, 1> const functor{0.6875};
  auto const geometry = test_geometry<double>();
  kernel::sweep_portably(TypeParam{}, out.owned(), kernel::make_task(geometry, out.view(), functor, u.view()));
  TypeParam{}.fence();
  auto const v = u.view();
  for (Index k = 0; k < extents[2]; ++k) {
    for (Index j = 0; j < extents[1]; ++j) {
      for (Index i = 0; i < extents[0]; ++i) {
        double const neighbours = (v(i + 1, j, k) + 2 * v(i - 1, j, k)) + (v(i, j + 1, k) - v(i, j - 1, k)) +
                                  (v(i, j, k + 1) + 0.6875 * v(i, j, k - 1));
        double const x = 0.125 * static_cast<double>(1000 + i);
        double const y = -7 + 0.3125 * static_cast<double>(j);
        double const expected =
            0.6875 * v(i, j, k) + neighbours + 0.6875 * x - y + 0.75 * static_cast<double>((3 + k) % 7);
        ASSERT_EQ(out.view()(i, j, k), expected) << i << ' ' << j << ' ' << k;
      }
    }
  }
}

TYPED_TEST(SweepTest, SweepChoosesByItself) {
  Extents const extents{65, 33, 40};
  TestBlock<double, TypeParam> const u(extents, 1, 1);
  TestBlock<double, TypeParam> const a(extents, 0, 2);
  TestBlock<double, TypeParam> const b(extents, 0, 2);
  BoxSum<double> const functor{0.3};
  sweep(TypeParam{}, a.owned(), Geometry<double>{}, a.view(), functor, u.view());
  kernel::sweep_portably(TypeParam{}, b.owned(), kernel::make_task(Geometry<double>{}, b.view(), functor, u.view()));
  TypeParam{}.fence();
  EXPECT_EQ(first_difference(a.contents(), b.contents()), -1);
}

TYPED_TEST(SweepTest, NothingIsDoneOnAnEmptyRange) {
  TestBlock<double, TypeParam> const u({4, 4, 4}, 1, 1);
  TestBlock<double, TypeParam> const out({4, 4, 4}, 1, 2);
  auto const before = out.contents();
  for (IndexRange const& range :
       {IndexRange{{1, 1, 1}, {1, 3, 3}}, IndexRange{{1, 1, 1}, {3, 1, 3}}, IndexRange{{1, 1, 1}, {3, 3, 0}}}) {
    sweep(TypeParam{}, range, Geometry<double>{}, out.view(), BoxSum<double>{1}, u.view());
    Reduction<TypeParam> sums;
    sweep_reduce(TypeParam{}, range, Geometry<double>{}, sums, no_outputs, Dot<double>{}, u.view(), u.view());
    EXPECT_EQ(sums.value(), 0.0);
    kernel::sweep_reduce_portably(
        TypeParam{}, range, kernel::make_task(Geometry<double>{}, no_outputs, Dot<double>{}, u.view(), u.view()), sums);
    TypeParam{}.fence();
    EXPECT_EQ(sums.value(), 0.0);
  }
  EXPECT_EQ(first_difference(before, out.contents()), -1);
}

TYPED_TEST(SweepTest, OutputsOfTheirOwnWhoseRowsMeetCacheLinesAlikeMayBeStreamed) {
  Extents const extents{100, 3, 3};
  TestBlock<double, TypeParam> const u(extents, 1, 1);
  TestBlock<double, TypeParam> const a(extents, 1, 2);
  TestBlock<double, TypeParam> const b(extents, 1, 3);
  auto const streamable = [&](auto const& out) {
    return kernel::traffic_of(kernel::make_task(Geometry<double>{}, out, AddInPlace<double>{2}, u.view(), b.view()))
        .streamable;
  };
  EXPECT_TRUE(streamable(a.view()));
  EXPECT_FALSE(streamable(u.view()));
  EXPECT_FALSE(streamable(BlockView<double>{a.view().origin, a.view().row + 1, a.view().plane}));
}

TEST(HostPlanTest, StreamsWhatTheCachesDoNotHold) {
  kernel::HostTraffic const traffic{.radius = 1, .input_bytes = 8, .output_bytes = 8, .streamable = true};
  kernel::HostTraffic in_place = traffic;
  in_place.streamable = false;
  Index const rows = kernel::last_level_cache() / (16 * 256);
  auto const plan = [](Index count, kernel::HostTraffic const& of, Stores stores) {
    return kernel::plan_host_sweep({{0, 0, 0}, {256, count, 1}}, of, {.stores = stores}, 2);
  };
  EXPECT_TRUE(plan(rows + 1, traffic, Stores::automatic).streaming);
  EXPECT_FALSE(plan(rows + 1, traffic, Stores::plain).streaming);
  EXPECT_FALSE(plan(rows + 1, in_place, Stores::streaming).streaming);
  EXPECT_FALSE(plan(rows / 2, traffic, Stores::automatic).streaming);
  EXPECT_TRUE(plan(1, traffic, Stores::streaming).streaming);
  EXPECT_TRUE(plan(rows, traffic, Stores::automatic).prefetching);
  EXPECT_FALSE(plan(1, traffic, Stores::automatic).prefetching);
}

/// Rows that do not begin on cache lines cannot be streamed; if streaming is requested, the sweep stores normally.
TYPED_TEST(SweepTest, UnalignedOutputsAreNotStreamed) {
  Extents const extents{100, 3, 3};
  TestBlock<double, TypeParam> const u(extents, 1, 1);
  for (Index const row : {Index{101}, Index{104}}) {
    std::vector<double> memory(1000, -1.0);
    BlockView<double> const out{memory.data() + 1, row, 3 * row};
    kernel::sweep_on_host(TypeParam{}, u.owned(),
                          kernel::make_task(Geometry<double>{}, out, BoxSum<double>{0.3}, u.view()),
                          {1, 0, Stores::streaming});
    TestBlock<double, TypeParam> const expected(extents, 0, 2);
    sweep(TypeParam{}, u.owned(), Geometry<double>{}, expected.view(), BoxSum<double>{0.3}, u.view());
    for (Index k = 0; k < 3; ++k) {
      for (Index j = 0; j < 3; ++j) {
        for (Index i = 0; i < 100; ++i) ASSERT_EQ(out(i, j, k), expected.view()(i, j, k));
      }
    }
  }
}

}  // namespace
}  // namespace halocline
