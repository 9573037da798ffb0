#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "framework/kernel/reduce.hpp"

// Spaces, sizes and values for the tests of reductions.

namespace halocline::reduce::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Zero, and sizes just below and above a pack, a warp, a reduction tile, a block and a group of blocks.
inline std::vector<Index> const awkward = {0,    1,    2,    3,    5,     31,    32,    33,    255,   257,    1021,
                                           2047, 2048, 2049, 8191, 16384, 16385, 32768, 32771, 65537, 131101, 1000003};

template <class ASpace, class AReal>
struct Combination {
  using Space = ASpace;
  using Real = AReal;
};

using Cases = testing::Types<
#if defined(KOKKOS_ENABLE_CUDA)
    Combination<Kokkos::Cuda, float>, Combination<Kokkos::Cuda, double>,
#elif defined(KOKKOS_ENABLE_HIP)
    Combination<Kokkos::HIP, float>, Combination<Kokkos::HIP, double>,
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
    Combination<Kokkos::OpenMP, float>, Combination<Kokkos::OpenMP, double>,
#endif
#if defined(KOKKOS_ENABLE_THREADS)
    Combination<Kokkos::Threads, float>, Combination<Kokkos::Threads, double>,
#endif
    Combination<Kokkos::Serial, float>, Combination<Kokkos::Serial, double>>;
/// Pseudo-random bits of an index and a seed.
inline std::uint32_t bits_of(Index n, int seed) {
  auto state = (static_cast<std::uint32_t>(n) + 1U) * 2654435761U + static_cast<std::uint32_t>(seed) * 40503U;
  state ^= state >> 15U;
  state *= 2246822519U;
  return state ^ (state >> 13U);
}

/// Integers from -8 to 8: their sums are exact in single precision, however they are grouped.
template <class Real>
std::vector<Real> whole_numbers(Index count, int seed) {
  std::vector<Real> numbers(static_cast<std::size_t>(count));
  for (Index n = 0; n < count; ++n) {
    numbers[static_cast<std::size_t>(n)] = static_cast<Real>(static_cast<int>(bits_of(n, seed) % 17U) - 8);
  }
  return numbers;
}

/// Numbers in [-0.5, 0.5) with 24 bits, so that additions round.
template <class Real>
std::vector<Real> random_numbers(Index count, int seed) {
  std::vector<Real> numbers(static_cast<std::size_t>(count));
  for (Index n = 0; n < count; ++n) {
    numbers[static_cast<std::size_t>(n)] = static_cast<Real>(bits_of(n, seed) >> 8U) * Real{0x1p-24F} - Real{0.5};
  }
  return numbers;
}

/// Values in the memory of an execution space, `offset` entries after an address that is aligned for any pack.
template <class Space, class Real>
class Stored {
 public:
  explicit Stored(std::vector<Real> const& numbers, Index offset = 0)
      : memory_("stored", numbers.size() + static_cast<std::size_t>(offset) + 1), offset_(offset) {
    count_ = static_cast<Index>(numbers.size());
    // Memory around the values must not be read.
    auto const host = Kokkos::create_mirror_view(memory_);
    Kokkos::deep_copy(host, std::numeric_limits<Real>::quiet_NaN());
    std::copy(numbers.begin(), numbers.end(), host.data() + offset);
    Kokkos::deep_copy(memory_, host);
  }
  [[nodiscard]] Values<Real> values() const { return {memory_.data() + offset_, count_}; }

 private:
  Kokkos::View<Real*, Space> memory_;
  Index offset_;
  Index count_;
};

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace halocline::reduce::test
