#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "framework/kernel/repeated_work.hpp"
#include "framework/kernel/test_sweeps.hpp"

namespace halocline {
namespace {

using namespace kernel_test;
using kernel::cuda::StreamTuning;
using Space = Kokkos::Cuda;

/// Every point of a star in the plane.
template <class Real, int Radius>
struct FlatStarSum {
  static constexpr Shape shape = star<Radius, 2>;
  Real weight;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 2> operator()(P const& at, U const& u) const {
    Real const value = sum(u, std::make_integer_sequence<int, Radius>()) + at.position(0) - weight * at.position(1);
    return {{value}, {value, u[here] * u[here]}};
  }
  template <class U, int... N>
  KOKKOS_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return ((weight * u[here]) + ... +
            ((u[along<0, N + 1>] + Real{2} * u[along<0, -N - 1>]) + (u[along<1, N + 1>] - u[along<1, -N - 1>])));
  }
};

/// The star of a cube with its sum; the second input is read at the point only.
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

template <class Real>
struct Clear {
  static constexpr Shape shape = point;
  template <class P>
  KOKKOS_FUNCTION Real operator()(P const&) const {
    return 0;
  }
};

template <class Real, int Radius>
struct BoxAndSum {
  static constexpr Shape shape = box<1>;
  BoxSum<Real> box_sum;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u) const {
    Real const value = box_sum(at, u);
    return {{value}, {value}};
  }
};

template <class Real>
struct Second {
  static constexpr Shape shape = star<1, 1>;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return u[west] + u[here] + u[east];
  }
};

/// One of two fields is updated in place, the other is made of it and of neighbours; three sums.
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

/// Every point of a line.
template <class Real, int Radius>
struct LineStarSum {
  static constexpr Shape shape = star<Radius, 1>;
  Real weight;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const& at, U const& u) const {
    Real const value = sum(u, std::make_integer_sequence<int, Radius>()) + weight * at.position(0);
    return {{value}, {value * u[here]}};
  }
  template <class U, int... N>
  KOKKOS_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return ((weight * u[here]) + ... + (u[along<0, N + 1>] + Real{2} * u[along<0, -N - 1>]));
  }
};

/// The same without a sum.
template <class Real, int Radius>
struct LineStar {
  static constexpr Shape shape = star<Radius, 1>;
  LineStarSum<Real, Radius> star_sum;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    return star_sum(at, u).value[0];
  }
};

/// The sum alone.
template <class Real, int Radius>
struct LineNorm {
  static constexpr Shape shape = star<Radius, 1>;
  LineStarSum<Real, Radius> star_sum;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 0, 1> operator()(P const& at, U const& u) const {
    return {{}, {select(star_sum(at, u).value[0] < 0, Real{0}, star_sum(at, u).value[0])}};
  }
};

/// Two outputs and three sums of three inputs that are read to different distances.
template <class Real, int Radius>
struct LineMixed {
  static constexpr Shape shape = star<Radius, 1>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : n == 1 ? point : star<1, 1>; }
  LineStarSum<Real, Radius> star_sum;
  template <class P, class U, class B, class K>
  KOKKOS_FUNCTION Result<Real, 2, 3> operator()(P const& at, U const& u, B const& b, K const& k) const {
    Real const value = star_sum(at, u).value[0] - b[here];
    Real const flux = k[east] - k[west];
    return {{value, flux}, {value * value, flux, b[here] * k[here]}};
  }
};

/// One of two fields is updated in place, the other is made of it and of neighbours.
template <class Real>
struct LineInPlace {
  static constexpr Shape shape = star<1, 1>;
  Real weight;
  template <class P, class U, class D>
  KOKKOS_FUNCTION Result<Real, 2, 1> operator()(P const&, U const& u, D const& d) const {
    Real const step = weight * d[here] + (u[east] - u[west]);
    return {{step, u[here] + step}, {step * step}};
  }
};

std::string name(IndexRange const& range) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    text += std::to_string(range.begin[a]) + ".." + std::to_string(range.end[a]) + (axis < 2 ? " x " : "");
  }
  return text;
}

