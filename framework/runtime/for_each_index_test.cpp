#include "framework/runtime/for_each_index.hpp"

#include <gtest/gtest.h>

namespace halocline {
namespace {

using Counts = Kokkos::View<int*, Kokkos::SharedHostPinnedSpace>;

Counts visits(Index count, Index most) {
  Counts counts("visits", static_cast<std::size_t>(count + 1));
  for_each_index(
      "visit", Execution(), count,
      KOKKOS_LAMBDA(Index n) { Kokkos::atomic_add(&counts(static_cast<std::size_t>(n)), 1); }, most);
  Kokkos::fence();
  return counts;
}

TEST(ForEachIndex, VisitsEachIndexOnce) {
  for (Index const most : {1, 2, 7, 1000}) {
    for (Index const count : {0, 1, 2, 6, 7, 8, 13, 14, 15, 997}) {
      Counts const counts = visits(count, most);
      for (Index n = 0; n < count; ++n) EXPECT_EQ(counts(static_cast<std::size_t>(n)), 1) << n << " of " << count;
      EXPECT_EQ(counts(static_cast<std::size_t>(count)), 0) << count;
    }
  }
}

/// Counts the visits of the first three indices, of the last three, and of others behind them.
Counts visits_at_ends(Index count) {
  Counts counts("visits", 7);
  for_each_index(
      "visit", Execution(), count, KOKKOS_LAMBDA(Index n) {
        if (n < 3) Kokkos::atomic_add(&counts(static_cast<std::size_t>(n)), 1);
        if (n >= count - 3) Kokkos::atomic_add(&counts(static_cast<std::size_t>(n < count ? n - count + 6 : 6)), 1);
      });
  Kokkos::fence();
  return counts;
}

/// On a device, where launches are counted in 32 bits; too slow on a host with few threads.
TEST(ForEachIndex, VisitsMoreIndicesThan32BitsCount) {
  constexpr Index wrapped = Index{1} << 32U;
  for (Index const count : {memory_on_host ? Index{1} << 20U : wrapped, memory_on_host ? Index{997} : wrapped + 3}) {
    Counts const counts = visits_at_ends(count);
    for (std::size_t n = 0; n < 6; ++n) EXPECT_EQ(counts(n), 1) << n << ", " << count;
    EXPECT_EQ(counts(6), 0) << count;
  }
}

}  // namespace
}  // namespace halocline
