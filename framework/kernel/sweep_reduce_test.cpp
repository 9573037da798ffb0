#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/kernel/test_sweeps.hpp"

namespace halocline {
namespace {

using namespace kernel_test;
using kernel::HostTuning;
using kernel::Prefetch;
using kernel::Stores;

std::vector<Extents> const awkward = {{1, 1, 1},     {2, 1, 1}, {31, 1, 1},  {33, 1, 1}, {4096, 1, 1}, {4097, 1, 1},
                                      {20011, 1, 1}, {7, 5, 1}, {65, 64, 1}, {3, 67, 1}, {31, 7, 11},  {64, 3, 63}};

template <class Space>
class SweepReduceTest : public testing::Test {};
using Spaces = testing::Types<
#if defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP,
#endif
#if defined(KOKKOS_ENABLE_THREADS)
    Kokkos::Threads,
#endif
    Kokkos::Serial>;
TYPED_TEST_SUITE(SweepReduceTest, Spaces);

/// Outputs and sums of one sweep, compared bit by bit.
struct Outcome {
  std::vector<double> sums;
  std::vector<double> fields;
};

template <class Accumulator, class Real, class Space, class Run>
Outcome mixed(Extents const& extents, IndexRange const& range, Run const& run) {
  TestBlock<Real, Space> const u(extents, 1, 1);
  TestBlock<Real, Space> const k(extents, 2, 2, 7);
  TestBlock<Real, Space> const b(extents, 0, 3);
  TestBlock<Real, Space> const first(extents, 0, 4);
  TestBlock<Real, Space> const second(extents, 0, 5);
  Reduction<Space, Accumulator> sums;
  run(range,
      kernel::make_task(Geometry<Real>{}, outputs(first.view(), second.view()), Mixed<Real>{}, u.view(), k.view(),
                        b.view()),
      sums);
  Space{}.fence();
  Outcome outcome{{sums.value(0), sums.value(1), sums.value(2)}, {}};
  for (auto const* block : {&first, &second}) {
    for (Real const value : block->contents()) outcome.fields.push_back(static_cast<double>(value));
  }
  return outcome;
}

template <class Accumulator, class Real, class Space>
void expect_same_bits() {
  for (Extents const& extents : awkward) {
    IndexRange range{{0, 0, 0}, extents};
    if (extents[0] > 2) range.begin[0] = 1;
    auto const expected = mixed<Accumulator, Real, Space>(
        extents, range,
        [](auto const& box, auto const& task, auto& sums) { kernel::sweep_reduce_portably(Space{}, box, task, sums); });
    for (int const workers : {1, 2, 3, 5}) {
      for (Index const tile_rows : {0, 2}) {
        for (Stores const stores : {Stores::plain, Stores::streaming}) {
          HostTuning const tuning{workers, tile_rows, stores, workers == 2 ? Prefetch::off : Prefetch::on};
          auto const actual =
              mixed<Accumulator, Real, Space>(extents, range, [&](auto const& box, auto const& task, auto& sums) {
                kernel::sweep_reduce_on_host(Space{}, box, task, sums, tuning);
              });
          ASSERT_EQ(first_difference(expected.sums, actual.sums), -1)
              << extents[0] << " x " << extents[1] << " x " << extents[2] << ", workers " << workers;
          ASSERT_EQ(first_difference(expected.fields, actual.fields), -1);
        }
      }
    }
  }
}

TYPED_TEST(SweepReduceTest, SumsHaveTheSameBitsForAnyThreadsTilesAndForm) {
  expect_same_bits<PlainSum, double, TypeParam>();
  expect_same_bits<PlainSum, float, TypeParam>();
}
TYPED_TEST(SweepReduceTest, CompensatedSumsHaveTheSameBits) { expect_same_bits<CompensatedSum, double, TypeParam>(); }
TYPED_TEST(SweepReduceTest, MaximaHaveTheSameBits) { expect_same_bits<Maximum, double, TypeParam>(); }

/// Serial and the other host spaces are compared as well; here with a reference implementation of the grouping.
TYPED_TEST(SweepReduceTest, TermsAreGroupedByIndex) {
  Extents const extents{4200, 3, 2};
  TestBlock<double, TypeParam> const u(extents, 0, 1);
  TestBlock<double, TypeParam> const x(extents, 0, 2);
  Reduction<TypeParam> sums;
  sweep_reduce(TypeParam{}, u.owned(), Geometry<double>{}, sums, no_outputs, Dot<double>{}, u.view(), x.view());

  auto const merge = [](std::vector<double> values) {
    values.resize(32, 0.0);
    for (std::size_t half = 16; half > 0; half /= 2) {
      for (std::size_t n = 0; n < half; ++n) values[n] += values[n + half];
    }
    return values[0];
  };
  std::vector<double> rows;
  for (Index k = 0; k < 2; ++k) {
    for (Index j = 0; j < 3; ++j) {
      for (Index begin = 0; begin < 4200; begin += 4096) {
        std::vector<double> lanes(32, 0.0);
        for (Index i = begin; i < std::min<Index>(4200, begin + 4096); ++i) {
          lanes[static_cast<std::size_t>((i - begin) % 32)] += u.view()(i, j, k) * x.view()(i, j, k);
        }
        rows.push_back(merge(lanes));
      }
    }
  }
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(sums.value(), merge(rows));
}

TYPED_TEST(SweepReduceTest, UpdatesInPlace) {
  for (Extents const& extents : {Extents{1, 1, 1}, Extents{37, 5, 3}, Extents{20000, 1, 1}}) {
    TestBlock<double, TypeParam> const u(extents, 0, 1);
    TestBlock<double, TypeParam> const before(extents, 0, 1);
    TestBlock<double, TypeParam> const x(extents, 2, 2);
    Reduction<TypeParam, CompensatedSum> sums;
    sweep_reduce(TypeParam{}, u.owned(), Geometry<double>{}, sums, u.view(), AddInPlace<double>{0.3}, u.view(),
                 x.view());
    long double exact = 0;
    for (Index k = 0; k < extents[2]; ++k) {
      for (Index j = 0; j < extents[1]; ++j) {
        for (Index i = 0; i < extents[0]; ++i) {
          double const expected = before.view()(i, j, k) + 0.3 * x.view()(i, j, k);
          ASSERT_EQ(u.view()(i, j, k), expected);
          exact += static_cast<long double>(expected * expected);
        }
      }
    }
    // Compensation leaves one rounding of the sum; the second-order terms are far smaller.
    EXPECT_NEAR(sums.value(), static_cast<double>(exact),
                2 * std::numeric_limits<double>::epsilon() * static_cast<double>(exact));
  }
}

/// 1, then terms that a plain sum loses one by one to rounding.
TYPED_TEST(SweepReduceTest, CompensationKeepsWhatPlainSumsLose) {
  Extents const extents{32 * 1000, 1, 1};
  TestBlock<double, TypeParam> const u(extents, 0, 1);
  TestBlock<double, TypeParam> const one(extents, 0, 1);
  double const tiny = 0.25 * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < extents[0]; ++i) {
    u.view()(i, 0, 0) = i % 4096 < 32 ? 1.0 : tiny;
    one.view()(i, 0, 0) = 1.0;
  }
  Index const ones = 8 * 32;
  double const exact = static_cast<double>(ones) + static_cast<double>(extents[0] - ones) * tiny;
  Reduction<TypeParam> plain;
  Reduction<TypeParam, CompensatedSum> compensated;
  sweep_reduce(TypeParam{}, u.owned(), Geometry<double>{}, plain, no_outputs, Dot<double>{}, u.view(), one.view());
  sweep_reduce(TypeParam{}, u.owned(), Geometry<double>{}, compensated, no_outputs, Dot<double>{}, u.view(),
               one.view());
  EXPECT_EQ(plain.value(), static_cast<double>(ones));
  EXPECT_EQ(compensated.value(), exact);
}

/// One value that differs from all others, at any point of a range, in both forms.
template <class Accumulator, class Space>
void expect_result_of_one(double number, double others, Extents const& extents) {
  TestBlock<double, Space> const one(extents, 0, 1);
  TestBlock<double, Space> const u(extents, 0, 1);
  IndexRange const all{{0, 0, 0}, extents};
  for (auto const* block : {&one, &u}) {
    double const value = block == &u ? others : 1.0;
    for (Index k = 0; k < extents[2]; ++k) {
      for (Index j = 0; j < extents[1]; ++j) {
        for (Index i = 0; i < extents[0]; ++i) block->view()(i, j, k) = value;
      }
    }
  }
  auto const task = kernel::make_task(Geometry<double>{}, no_outputs, Dot<double>{}, u.view(), one.view());
  auto const same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  Reduction<Space, Accumulator> found;
  for (Index k = 0; k < extents[2]; k += 2) {
    for (Index j = 0; j < extents[1]; ++j) {
      for (Index i = 0; i<extents[0]; i += i> 40 && i < extents[0] - 40 ? 61 : 1) {
        u.view()(i, j, k) = number;
        kernel::run(Space{}, all, task, found);
        ASSERT_TRUE(same(found.value(), number)) << number << " at " << i << ", " << j << ", " << k;
        kernel::sweep_reduce_portably(Space{}, all, task, found);
        ASSERT_TRUE(same(found.value(), number)) << number << " at " << i << ", " << j << ", " << k << ", portable";
        u.view()(i, j, k) = others;
      }
    }
  }
}

TYPED_TEST(SweepReduceTest, AnExtremeIsNotANumberIfAnyTermIs) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  for (Extents const& extents : {Extents{67, 3, 5}, Extents{9001, 1, 1}}) {
    for (double const others : {0.5, infinity}) {
      for (double const number : {nan, -nan}) {
        expect_result_of_one<Maximum, TypeParam>(number, others, extents);
        expect_result_of_one<Least, TypeParam>(number, others, extents);
        expect_result_of_one<Least, TypeParam>(number, -others, extents);
        expect_result_of_one<Greatest, TypeParam>(number, others, extents);
        expect_result_of_one<Greatest, TypeParam>(number, -others, extents);
        expect_result_of_one<PlainSum, TypeParam>(number, others, extents);
        expect_result_of_one<CompensatedSum, TypeParam>(number, others, extents);
      }
    }
    for (double const number : {17.0, infinity}) {
      expect_result_of_one<Maximum, TypeParam>(number, 0.5, extents);
      expect_result_of_one<Greatest, TypeParam>(number, -0.5, extents);
      expect_result_of_one<Least, TypeParam>(-number, 0.5, extents);
    }
  }
}

TEST(AccumulatorTest, AnInfiniteCompensatedSumIsInfinite) {
  CompensatedSum sum;
  sum.add(std::numeric_limits<double>::infinity());
  sum.add(1.0);
  EXPECT_EQ(sum.value(), std::numeric_limits<double>::infinity());
  sum.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(sum.value()));
}

}  // namespace
}  // namespace halocline