std::vector<StreamTuning> tunings() {
  std::vector<StreamTuning> all;
  for (auto const& [x, y] : std::vector<std::pair<int, int>>{{32, 4}, {32, 8}, {64, 4}, {128, 2}, {16, 16}}) {
    for (int const ahead : {1, 3}) {
      for (Index const planes : {0, 8, 16}) {
        for (int const pace : {0, 2}) all.push_back({x, y, ahead, planes, pace});
      }
    }
  }
  return all;
}

/// What a sweep leaves: all fields with their ghosts, and the sums.
template <class Real>
struct Outcome {
  std::vector<Real> fields;
  std::vector<double> sums;
};

/// Runs the portable form once and the forms for CUDA, by every tuning. All must leave the same bits everywhere.
/// Returns how many of the tunings suited the range.
template <class Real, class Accumulator, class Functor, class... Input>
int expect_same(IndexRange const& range, Extents const& extents, Functor const& functor, Input const&... input) {
  Space const space{};
  int streamed = 0;
  auto const run = [&](auto const& sweep) {
    TestBlock<Real, Space> const out(extents, 4, 100, 3);
    auto const task = kernel::make_task(test_geometry<Real>(), out.view(), functor, input.view()...);
    using Task = std::remove_const_t<decltype(task)>;
    Reduction<Space, Accumulator> sums;
    sums.reserve(space, Task::sums * kernel::brick_room(kernel::Bricks(range).total()), Task::sums);
    Outcome<Real> outcome;
    sweep(task, sums);
    space.fence();
    for (int n = 0; n < Task::sums; ++n) outcome.sums.push_back(sums.value(n));
    outcome.fields = out.contents();
    return outcome;
  };
  auto const stream = space.cuda_stream();
  auto const bricks = [&](auto& sums) {
    return kernel::cuda::BrickSums<Accumulator>{sums.partials(), kernel::brick_room(kernel::Bricks(range).total()),
                                                sums.results()};
  };
  auto const expected =
      run([&](auto const& task, auto& sums) { kernel::sweep_reduce_portably(space, range, task, sums); });
  auto const compare = [&](Outcome<Real> const& actual, std::string const& form) {
    EXPECT_EQ(first_difference(expected.fields, actual.fields), -1) << form << " of " << name(range);
    EXPECT_EQ(first_difference(expected.sums, actual.sums), -1) << form << " of " << name(range);
  };
  compare(run([&](auto const& task, auto& sums) { kernel::cuda::run_direct(stream, range, task, bricks(sums)); }),
          "direct form");
  for (StreamTuning const& tuning : tunings()) {
    bool suits = false;
    auto const actual = run([&](auto const& task, auto& sums) {
      using Task = std::remove_cvref_t<decltype(task)>;
      suits = kernel::cuda::StreamSweep<Task, Accumulator>::run(stream, range, task, bricks(sums), &tuning);
    });
    if (!suits) continue;
    ++streamed;
    compare(actual, "streaming by " + std::to_string(tuning.threads_x) + " x " + std::to_string(tuning.threads_y) +
                        " threads, " + std::to_string(tuning.ahead) + " ahead, " + std::to_string(tuning.planes) +
                        " planes, pace " + std::to_string(tuning.pace));
  }
  return streamed;
}

/// The whole of a block, and a part that starts and ends anywhere inside.
std::vector<IndexRange> ranges(Extents const& extents) {
  IndexRange inner{{0, 0, 0}, extents};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (extents[axis] > 5) inner.begin[axis] += 3, inner.end[axis] -= 2;
  }
  return {IndexRange{{0, 0, 0}, extents}, inner};
}

std::vector<Extents> const solid = {{65, 17, 6}, {31, 7, 11}, {2, 3, 2}, {1, 1, 5}, {300, 41, 67}, {513, 64, 9}};
std::vector<Extents> const flat = {{7, 5, 1}, {65, 64, 1}, {129, 9, 1}, {1030, 211, 1}, {256, 2, 1}};

template <class Real>
class CudaSweepTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaSweepTest, Reals);

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

