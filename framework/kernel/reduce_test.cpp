#include "framework/kernel/reduce.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "framework/kernel/reduce/test_numbers.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::reduce {
namespace {

using namespace test;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Case>
class ReduceTest : public testing::Test {};
TYPED_TEST_SUITE(ReduceTest, Cases);

/// Reference implementation of the grouping.
template <class Kind, class Real>
double reduced(std::vector<Real> const& x, std::vector<Real> const& y) {
  using Accumulator = typename Kind::Accumulator;
  auto const merge_all = [](std::vector<Accumulator> level) {
    while (level.size() > 1) {
      if (level.size() % 2 == 1) level.emplace_back();
      for (std::size_t n = 0; 2 * n < level.size(); ++n) {
        Accumulator merged = level[2 * n];
        merged.merge(level[2 * n + 1]);
        level[n] = merged;
      }
      level.resize(level.size() / 2);
    }
    return level.empty() ? Accumulator{} : level[0];
  };
  std::vector<Accumulator> reduction_tiles;
  for (std::size_t first = 0; first < x.size(); first += 2048) {
    std::vector<Accumulator> columns(256);
    for (std::size_t n = first; n < std::min(first + 2048, x.size()); ++n) {
      if constexpr (Kind::inputs == 1) {
        columns[n % 256].add(Kind::term(static_cast<double>(x[n])));
      } else {
        columns[n % 256].add(Kind::term(static_cast<double>(x[n]), static_cast<double>(y[n])));
      }
    }
    reduction_tiles.push_back(merge_all(columns));
  }
  return merge_all(reduction_tiles).value();
}

template <class Kind, class Space, class Real>
void expect_definition(std::vector<Real> const& x, std::vector<Real> const& y) {
  double const expected = reduced<Kind>(x, y);
  for (Index const offset : {0, 1}) {
    Stored<Space, Real> const stored_x(x, offset);
    Stored<Space, Real> const stored_y(y, offset);
    Arrays<Kind, Real> arrays{{stored_x.values().first}};
    if constexpr (Kind::inputs == 2) arrays.first[1] = stored_y.values().first;
    for (Form const form : {Form::specialised, Form::portable}) {
      Outcome<Space> outcome;
      run(Space{}, form, arrays, {1, static_cast<Index>(x.size())}, outcome);
      EXPECT_TRUE(same_bits(outcome.value(), expected))
          << x.size() << " values, offset " << offset << (form == Form::portable ? ", portable: " : ", specialised: ")
          << outcome.value() << " instead of " << expected;
    }
  }
}

TYPED_TEST(ReduceTest, TermsAreGroupedByIndexOnEveryBackend) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (Index const count : awkward) {
    auto const x = random_numbers<Real>(count, 1);
    auto const y = random_numbers<Real>(count, 2);
    expect_definition<Sum, Space>(x, y);
    expect_definition<Minimum, Space>(x, y);
    expect_definition<Maximum, Space>(x, y);
    expect_definition<Dot, Space>(x, y);
    expect_definition<SquareNorm, Space>(x, y);
    expect_definition<OneNorm, Space>(x, y);
    expect_definition<MaximumNorm, Space>(x, y);
  }
}

/// The kinds compute what they promise, checked with exact arithmetic.
TYPED_TEST(ReduceTest, EveryReduction) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  std::vector<Real> const x{3, -7, 2, 0, 5};
  std::vector<Real> const y{1, 2, -4, 9, 3};
  Stored<Space, Real> const stored_x(x);
  Stored<Space, Real> const stored_y(y);
  Outcome<Space> outcome;
  auto const number = [&](auto const& reduction) {
    reduction();
    return outcome.value();
  };
  Space const space{};
  EXPECT_EQ(number([&] { of_values<Sum>(space, outcome, stored_x.values()); }), 3);
  EXPECT_EQ(number([&] { of_values<Minimum>(space, outcome, stored_x.values()); }), -7);
  EXPECT_EQ(number([&] { of_values<Maximum>(space, outcome, stored_x.values()); }), 5);
  EXPECT_EQ(number([&] { of_values<Dot>(space, outcome, stored_x.values(), stored_y.values()); }), 3 - 14 - 8 + 15);
  EXPECT_EQ(number([&] { of_values<SquareNorm>(space, outcome, stored_x.values()); }), 9 + 49 + 4 + 25);
  EXPECT_EQ(number([&] { of_values<OneNorm>(space, outcome, stored_x.values()); }), 17);
  EXPECT_EQ(number([&] { of_values<MaximumNorm>(space, outcome, stored_x.values()); }), 7);
  of_segments<Sum>(space, outcome, stored_x.values(), {5, 1});
  EXPECT_EQ(outcome.values(), (std::vector<double>{3, -7, 2, 0, 5}));
}

/// Later kernels see the same results as the host.
TYPED_TEST(ReduceTest, ResultsAreInTheMemoryOfTheSpace) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  Stored<Space, Real> const stored(whole_numbers<Real>(3000, 1));
  Outcome<Space> outcome;
  of_segments<Sum>(Space{}, outcome, stored.values(), {3, 1000});
  std::vector<double> seen(3);
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Space{}.fence();
  Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace, Unmanaged>(seen.data(), 3),
                    Kokkos::View<double const*, typename Space::memory_space, Unmanaged>(outcome.data(), 3));
  EXPECT_EQ(seen, outcome.values());
}

