#include "framework/kernel/tiled.hpp"

#include <gtest/gtest.h>

#include "framework/kernel/test_sweeps.hpp"

namespace halocline {
namespace {

using namespace kernel_test;

template <class Space>
class TiledTest : public testing::Test {};
using Spaces = testing::Types<
#if defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP,
#endif
#if defined(KOKKOS_ENABLE_THREADS)
    Kokkos::Threads,
#endif
#if defined(HALOCLINE_KERNEL_DEVICE)
    Kokkos::DefaultExecutionSpace,
#endif
    Kokkos::Serial>;
TYPED_TEST_SUITE(TiledTest, Spaces);

/// Where sweeps are compared: extents with ghosts around them, and a part of them. Neither tiles nor stacks of tiles
/// fit.
struct Case {
  Extents extents;
  IndexRange range;
};
std::vector<Case> const boxes = {{{140, 5, 3}, {{3, 1, 0}, {140, 5, 3}}},
                                 {{128, 1, 2}, {{0, 0, 0}, {128, 1, 2}}},
                                 {{389, 17, 27}, {{1, 0, 2}, {387, 17, 27}}}};
std::vector<Case> const squares = {{{300, 37, 1}, {{7, 3, 0}, {300, 36, 1}}}, {{256, 8, 1}, {{0, 0, 0}, {256, 8, 1}}}};

/// Star of radius 3 in 2D, of two inputs with different radii, the second in another precision.
template <class Real>
struct FlatPair {
  static constexpr Shape shape = star<3, 2>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : star<1, 2>; }
  template <class P, class U, class K>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u, K const& k) const {
    Real const across = u[along<0, 3>] - Real{2} * u[along<0, -2>] + static_cast<Real>(k[east]);
    Real const value =
        across * u[along<1, -3>] + static_cast<Real>(k[south]) * u[along<1, 2>] + u[here] * at.position(0);
    return {{value}, {value * value}};
  }
};

/// Reads one input along z alone and another at its point alone.
template <class Real>
struct Upwards {
  static constexpr Shape shape = line<2, 2>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class B>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, B const& b) const {
    return u[along<2, 2>] + b[here] * (u[here] - u[along<2, -2>]) - u[bottom];
  }
};

/// Compares all values of an output with those of the portable form; everything outside the range stays.
template <class Space, class Real, class Functor, class... Blocks>
void expect_same_values(Case const& at, Functor const& functor, Blocks const&... in) {
  TestBlock<Real, Space> const expected(at.extents, 1, 9);
  TestBlock<Real, Space> const tiled(at.extents, 1, 9);
  auto const task_of = [&](auto const& out) {
    return kernel::make_task(test_geometry<Real>(), out.view(), functor, in.view()...);
  };
  using Task = decltype(task_of(tiled));
  static_assert(kernel::TileShape<Task>::possible);
  ASSERT_TRUE(kernel::suits_tiles<Task>(at.range));
  kernel::sweep_portably(Space{}, at.range, task_of(expected));
  kernel::enqueue_tiled<Space, Task, PlainSum>(Space{}, at.range, task_of(tiled), nullptr);
  Space{}.fence();
  EXPECT_EQ(first_difference(expected.contents(), tiled.contents()), -1)
      << at.extents[0] << " x " << at.extents[1] << " x " << at.extents[2];
}

TYPED_TEST(TiledTest, ValuesHaveTheBitsOfThePortableForm) {
  for (Case const& box : boxes) {
    TestBlock<double, TypeParam> const u(box.extents, 1, 1);
    expect_same_values<TypeParam, double>(box, StarSum<double, 1>{0.7}, u);
    TestBlock<double, TypeParam> const wide(box.extents, 4, 2);
    expect_same_values<TypeParam, double>(box, StarSum<double, 4>{0.7}, wide);
    TestBlock<float, TypeParam> const single(box.extents, 4, 3, 5);
    expect_same_values<TypeParam, float>(box, StarSum<float, 4>{0.7F}, single);
    TestBlock<double, TypeParam> const b(box.extents, 0, 4);
    expect_same_values<TypeParam, double>(box, Upwards<double>{}, wide, b);
  }
}

/// Values of all outputs and sums by the kernel that `enqueue(task, columns)` starts.
template <class Space, class Accumulator, class MakeTask, class Enqueue>
std::vector<double> sums_of(IndexRange const& range, MakeTask const& task, Enqueue const& enqueue) {
  Reduction<Space, Accumulator> sums;
  using Task = std::decay_t<decltype(task)>;
  kernel::reduce_columns<Task>(Space{}, range, sums, [&](Accumulator* columns) { enqueue(task, columns); });
  Space{}.fence();
  std::vector<double> values;
  for (int n = 0; n < Task::sums; ++n) values.push_back(sums.value(n));
  return values;
}