TYPED_TEST(CudaSweepTest, StarsOfRadiusOne) { check_stars<TypeParam, 1>(); }
TYPED_TEST(CudaSweepTest, StarsOfRadiusTwo) { check_stars<TypeParam, 2>(); }
TYPED_TEST(CudaSweepTest, StarsOfRadiusThree) { check_stars<TypeParam, 3>(); }
TYPED_TEST(CudaSweepTest, StarsOfRadiusFour) { check_stars<TypeParam, 4>(); }

TYPED_TEST(CudaSweepTest, Boxes) {
  int streamed = 0;
  for (Extents const& extents : solid) {
    TestBlock<TypeParam, Space> const u(extents, 4, 1);
    for (IndexRange const& range : ranges(extents)) {
      streamed += expect_same<TypeParam, Maximum>(range, extents, BoxAndSum<TypeParam, 1>{{TypeParam{0.3125}}}, u);
    }
  }
  EXPECT_GT(streamed, 0);
}

/// What the copy engine brings early is what the sweep itself overwrites late.
TYPED_TEST(CudaSweepTest, OutputsMayBeInputs) {
  Space const space{};
  int streamed = 0;
  for (Extents const& extents : solid) {
    for (IndexRange const& range : ranges(extents)) {
      Index const room = kernel::brick_room(kernel::Bricks(range).total());
      auto const run = [&](auto const& sweep) {
        TestBlock<TypeParam, Space> const u(extents, 1, 1);
        TestBlock<TypeParam, Space> const d(extents, 2, 2);
        TestBlock<TypeParam, Space> const b(extents, 0, 3);
        TestBlock<TypeParam, Space> const next(extents, 1, 4);
        auto const task = kernel::make_task(Geometry<TypeParam>{}, outputs(d.view(), next.view()),
                                            InPlace<TypeParam>{TypeParam{0.6875}}, u.view(), d.view(), b.view());
        Reduction<Space> sums;
        sums.reserve(space, 3 * room, 3);
        sweep(task, sums);
        space.fence();
        std::vector<TypeParam> fields = d.contents();
        auto const more = next.contents();
        fields.insert(fields.end(), more.begin(), more.end());
        return Outcome<TypeParam>{fields, {sums.value(0), sums.value(1), sums.value(2)}};
      };
      auto const expected =
          run([&](auto const& task, auto& sums) { kernel::sweep_reduce_portably(space, range, task, sums); });
      auto const compare = [&](Outcome<TypeParam> const& actual) {
        EXPECT_EQ(first_difference(expected.fields, actual.fields), -1) << name(range);
        EXPECT_EQ(first_difference(expected.sums, actual.sums), -1) << name(range);
      };
      auto const bricks = [&](auto& sums) {
        return kernel::cuda::BrickSums<PlainSum>{sums.partials(), room, sums.results()};
      };
      compare(run([&](auto const& task, auto& sums) {
        kernel::cuda::run_direct(space.cuda_stream(), range, task, bricks(sums));
      }));
      for (StreamTuning const& tuning : tunings()) {
        bool suits = false;
        auto const actual = run([&](auto const& task, auto& sums) {
          using Task = std::remove_cvref_t<decltype(task)>;
          suits =
              kernel::cuda::StreamSweep<Task, PlainSum>::run(space.cuda_stream(), range, task, bricks(sums), &tuning);
        });
        if (suits) compare(actual);
        streamed += suits ? 1 : 0;
      }
    }
  }
  EXPECT_GT(streamed, 0);
}

/// The last pack of a row may reach beyond what a field has, and nothing may be read there.
TYPED_TEST(CudaSweepTest, NothingIsReadBeyondTheGhosts) {
  for (Index const count : {Index{13}, Index{14}, Index{15}, Index{30}}) {
    // As a Field lays it out: no entry after the last row's end.
    Index const line = 64 / static_cast<Index>(sizeof(TypeParam));
    Index const row = line + (count + 1 + line - 1) / line * line;
    Kokkos::View<TypeParam*, Space> const from("from", static_cast<std::size_t>(row));
    Kokkos::View<TypeParam*, Space> const to("to", static_cast<std::size_t>(row));
    Kokkos::deep_copy(from, TypeParam{2});
    auto const view = [&](Kokkos::View<TypeParam*, Space> const& memory) {
      return BlockView<TypeParam>{memory.data() + line, row, row};
    };
    sweep(Space{}, {{0, 0, 0}, {count, 1, 1}}, Geometry<TypeParam>{}, view(to), Second<TypeParam>{}, view(from));
    Space{}.fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, to);
    for (Index i = 0; i < row; ++i) {
      EXPECT_EQ(host(static_cast<std::size_t>(i)), i >= line && i < line + count ? TypeParam{6} : TypeParam{0}) << i;
    }
  }
}