/// A segment gives the same bits as when reduced alone, whatever its neighbours and its position in memory.
TYPED_TEST(ReduceTest, ASegmentHasTheBitsOfItsOwnSum) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (Segments const& segments : {Segments{9, 1021}, Segments{4, 70004}, Segments{150, 2500}}) {
    auto const numbers = random_numbers<Real>(segments.count * segments.length, 5);
    Stored<Space, Real> const stored(numbers);
    Outcome<Space> all;
    of_segments<Sum>(Space{}, all, stored.values(), segments);
    auto const sums = all.values();
    Outcome<Space> one;
    for (Index s = 0; s < segments.count; ++s) {
      auto const begin = numbers.begin() + s * segments.length;
      Stored<Space, Real> const alone(std::vector<Real>(begin, begin + segments.length));
      of_values<Sum>(Space{}, one, alone.values());
      ASSERT_TRUE(same_bits(sums[static_cast<std::size_t>(s)], one.value())) << s << " of " << segments.count;
    }
  }
}

TYPED_TEST(ReduceTest, ManyRunsLeaveTheSameBits) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  Index const count = 1000003;
  auto const numbers = random_numbers<Real>(count, 6);
  Stored<Space, Real> const stored(numbers);
  double const expected = reduced<Sum>(numbers, numbers);
  Outcome<Space> outcome;
  int const runs = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace> ? 10 : 500;
  for (int n = 0; n < runs; ++n) {
    of_values<Sum>(Space{}, outcome, stored.values());
    ASSERT_TRUE(same_bits(outcome.value(), expected)) << n;
  }
}

/// A reduction leaves counters and memory ready for the next one.
TYPED_TEST(ReduceTest, AnOutcomeCanBeUsedAgain) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  auto const numbers = whole_numbers<Real>(300000, 7);
  Stored<Space, Real> const stored(numbers);
  Outcome<Space> outcome;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (Segments const& segments : {Segments{1, 300000}, Segments{3, 100000}, Segments{300, 1000}, Segments{1, 7}}) {
      Values<Real> const values{stored.values().first, segments.count * segments.length};
      of_segments<Sum>(Space{}, outcome, values, segments);
      auto const sums = outcome.values();
      ASSERT_EQ(static_cast<Index>(sums.size()), segments.count);
      double total = 0;
      for (double const one : sums) total += one;
      double exact = 0;
      for (Index n = 0; n < values.count; ++n) exact += static_cast<double>(numbers[static_cast<std::size_t>(n)]);
      EXPECT_EQ(total, exact);
      of_values<Maximum>(Space{}, outcome, values);
      EXPECT_EQ(outcome.value(), 8);
      EXPECT_THROW((void)outcome.value(1), DefectError);
    }
  }
}

TYPED_TEST(ReduceTest, NotANumberIsNeverLost) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (Index const count : {Index{1}, Index{2}, Index{33}, Index{2049}, Index{131101}}) {
    for (Index const place : {Index{0}, count / 2, count - 1}) {
      for (Index const infinite : {Index{0}, count / 3, count - 1}) {
        std::vector<Real> numbers(static_cast<std::size_t>(count), Real{1});
        numbers[static_cast<std::size_t>(infinite)] = static_cast<Real>(-infinity);
        numbers[static_cast<std::size_t>(place)] = static_cast<Real>(not_a_number);
        Stored<Space, Real> const stored(numbers);
        Outcome<Space> outcome;
        auto const expect_lost_nothing = [&](auto const& reduction) {
          reduction();
          EXPECT_TRUE(std::isnan(outcome.value())) << place << " of " << count;
        };
        Space const space{};
        expect_lost_nothing([&] { of_values<Sum>(space, outcome, stored.values()); });
        expect_lost_nothing([&] { of_values<Minimum>(space, outcome, stored.values()); });
        expect_lost_nothing([&] { of_values<Maximum>(space, outcome, stored.values()); });
        expect_lost_nothing([&] { of_values<MaximumNorm>(space, outcome, stored.values()); });
        expect_lost_nothing([&] {
          run<Minimum>(space, Form::portable, Arrays<Minimum, Real>{{stored.values().first}}, {1, count}, outcome);
        });
      }
    }
  }
}

TYPED_TEST(ReduceTest, InfinitiesAreValues) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (Index const place : {0, 40, 3000}) {
    std::vector<Real> numbers(3001, Real{-2});
    Outcome<Space> outcome;
    Space const space{};
    numbers[static_cast<std::size_t>(place)] = static_cast<Real>(-infinity);
    Stored<Space, Real> const below(numbers);
    of_values<Minimum>(space, outcome, below.values());
    EXPECT_EQ(outcome.value(), -infinity);
    of_values<Maximum>(space, outcome, below.values());
    EXPECT_EQ(outcome.value(), -2);
    of_values<MaximumNorm>(space, outcome, below.values());
    EXPECT_EQ(outcome.value(), infinity);
    of_values<Sum>(space, outcome, below.values());
    EXPECT_EQ(outcome.value(), -infinity);
    numbers[static_cast<std::size_t>(place)] = static_cast<Real>(infinity);
    Stored<Space, Real> const above(numbers);
    of_values<Minimum>(space, outcome, above.values());
    EXPECT_EQ(outcome.value(), -2);
    of_values<Maximum>(space, outcome, above.values());
    EXPECT_EQ(outcome.value(), infinity);
  }
}

