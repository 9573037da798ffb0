#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "framework/kernel/cuda/test_forms.hpp"

namespace halocline {
namespace {

using namespace kernel_test;
using Space = Kokkos::Cuda;

template <class Real, int Radius>
using LineStarSum = LowStarSum<Real, Radius, 1>;

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

/// Two outputs and three sums of three inputs with different reaches.
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

/// One of two fields is updated in place; the other depends on it and on neighbours.
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

template <class Real>
struct Second {
  static constexpr Shape shape = star<1, 1>;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return u[west] + u[here] + u[east];
  }
};

template <class Real>
class CudaLinesTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaLinesTest, Reals);

/// The last pack of a row may extend beyond the field's memory, and nothing may be read there.
TYPED_TEST(CudaLinesTest, NothingIsReadBeyondTheGhosts) {
  for (Index const count : {Index{13}, Index{14}, Index{15}, Index{30}}) {
    // The layout of a Field: no entry after the last row's end.
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

/// In one dimension columns go along x.
TYPED_TEST(CudaLinesTest, Columns) {
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

/// Runs the forms for CUDA. `outputs_of(a, b)`: the outputs, made from two lines.
template <class Real, class Accumulator, class Functor, class OutputsOf, class... Input>
void expect_same(IndexRange const& range, Functor const& functor, OutputsOf const& outputs_of, Input const&... input) {
  auto const setup = [&](auto const& use) {
    TestLine<Real> const a(range.end[0], 100);
    TestLine<Real> const b(range.end[0], 101);
    use(kernel::make_task(test_geometry<Real>(), outputs_of(a, b), functor, input.view()...));
    return joined(a.contents(), b.contents());
  };
  Forms<Real, Accumulator, decltype(setup)> const forms(range, setup);
  forms.expect_direct();
  forms.expect_line();
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
    expect_same<Real, PlainSum>(range, functor, one, u);
    if constexpr (Radius == 2) expect_same<Real, PlainSum>(range, LineStar<Real, Radius>{functor}, one, u);
    if constexpr (Radius == 4) expect_same<Real, Maximum>(range, LineNorm<Real, Radius>{functor}, none, u);
    if constexpr (Radius % 2 == 1) {
      TestLine<Real> const b(range.end[0], 2);
      TestLine<Real> const k(range.end[0], 3);
      expect_same<Real, CompensatedSum>(range, LineMixed<Real, Radius>{functor}, two, u, b, k);
    }
  }
}

TYPED_TEST(CudaLinesTest, LinesOfRadiusOne) { check_lines<TypeParam, 1>(); }
TYPED_TEST(CudaLinesTest, LinesOfRadiusTwo) { check_lines<TypeParam, 2>(); }
TYPED_TEST(CudaLinesTest, LinesOfRadiusThree) { check_lines<TypeParam, 3>(); }
TYPED_TEST(CudaLinesTest, LinesOfRadiusFour) { check_lines<TypeParam, 4>(); }

/// The TMA unit reads ahead what the sweep itself overwrites later.
TYPED_TEST(CudaLinesTest, OutputsMayBeInputs) {
  for (IndexRange const& range : line_ranges()) {
    auto const setup = [&](auto const& use) {
      TestLine<TypeParam> const u(range.end[0], 1);
      TestLine<TypeParam> const d(range.end[0], 2);
      TestLine<TypeParam> const next(range.end[0], 3);
      use(kernel::make_task(Geometry<TypeParam>{}, outputs(d.view(), next.view()),
                            LineInPlace<TypeParam>{TypeParam{0.6875}}, u.view(), d.view()));
      return joined(d.contents(), next.contents());
    };
    Forms<TypeParam, PlainSum, decltype(setup)> const forms(range, setup);
    forms.expect_line();
  }
}

/// A line anywhere in a block streams; whole blocks and lines of any alignment use the other forms.
TYPED_TEST(CudaLinesTest, LinesInsideOfBlocks) {
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

/// Large lines stream by default; every launch gives the same bits.
TYPED_TEST(CudaLinesTest, LargeLinesStream) {
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

/// The block that finishes a set of reduction tiles merges it.
TYPED_TEST(CudaLinesTest, MoreReductionTilesThanAreMergedAtOnce) {
  IndexRange const range{{3, 0, 0}, {140'000'011, 1, 1}};
  TestLine<TypeParam> const u(range.end[0], 1);
  expect_same_sums(range, kernel::make_task(test_geometry<TypeParam>(), no_outputs,
                                            LineNorm<TypeParam, 1>{{TypeParam{0.6875}}}, u.view()));
}

}  // namespace
}  // namespace halocline