/// Rows that start anywhere: no form may read or write more than a number at a time.
TYPED_TEST(CudaSweepTest, ViewsOfAnyAlignment) {
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
  auto const host = [](auto const& memory) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, memory);
    return std::vector<TypeParam>(copy.data(), copy.data() + copy.extent(0));
  };
  EXPECT_EQ(first_difference(host(expected), host(to)), -1);
}

/// In one dimension columns go along x.
TYPED_TEST(CudaSweepTest, Lines) {
  for (Extents const& extents : {Extents{1, 1, 1}, Extents{255, 1, 1}, Extents{2048, 1, 1}, Extents{20011, 1, 1}}) {
    TestBlock<TypeParam, Space> const u(extents, 2, 1);
    TestBlock<TypeParam, Space> const x(extents, 1, 2);
    for (IndexRange const& range : ranges(extents)) {
      Space const space{};
      auto const task = kernel::make_task(Geometry<TypeParam>{}, no_outputs, Dot<TypeParam>{}, u.view(), x.view());
      Reduction<Space> expected;
      kernel::sweep_reduce_portably(space, range, task, expected);
      Reduction<Space> actual;
      sweep_reduce(space, range, Geometry<TypeParam>{}, actual, no_outputs, Dot<TypeParam>{}, u.view(), x.view());
      EXPECT_EQ(actual.value(), expected.value()) << name(range);
    }
  }
}

/// A line with many numbers on both sides of it.
template <class Real>
class TestLine {
 public:
  TestLine(Index end, int seed) : values_("line", static_cast<std::size_t>((end + 15) / 16 * 16 + 2 * margin)) {
    fill_with_numbers(values_, seed);
  }
  [[nodiscard]] BlockView<Real> view() const {
    auto const row = static_cast<Index>(values_.extent(0));
    return {values_.data() + margin, row, row};
  }
  [[nodiscard]] std::vector<Real> contents() const { return contents_of(values_); }

 private:
  static constexpr Index margin = 64;
  Kokkos::View<Real*, Space> values_;
};

/// Runs the portable form, the direct one and the one that streams along x, which must leave the same bits everywhere.
/// `outputs_of(a, b)`: what is written of two lines.
template <class Real, class Accumulator, class Functor, class OutputsOf, class... Input>
void expect_same_line(IndexRange const& range, Functor const& functor, OutputsOf const& outputs_of,
                      Input const&... input) {
  Space const space{};
  Index const room = kernel::brick_room(kernel::Bricks(range).total());
  auto const run = [&](auto const& sweep) {
    TestLine<Real> const a(range.end[0], 100);
    TestLine<Real> const b(range.end[0], 101);
    auto const task = kernel::make_task(test_geometry<Real>(), outputs_of(a, b), functor, input.view()...);
    using Task = std::remove_const_t<decltype(task)>;
    Reduction<Space, Accumulator> sums;
    sums.reserve(space, Task::sums * room, Task::sums);
    sweep(task, sums);
    space.fence();
    Outcome<Real> outcome{a.contents(), {}};
    auto const more = b.contents();
    outcome.fields.insert(outcome.fields.end(), more.begin(), more.end());
    for (int n = 0; n < Task::sums; ++n) outcome.sums.push_back(sums.value(n));
    return outcome;
  };
  auto const bricks = [&](auto& sums) {
    return kernel::cuda::BrickSums<Accumulator>{sums.partials(), room, sums.results()};
  };
  auto const expected = run([&](auto const& task, auto& sums) {
    if constexpr (std::remove_cvref_t<decltype(task)>::sums > 0) {
      kernel::sweep_reduce_portably(space, range, task, sums);
    } else {
      kernel::sweep_portably(space, range, task);
    }
  });
  auto const compare = [&](Outcome<Real> const& actual, std::string const& form) {
    EXPECT_EQ(first_difference(expected.fields, actual.fields), -1) << form << " of " << name(range);
    EXPECT_EQ(first_difference(expected.sums, actual.sums), -1) << form << " of " << name(range);
  };
  compare(run([&](auto const& task, auto& sums) {
            kernel::cuda::run_direct(space.cuda_stream(), range, task, bricks(sums));
          }),
          "direct form");
  compare(
      run([&](auto const& task, auto& sums) {
        using Task = std::remove_cvref_t<decltype(task)>;
        EXPECT_TRUE((kernel::cuda::LineSweep<Task, Accumulator>::run(space.cuda_stream(), range, task, bricks(sums))))
            << name(range);
      }),
      "streaming along x");
}