/// Sums above and below the range of single precision.
TYPED_TEST(ReduceTest, SumsOfSingleNumbersAreDouble) {
  using Space = typename TypeParam::Space;
  std::vector<float> numbers(5000, std::numeric_limits<float>::max());
  Stored<Space, float> const large(numbers);
  Outcome<Space> outcome;
  of_values<Sum>(Space{}, outcome, large.values());
  EXPECT_EQ(outcome.value(), 5000.0 * static_cast<double>(std::numeric_limits<float>::max()));
  std::fill(numbers.begin(), numbers.end(), std::numeric_limits<float>::denorm_min());
  Stored<Space, float> const small(numbers);
  of_values<SquareNorm>(Space{}, outcome, small.values());
  double const tiny = static_cast<double>(std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(outcome.value(), 5000.0 * (tiny * tiny));
}

TYPED_TEST(ReduceTest, NothingReducesToTheNeutralNumber) {
  using Space = typename TypeParam::Space;
  Values<typename TypeParam::Real> const nothing;
  Outcome<Space> outcome;
  Space const space{};
  of_values<Sum>(space, outcome, nothing);
  EXPECT_EQ(outcome.value(), 0);
  of_values<Minimum>(space, outcome, nothing);
  EXPECT_EQ(outcome.value(), infinity);
  of_values<Maximum>(space, outcome, nothing);
  EXPECT_EQ(outcome.value(), -infinity);
  of_values<MaximumNorm>(space, outcome, nothing);
  EXPECT_EQ(outcome.value(), 0);
  of_segments<Sum>(space, outcome, nothing, {0, 5});
  EXPECT_TRUE(outcome.values().empty());
  EXPECT_THROW((void)outcome.value(), DefectError);
}

TYPED_TEST(ReduceTest, WhatDoesNotFitIsADefect) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  Stored<Space, Real> const stored(whole_numbers<Real>(10, 8));
  Real const* const first = stored.values().first;
  Outcome<Space> outcome;
  Space const space{};
  EXPECT_THROW((void)outcome.value(), DefectError);
  EXPECT_THROW(of_values<Sum>(space, outcome, Values<Real>{first, -1}), DefectError);
  EXPECT_THROW(of_values<Sum>(space, outcome, Values<Real>{nullptr, 1}), DefectError);
  EXPECT_THROW(of_values<Dot>(space, outcome, Values<Real>{first, 10}, Values<Real>{first, 9}), DefectError);
  EXPECT_THROW(of_values<Dot>(space, outcome, Values<Real>{first, 10}, Values<Real>{nullptr, 10}), DefectError);
  EXPECT_THROW(of_segments<Sum>(space, outcome, Values<Real>{first, 10}, {3, 3}), DefectError);
  EXPECT_THROW(of_segments<Sum>(space, outcome, Values<Real>{first, 10}, {-2, -5}), DefectError);
  EXPECT_THROW(outcome.reserve(space, {-1, 1}), DefectError);
  EXPECT_THROW(outcome.reserve(space, {1, -1}), DefectError);
  EXPECT_THROW(outcome.reserve(space, {Index{1} << 40U, 1}), DefectError);
}

#if defined(KOKKOS_ENABLE_CUDA)

struct FillUnevenly {
  float* values;
  KOKKOS_FUNCTION void operator()(Index n) const { values[n] = static_cast<float>(n * 7919 % 10007) * 0.37F; }
};

/// So many blocks that the last one merges their sums level by level; unaligned, so values are read one by one.
TEST(CudaReduceTest, MoreBlocksThanOneMergesAtATime) {
  Index const count = (Index{1} << 27U) + 1000003;
  Kokkos::View<float*, Kokkos::Cuda> const memory(Kokkos::view_alloc("large", Kokkos::WithoutInitializing),
                                                  static_cast<std::size_t>(count + 1));
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<Index>>(0, count + 1),
                       FillUnevenly{memory.data()});
  Outcome<Kokkos::Cuda> outcome;
  for (Index const offset : {0, 1}) {
    Arrays<Sum, float> const arrays{{memory.data() + offset}};
    run(Kokkos::Cuda{}, Form::portable, arrays, {1, count}, outcome);
    double const expected = outcome.value();
    for (int n = 0; n < 3; ++n) {
      run(Kokkos::Cuda{}, Form::specialised, arrays, {1, count}, outcome);
      EXPECT_TRUE(same_bits(outcome.value(), expected)) << offset;
    }
  }
}

#endif

}  // namespace
}  // namespace halocline::reduce