template <class Space, class Accumulator, class MakeTask, class Outputs>
void expect_same_sums(Case const& at, MakeTask const& make_task, Outputs const& expected, Outputs const& tiled) {
  auto const task = make_task(tiled);
  using Task = std::decay_t<decltype(task)>;
  static_assert(kernel::TileShape<Task>::possible);
  ASSERT_TRUE(kernel::suits_tiles<Task>(at.range));
  auto const portable_sums = sums_of<Space, Accumulator>(
      at.range, make_task(expected),
      [&](Task const& one, Accumulator* columns) { kernel::enqueue_columns(Space{}, at.range, one, columns); });
  auto const tiled_sums = sums_of<Space, Accumulator>(at.range, task, [&](Task const& one, Accumulator* columns) {
    kernel::enqueue_tiled(Space{}, at.range, one, columns);
  });
  EXPECT_EQ(first_difference(portable_sums, tiled_sums), -1);
  for (std::size_t n = 0; n < expected.size(); ++n)
    EXPECT_EQ(first_difference(expected[n].contents(), tiled[n].contents()), -1) << n;
}

template <class Space, class Accumulator>
void expect_same_sums_of_boxes() {
  for (Case const& box : boxes) {
    TestBlock<double, Space> const u(box.extents, 1, 1);
    TestBlock<double, Space> const k(box.extents, 2, 2, 7);
    TestBlock<double, Space> const b(box.extents, 1, 3);
    using Blocks = std::vector<TestBlock<double, Space>>;
    Blocks const expected{{box.extents, 0, 4}, {box.extents, 0, 5}};
    Blocks const tiled{{box.extents, 0, 4}, {box.extents, 0, 5}};
    expect_same_sums<Space, Accumulator>(
        box,
        [&](Blocks const& out) {
          return kernel::make_task(Geometry<double>{}, outputs(out[0].view(), out[1].view()), Mixed<double>{}, u.view(),
                                   k.view(), b.view());
        },
        expected, tiled);
  }
}

TYPED_TEST(TiledTest, SumsHaveTheBitsOfThePortableForm) {
  expect_same_sums_of_boxes<TypeParam, PlainSum>();
  expect_same_sums_of_boxes<TypeParam, CompensatedSum>();
}

TYPED_TEST(TiledTest, SquaresOfTwoPrecisions) {
  for (Case const& square : squares) {
    TestBlock<double, TypeParam> const u(square.extents, 3, 1);
    TestBlock<float, TypeParam> const k(square.extents, 1, 2);
    using Blocks = std::vector<TestBlock<double, TypeParam>>;
    Blocks const expected{{square.extents, 0, 4}};
    Blocks const tiled{{square.extents, 0, 4}};
    expect_same_sums<TypeParam, PlainSum>(
        square,
        [&](Blocks const& out) {
          return kernel::make_task(Geometry<double>{}, out[0].view(), FlatPair<double>{}, u.view(), k.view());
        },
        expected, tiled);
  }
}

TYPED_TEST(TiledTest, OtherRangesAndFunctorsAreLeftToThePortableForm) {
  TestBlock<double, TypeParam> const u({8, 8, 8}, 1, 1);
  auto const star = kernel::make_task(Geometry<double>{}, u.view(), StarSum<double, 1>{0.7}, u.view());
  using Star = std::decay_t<decltype(star)>;
  EXPECT_FALSE(kernel::suits_tiles<Star>({{0, 0, 0}, {100, 8, 8}}));  // narrow
  EXPECT_FALSE(kernel::suits_tiles<Star>({{0, 0, 0}, {256, 8, 1}}));  // a plane
  EXPECT_FALSE(kernel::suits_tiles<Star>({{0, 0, 0}, {256, 0, 8}}));
  EXPECT_TRUE(kernel::is_tiled<Star>({{0, 0, 0}, {128, 128, 64}}));
  EXPECT_FALSE(kernel::is_tiled<Star>({{0, 0, 0}, {128, 128, 63}}));  // small
  auto const box = kernel::make_task(Geometry<double>{}, u.view(), BoxSum<double>{0.7}, u.view());
  EXPECT_FALSE(kernel::TileShape<std::decay_t<decltype(box)>>::possible);
  auto const dot = kernel::make_task(Geometry<double>{}, no_outputs, Dot<double>{}, u.view(), u.view());
  EXPECT_FALSE(kernel::TileShape<std::decay_t<decltype(dot)>>::possible);
}

}  // namespace
}  // namespace halocline