/// Lines that start and end anywhere.
std::vector<IndexRange> line_ranges() {
  std::vector<IndexRange> ranges;
  for (Index const count : {1, 2, 3, 255, 257, 1023, 1024, 1025, 4097, 65537}) {
    for (Index const begin : {-3, 0, 5, 777}) ranges.push_back({{begin, 0, 0}, {begin + count, 1, 1}});
  }
  ranges.push_back({{11, 0, 0}, {18 + (1 << 20), 1, 1}});
  return ranges;
}

template <class Real, int Radius>
void check_lines() {
  constexpr auto none = [](auto const&, auto const&) { return no_outputs; };
  constexpr auto one = [](auto const& a, auto const&) { return a.view(); };
  constexpr auto two = [](auto const& a, auto const& b) { return outputs(a.view(), b.view()); };
  LineStarSum<Real, Radius> const functor{Real{0.6875}};
  for (IndexRange const& range : line_ranges()) {
    TestLine<Real> const u(range.end[0], 1);
    expect_same_line<Real, PlainSum>(range, functor, one, u);
    if constexpr (Radius == 2) expect_same_line<Real, PlainSum>(range, LineStar<Real, Radius>{functor}, one, u);
    if constexpr (Radius == 4) expect_same_line<Real, Maximum>(range, LineNorm<Real, Radius>{functor}, none, u);
    if constexpr (Radius % 2 == 1) {
      TestLine<Real> const b(range.end[0], 2);
      TestLine<Real> const k(range.end[0], 3);
      expect_same_line<Real, CompensatedSum>(range, LineMixed<Real, Radius>{functor}, two, u, b, k);
    }
  }
}

TYPED_TEST(CudaSweepTest, LinesOfRadiusOne) { check_lines<TypeParam, 1>(); }
TYPED_TEST(CudaSweepTest, LinesOfRadiusTwo) { check_lines<TypeParam, 2>(); }
TYPED_TEST(CudaSweepTest, LinesOfRadiusThree) { check_lines<TypeParam, 3>(); }
TYPED_TEST(CudaSweepTest, LinesOfRadiusFour) { check_lines<TypeParam, 4>(); }

/// What the copy engine brings early is what the sweep itself overwrites late.
TYPED_TEST(CudaSweepTest, OutputsOfALineMayBeInputs) {
  Space const space{};
  for (IndexRange const& range : line_ranges()) {
    Index const room = kernel::brick_room(kernel::Bricks(range).total());
    auto const run = [&](auto const& sweep) {
      TestLine<TypeParam> const u(range.end[0], 1);
      TestLine<TypeParam> const d(range.end[0], 2);
      TestLine<TypeParam> const next(range.end[0], 3);
      auto const task = kernel::make_task(Geometry<TypeParam>{}, outputs(d.view(), next.view()),
                                          LineInPlace<TypeParam>{TypeParam{0.6875}}, u.view(), d.view());
      Reduction<Space> sums;
      sums.reserve(space, room, 1);
      sweep(task, sums);
      space.fence();
      std::vector<TypeParam> fields = d.contents();
      auto const more = next.contents();
      fields.insert(fields.end(), more.begin(), more.end());
      return Outcome<TypeParam>{fields, {sums.value()}};
    };
    auto const expected =
        run([&](auto const& task, auto& sums) { kernel::sweep_reduce_portably(space, range, task, sums); });
    auto const actual = run([&](auto const& task, auto& sums) {
      using Task = std::remove_cvref_t<decltype(task)>;
      EXPECT_TRUE((kernel::cuda::LineSweep<Task, PlainSum>::run(space.cuda_stream(), range, task,
                                                                {sums.partials(), room, sums.results()})));
    });
    EXPECT_EQ(first_difference(expected.fields, actual.fields), -1) << name(range);
    EXPECT_EQ(first_difference(expected.sums, actual.sums), -1) << name(range);
  }
}

