#include "bench/reduction_bodies.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/kernel/reduce/test_numbers.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/graph.hpp"
#endif

namespace halocline::reduce {
namespace {

using namespace test;

template <class Case>
class SummationTest : public testing::Test {};
TYPED_TEST_SUITE(SummationTest, Cases);

template <class Space, class Real>
void expect_exact_sums(Segments const& segments, Index offset) {
  auto const numbers = whole_numbers<Real>(segments.count * segments.length, 3);
  std::vector<double> expected;
  for (Index s = 0; s < segments.count; ++s) {
    Index total = 0;
    for (Index n = 0; n < segments.length; ++n) {
      total += static_cast<Index>(numbers[static_cast<std::size_t>(s * segments.length + n)]);
    }
    expected.push_back(static_cast<double>(total));
  }
  Stored<Space, Real> const stored(numbers, offset);
  for (Body const body : bodies<Space>(segments)) {
    auto const summation = make_summation<Space, Real>(Space{}, body, segments);
    for (int run = 0; run < 3; ++run) {
      summation->enqueue(stored.values().first);
      EXPECT_EQ(summation->values(), expected)
          << name_of(body) << ": " << segments.count << " x " << segments.length << ", offset " << offset;
    }
  }
}

TYPED_TEST(SummationTest, EveryBodyAddsUpEveryValueOnce) {
  for (Index const count : awkward) {
    for (Index const offset : {0, 1, 2, 3}) {
      expect_exact_sums<typename TypeParam::Space, typename TypeParam::Real>({1, count}, offset);
    }
  }
}

TYPED_TEST(SummationTest, EveryBodyAddsUpEverySegment) {
  for (Segments const& segments :
       {Segments{0, 100}, Segments{2, 0}, Segments{2, 1}, Segments{1000, 3}, Segments{7, 33}, Segments{3, 2048},
        Segments{5, 2052}, Segments{130, 4099}, Segments{300, 4096}, Segments{133, 8196}, Segments{3, 65541},
        Segments{140, 16384}, Segments{2, 500009}}) {
    for (Index const offset : {0, 1}) {
      expect_exact_sums<typename TypeParam::Space, typename TypeParam::Real>(segments, offset);
    }
  }
}

/// Error bounds of the arithmetic: for the framework's sums by the depth of its tree, for the others by the most terms
/// that a thread adds in sequence and the trees after it.
TYPED_TEST(SummationTest, RandomSumsAreAsAccurateAsTheirGrouping) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  constexpr double deepest_of_others = 8192;
  for (Index const count : awkward) {
    auto const numbers = random_numbers<Real>(count, 4);
    long double exact = 0;
    long double magnitudes = 0;
    for (Real const x : numbers)
      exact += static_cast<long double>(x), magnitudes += std::abs(static_cast<long double>(x));
    Stored<Space, Real> const stored(numbers);
    for (Body const body : bodies<Space>({1, count})) {
      bool const ours = body == Body::specialised || body == Body::portable;
      double const roundoff = ours ? 0x1p-53 : static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
      double const depth = ours ? std::log2(static_cast<double>(std::max<Index>(count, 1))) + 8
                                : std::min(static_cast<double>(count), deepest_of_others);
      auto const summation = make_summation<Space, Real>(Space{}, body, {1, count});
      summation->enqueue(stored.values().first);
      // The reference is rounded once as well.
      double const tolerance = (depth * roundoff + 0x1p-60) * static_cast<double>(magnitudes);
      EXPECT_NEAR(summation->values().at(0), static_cast<double>(exact), tolerance) << name_of(body) << ", " << count;
    }
  }
}

TYPED_TEST(SummationTest, WhatNoBodyAddsUpIsADefect) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  EXPECT_THROW(((void)make_summation<Space, Real>(Space{}, Body::cooperative_filled, {2, 5})), DefectError);
  EXPECT_THROW(((void)make_summation<Space, Real>(Space{}, Body::specialised, {1, -5})), DefectError);
}

#if defined(KOKKOS_ENABLE_CUDA)

/// Work that `work` enqueues on the stream, captured and run `runs` times.
template <class Work>
void run_captured(cudaStream_t stream, int runs, Work const& work) {
  kernel::cuda::Graph const graph(stream, work);
  for (int n = 0; n < runs; ++n) graph.launch(stream);
  kernel::cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

TEST(CudaSummationTest, EveryBodyCanBeCaptured) {
  kernel::cuda::OwnStream const stream;
  Kokkos::Cuda const execution(stream.get());
  for (Index const count : {Index{1000}, Index{16384}, Index{1000003}}) {
    auto const numbers = whole_numbers<float>(count, 12);
    double exact = 0;
    for (float const x : numbers) exact += static_cast<double>(x);
    Stored<Kokkos::Cuda, float> const stored(numbers);
    for (Body const body : bodies<Kokkos::Cuda>({1, count})) {
      auto const summation = make_summation<Kokkos::Cuda, float>(execution, body, {1, count});
      // Kokkos' transfers before the first launch of a kernel must not be in the graph.
      summation->enqueue(stored.values().first);
      execution.fence();
      run_captured(stream.get(), 3, [&] {
        for (int n = 0; n < 5; ++n) summation->enqueue(stored.values().first);
      });
      EXPECT_EQ(summation->values().at(0), exact) << name_of(body) << ", " << count;
    }
  }
}

#endif

}  // namespace
}  // namespace halocline::reduce
