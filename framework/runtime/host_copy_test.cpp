#include "framework/runtime/host_copy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/runtime/devices.hpp"

namespace halocline {
namespace {

using Numbers = Kokkos::View<std::int32_t*, Memory>;
using Staged = Kokkos::View<std::int32_t*, Kokkos::SharedHostPinnedSpace>;

constexpr std::int32_t untouched = -1;

Numbers make(Index size) {
  return Numbers(Kokkos::view_alloc(Kokkos::WithoutInitializing, "numbers"), static_cast<std::size_t>(size));
}

/// Enqueues numbers that differ between seeds. `slowly`: a device takes so long that a copy could overtake it.
void fill(Execution const& execution, Numbers const& numbers, std::int32_t seed, bool slowly = false) {
  int const rounds = slowly && !memory_on_host ? 2000 : 1;
  Kokkos::parallel_for(
      "fill",
      Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, static_cast<Index>(numbers.extent(0))),
      KOKKOS_LAMBDA(Index n) {
        for (int round = 1; round <= rounds; ++round) {
          Kokkos::atomic_store(&numbers(static_cast<std::size_t>(n)),
                               round < rounds ? untouched : seed + static_cast<std::int32_t>(n % 65521));
        }
      });
}

Index count_wrong(Staged const& numbers, std::int32_t seed) {
  Index wrong = 0;
  for (std::size_t n = 0; n < numbers.extent(0); ++n)
    wrong += numbers(n) != seed + static_cast<std::int32_t>(n % 65521) ? 1 : 0;
  return wrong;
}

Index bytes_of(Numbers const& numbers) { return static_cast<Index>(numbers.extent(0) * sizeof(std::int32_t)); }

TEST(HostCopy, CopiesAnyNumberOfBytesBothWays) {
  Execution const execution;
  for (Index const size : {1, 2, 65521, 1048577}) {
    Numbers const first = make(size);
    Numbers const second = make(size);
    Staged const staged("staged", first.extent(0));
    Staged const back("back", first.extent(0));
    HostCopy copy(execution);
    fill(execution, first, 3);
    copy.mark();
    copy.start(staged.data(), first.data(), bytes_of(first));
    copy.wait();
    EXPECT_EQ(count_wrong(staged, 3), 0) << size;
    copy.start(second.data(), staged.data(), bytes_of(second));
    copy.finish();
    Kokkos::deep_copy(execution, back, second);
    execution.fence();
    EXPECT_EQ(count_wrong(back, 3), 0) << size;
  }
}

TEST(HostCopy, OfNothingDoesNothing) {
  HostCopy copy{Execution()};
  copy.finish();
  copy.start(nullptr, nullptr, 0);
  copy.wait();
}

/// A copy waits for the work before the mark, and the work after `finish` for the copy.
TEST(HostCopy, IsOrderedWithTheWorkOfTheInstance) {
  constexpr Index size = 1048583;
  Execution const execution;
  Numbers const source = make(size);
  Numbers const destination = make(size);
  Staged const staged("staged", source.extent(0));
  HostCopy outward(execution);
  HostCopy inward(execution);
  for (std::int32_t round = 0; round < 4; ++round) {
    fill(execution, source, round, true);
    outward.mark();
    outward.start(staged.data(), source.data(), bytes_of(source));
    outward.wait();
    EXPECT_EQ(count_wrong(staged, round), 0) << round;
    fill(execution, destination, -5, true);
    inward.mark();
    fill(execution, source, round + 100);
    inward.start(destination.data(), staged.data(), bytes_of(destination));
    inward.finish();
    Staged const seen("seen", source.extent(0));
    Kokkos::deep_copy(execution, seen, destination);
    execution.fence();
    EXPECT_EQ(count_wrong(seen, round), 0) << round;
  }
}

TEST(HostCopy, LeavesTheCurrentDevice) {
  int const before = BackendDevices::current();
  HostCopy copy{Execution()};
  copy.mark();
  copy.wait();
  EXPECT_EQ(BackendDevices::current(), before);
}

}  // namespace
}  // namespace halocline