/// A line anywhere in a block; whole blocks and lines of any alignment are left to the other forms.
TYPED_TEST(CudaSweepTest, LinesInsideOfBlocks) {
  Extents const extents{2000, 4, 3};
  IndexRange const range{{3, 2, 1}, {1990, 3, 2}};
  Space const space{};
  TestBlock<TypeParam, Space> const u(extents, 4, 1);
  TestBlock<TypeParam, Space> const expected(extents, 0, 2, 5);
  TestBlock<TypeParam, Space> const actual(extents, 0, 2, 5);
  LineStar<TypeParam, 2> const functor{{TypeParam{0.6875}}};
  auto const task_into = [&](auto const& out, BlockView<TypeParam> in) {
    return kernel::make_task(test_geometry<TypeParam>(), out.view(), functor, in);
  };
  auto const task = task_into(actual, u.view());
  using Line = kernel::cuda::LineSweep<std::remove_const_t<decltype(task)>, PlainSum>;
  kernel::sweep_portably(space, range, task_into(expected, u.view()));
  EXPECT_TRUE(Line::run(space.cuda_stream(), range, task, {}));
  space.fence();
  EXPECT_EQ(first_difference(expected.contents(), actual.contents()), -1);
  EXPECT_FALSE(Line::run(space.cuda_stream(), u.owned(), task, {}));
  BlockView<TypeParam> shifted = u.view();
  shifted.origin += 1;
  EXPECT_FALSE(Line::run(space.cuda_stream(), range, task_into(actual, shifted), {}));
}

/// Large lines stream by themselves, launch after launch with the same bits.
TYPED_TEST(CudaSweepTest, LargeLinesStream) {
  IndexRange const range{{0, 0, 0}, {20'000'017, 1, 1}};
  Space const space{};
  TestLine<TypeParam> const u(range.end[0], 1);
  TestLine<TypeParam> const out(range.end[0], 2);
  LineStarSum<TypeParam, 1> const functor{TypeParam{0.6875}};
  auto const task = kernel::make_task(test_geometry<TypeParam>(), out.view(), functor, u.view());
  EXPECT_EQ((kernel::cuda::form_of<std::remove_const_t<decltype(task)>, PlainSum>(range, task)).find("streaming"), 0U);
  Reduction<Space> sums;
  kernel::sweep_reduce_portably(space, range, task, sums);
  double const expected_sum = sums.value();
  auto const expected = out.contents();
  sweep(space, range, test_geometry<TypeParam>(), out.view(), Clear<TypeParam>{});
  for (int run = 0; run < 20; ++run) {
    sweep_reduce(space, range, test_geometry<TypeParam>(), sums, out.view(), functor, u.view());
    ASSERT_EQ(sums.value(), expected_sum) << run;
  }
  EXPECT_EQ(first_difference(expected, out.contents()), -1);
}

