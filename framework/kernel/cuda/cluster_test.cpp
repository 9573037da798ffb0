#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/kernel/thread_block_cluster.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline::kernel {
namespace {

/// In each stage every value becomes one more than a distant one was: a read that comes before its write shows.
struct Shift {
  int* from;
  int* to;
  int count;
  int stages;

  template <class Cluster>
  KOKKOS_FUNCTION void stage(Cluster const& cluster, int n) const {
    int const* const old = n % 2 == 0 ? from : to;
    int* const next = n % 2 == 0 ? to : from;
    for (int i = cluster.rank(); i < count; i += cluster.size()) next[i] = old[(i + 131 * n + 1) % count] + 1;
    cluster.barrier();
  }
  /// Every third stage runs in one block.
  template <class Cluster>
  KOKKOS_FUNCTION void operator()(Cluster const& cluster) const {
    for (int n = 0; n < stages; ++n) {
      if (n % 3 == 2) {
        cluster.in_one_block([&](auto const& block) { stage(block, n); });
      } else {
        stage(cluster, n);
      }
    }
  }
};

std::vector<int> shifted(int count, int stages) {
  std::vector<int> now(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) now[static_cast<std::size_t>(i)] = 7 * i;
  for (int n = 0; n < stages; ++n) {
    std::vector<int> next;
    for (int i = 0; i < count; ++i) next.push_back(now[static_cast<std::size_t>((i + 131 * n + 1) % count)] + 1);
    now = next;
  }
  return now;
}

TEST(Cluster, BarriersSetStagesApart) {
  for (bool const is_wide : {false, true}) {
    for (int const count : {1, 2, 31, 1024, 1025, 8191, 10007}) {
      constexpr int stages = 60;
      Kokkos::View<int*, Memory> const from("from", static_cast<std::size_t>(count));
      Kokkos::View<int*, Memory> const to("to", static_cast<std::size_t>(count));
      auto const host = Kokkos::create_mirror_view(from);
      for (int i = 0; i < count; ++i) host(i) = 7 * i;
      Kokkos::deep_copy(from, host);
      run_on_cluster(Execution(), is_wide, Shift{from.data(), to.data(), count, stages});
      Kokkos::deep_copy(host, from);
      std::vector<int> const expected = shifted(count, stages);
      int wrong = 0;
      for (int i = 0; i < count; ++i) wrong += host(i) != expected[static_cast<std::size_t>(i)] ? 1 : 0;
      EXPECT_EQ(wrong, 0) << count << (is_wide ? " values, wide" : " values");
    }
  }
}

}  // namespace
}  // namespace halocline::kernel