/// Sets of bricks are merged by whichever block finishes them: the same bits by every form, launch after launch.
TYPED_TEST(CudaSweepTest, MoreBricksThanAreMergedAtOnce) {
  IndexRange const line{{3, 0, 0}, {140'000'011, 1, 1}};
  IndexRange const plane{{5, 1, 0}, {11'999, 11'649, 1}};
  TestLine<TypeParam> const u(line.end[0], 1);
  TestLine<TypeParam> const out(line.end[0], 2);
  auto const as_plane = [](BlockView<TypeParam> view) {
    view.row = 12'000;
    return view;
  };
  Space const space{};
  auto const check = [&](IndexRange const& range, auto const& task) {
    ASSERT_GT(kernel::Bricks(range).total(), kernel::most_at_once) << name(range);
    constexpr int count = std::remove_cvref_t<decltype(task)>::sums;
    Reduction<Space> expected;
    kernel::sweep_reduce_portably(space, range, task, expected);
    Reduction<Space> actual;
    for (int run = 0; run < 5; ++run) {
      kernel::sweep_reduce_on_cuda(space, range, task, actual);
      for (int n = 0; n < count; ++n) ASSERT_EQ(actual.value(n), expected.value(n)) << name(range) << ", sum " << n;
    }
  };
  auto const geometry = test_geometry<TypeParam>();
  check(line, kernel::make_task(geometry, no_outputs, LineNorm<TypeParam, 1>{{TypeParam{0.6875}}}, u.view()));
  check(plane, kernel::make_task(geometry, no_outputs, Dot<TypeParam>{}, as_plane(u.view()), as_plane(u.view())));
  check(plane, kernel::make_task(geometry, as_plane(out.view()), FlatStarSum<TypeParam, 1>{TypeParam{0.6875}},
                                 as_plane(u.view())));
}

/// A step reads what the copy engine brings while other steps write: the same bits, launch after launch.
TYPED_TEST(CudaSweepTest, ManyLaunchesLeaveTheSameBits) {
  Extents const extents{512, 264, 130};
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
  Index const room = kernel::brick_room(kernel::Bricks(out.owned()).total());
  for (int const pace : {0, 3}) {
    StreamTuning const tuning{64, 4, 3, 32, pace};
    for (int run = 0; run < 40; ++run) {
      sums.reserve(space, room, 1);
      ASSERT_TRUE((kernel::cuda::StreamSweep<Task, PlainSum>::run(space.cuda_stream(), out.owned(), task,
                                                                  {sums.partials(), room, sums.results()}, &tuning)));
      ASSERT_EQ(sums.value(), expected_sum) << run;
    }
    ASSERT_EQ(first_difference(expected, out.contents()), -1);
  }
}

TYPED_TEST(CudaSweepTest, RepeatedWorkIsReplayedWithItsArguments) {
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
      work.run(space, weight, [&] {
        sweep_reduce(space, out.owned(), test_geometry<TypeParam>(), sums, out.view(), functor, u.view(), b.view());
      });
      sums.enqueued(space);
      EXPECT_EQ(sums.value(), sum) << run;
      space.fence();
      EXPECT_EQ(first_difference(expected.contents(), out.contents()), -1) << run;
    }
  }
}

/// A search leaves the fields alone, and what it finds is used from then on.
TYPED_TEST(CudaSweepTest, ASearchChangesNoResult) {
  Extents const extents{256, 96, 64};
  TestBlock<TypeParam, Space> const u(extents, 1, 1);
  TestBlock<TypeParam, Space> const b(extents, 0, 2);
  TestBlock<TypeParam, Space> const out(extents, 1, 3);
  TestBlock<TypeParam, Space> const expected(extents, 1, 3);
  SolidStarSum<TypeParam, 1> const functor{{TypeParam{0.6875}}};
  Space const space{};
  Reduction<Space> sums;
  auto const run = [&](TestBlock<TypeParam, Space> const& to) {
    sweep_reduce(space, out.owned(), test_geometry<TypeParam>(), sums, to.view(), functor, u.view(), b.view());
    return sums.value();
  };
  double const sum = run(expected);
  kernel::cuda::forget_plans();
  kernel::tuner::set_mode(kernel::TuneMode::search);
  EXPECT_EQ(run(out), sum);
  kernel::tuner::set_mode(kernel::TuneMode::read);
  EXPECT_TRUE(kernel::tuner::found_any());
  EXPECT_EQ(first_difference(expected.contents(), out.contents()), -1);
  EXPECT_EQ(run(out), sum);
  EXPECT_EQ(first_difference(expected.contents(), out.contents()), -1);
}

}  // namespace
}  // namespace halocline
