#include "framework/runtime/device_copy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/device_execution.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_check.hpp"
#endif

namespace halocline {
namespace {

using Bytes = Kokkos::View<std::uint8_t*, Memory>;
using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;

constexpr std::uint8_t untouched = 0xEE;

/// A pattern that differs between seeds and does not repeat with the size of a buffer.
KOKKOS_INLINE_FUNCTION std::uint8_t value_at(Index n, int seed) {
  return static_cast<std::uint8_t>((n * 131 + n / 251 + seed * 17) % 239);
}

void fill(Execution const& execution, Bytes const& bytes, int seed) {
  Kokkos::parallel_for(
      "fill", Policy(execution, 0, static_cast<Index>(bytes.extent(0))),
      KOKKOS_LAMBDA(Index n) { bytes(static_cast<std::size_t>(n)) = value_at(n, seed); });
}

void set_all(Execution const& execution, Bytes const& bytes, std::uint8_t value) {
  Kokkos::deep_copy(execution, bytes, value);
}

/// The expected bytes.
struct Pattern {
  Index begin;
  int seed;
  KOKKOS_FUNCTION std::uint8_t operator()(Index n) const { return value_at(n - begin, seed); }
};
struct Untouched {
  KOKKOS_FUNCTION std::uint8_t operator()(Index) const { return untouched; }
};

template <class Expected>
Index count_others(Execution const& execution, Bytes const& bytes, Index begin, Index end, Expected const& expected) {
  Index others = 0;
  Kokkos::parallel_reduce(
      "compare", Policy(execution, begin, end),
      KOKKOS_LAMBDA(Index n, Index & count) {
        if (bytes(static_cast<std::size_t>(n)) != expected(n)) ++count;
      },
      others);
  return others;
}

/// Number of entries of [begin, end) that differ from the pattern that starts at `begin`.
Index count_wrong(Execution const& execution, Bytes const& bytes, Index begin, Index end, int seed) {
  return count_others(execution, bytes, begin, end, Pattern{begin, seed});
}

Index count_touched(Execution const& execution, Bytes const& bytes, Index begin, Index end) {
  return count_others(execution, bytes, begin, end, Untouched{});
}

Bytes make(Execution const& execution, Index size) {
  return Bytes(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "bytes"), static_cast<std::size_t>(size));
}

/// Two execution instances and the path of copies from one to the other.
struct Pair {
  std::string words;
  DeviceExecution from;
  DeviceExecution to;
  CopyPath path;
};

/// All pairs of the first two devices, and each device with itself through two instances; on a host its one instance.
std::vector<Pair> pairs() {
  std::vector<int> numbers{BackendDevices::current()};
  for (Device const& device : all_devices()) {
    if (device.number != numbers.front() && numbers.size() < 2) numbers.push_back(device.number);
  }
  std::vector<Pair> all;
  for (int const from : numbers) {
    for (int const to : numbers) {
      for (CopyPath const path : {CopyPath::direct, CopyPath::staged}) {
        // On a host both paths are the same.
        if (memory_on_host && path == CopyPath::staged) continue;
        std::string const words = std::to_string(from) + " to " + std::to_string(to) + ", " + to_string(path);
        all.push_back({words, DeviceExecution(from), DeviceExecution(to), path});
      }
    }
  }
  return all;
}

/// The copy of a pair, with buffers on both sides.
struct Trial {
  Trial(Pair const& pair, Index size)
      : from(pair.from.instance),
        to(pair.to.instance),
        copy(from, to, pair.path),
        source(make(from, size)),
        destination(make(to, size)) {}
  void start() { copy.start(destination.data(), source.data(), static_cast<Index>(source.extent(0))); }

  Execution from;
  Execution to;
  DeviceCopy copy;
  Bytes source;
  Bytes destination;
};

TEST(DeviceCopy, CopiesAnyNumberOfBytes) {
  constexpr Index buffer = DeviceCopy::staging_bytes;
  for (Pair const& pair : pairs()) {
    Execution const& from = pair.from.instance;
    Execution const& to = pair.to.instance;
    DeviceCopy copy(from, to, pair.path);
    EXPECT_EQ(copy.path(), pair.path);
    for (Index const size : {Index{1}, Index{2}, Index{65521}, Index{65537}, buffer - 1, buffer, buffer + 1, 3 * buffer,
                             3 * buffer + 1, Index{33554393}}) {
      constexpr Index lead = 3;
      Bytes const source = make(from, size);
      Bytes const destination = make(to, size + 2 * lead);
      fill(from, source, static_cast<int>(size % 100));
      set_all(to, destination, untouched);
      copy.start(destination.data() + lead, source.data(), size);
      copy.finish();
      EXPECT_EQ(count_wrong(to, destination, lead, lead + size, static_cast<int>(size % 100)), 0)
          << pair.words << ", " << size << " bytes";
      EXPECT_EQ(count_touched(to, destination, 0, lead), 0) << pair.words << ", " << size << " bytes";
      EXPECT_EQ(count_touched(to, destination, lead + size, size + 2 * lead), 0)
          << pair.words << ", " << size << " bytes";
    }
  }
}

TEST(DeviceCopy, OfNothingDoesNothing) {
  for (Pair const& pair : pairs()) {
    DeviceCopy copy(pair.from.instance, pair.to.instance, pair.path);
    copy.finish();
    copy.start(nullptr, nullptr, 0);
    copy.finish();
  }
}

/// The source is written before each copy and overwritten after it; the destination is read after each. Without any
/// wait on the host, each copy must find its own pattern.
TEST(DeviceCopy, IsOrderedWithTheWorkOfBothInstances) {
  constexpr Index size = 3 * DeviceCopy::staging_bytes + 5;
  constexpr int rounds = 6;
  for (Pair const& pair : pairs()) {
    Trial one(pair, size);
    std::vector<Bytes> seen;
    for (int round = 0; round < rounds; ++round) seen.push_back(make(one.to, size));
    set_all(one.to, one.destination, untouched);
    for (int round = 0; round < rounds; ++round) {
      fill(one.from, one.source, round);
      one.start();
      one.copy.finish();
      set_all(one.from, one.source, untouched);
      Kokkos::deep_copy(one.to, seen[static_cast<std::size_t>(round)], one.destination);
      set_all(one.to, one.destination, untouched);
    }
    for (int round = 0; round < rounds; ++round) {
      EXPECT_EQ(count_wrong(one.to, seen[static_cast<std::size_t>(round)], 0, size, round), 0)
          << pair.words << ", round " << round;
    }
  }
}

/// Work enqueued on either instance during a copy neither disturbs it nor is disturbed.
TEST(DeviceCopy, LeavesRoomForWorkBesideIt) {
  constexpr Index size = 2 * DeviceCopy::staging_bytes;
  for (Pair const& pair : pairs()) {
    Trial one(pair, size);
    Bytes const other = make(one.to, size);
    fill(one.from, one.source, 1);
    one.start();
    fill(one.to, other, 2);
    EXPECT_EQ(count_wrong(one.from, one.source, 0, size, 1), 0) << pair.words;
    one.copy.finish();
    EXPECT_EQ(count_wrong(one.to, other, 0, size, 2), 0) << pair.words;
    EXPECT_EQ(count_wrong(one.to, one.destination, 0, size, 1), 0) << pair.words;
  }
}

TEST(DeviceCopy, LeavesTheCurrentDevice) {
  for (Pair const& pair : pairs()) {
    Bytes const source = make(pair.from.instance, 100);
    Bytes const destination = make(pair.to.instance, 100);
    for (int const device : {pair.from.device, pair.to.device}) {
      CurrentDevice const current(device);
      {
        DeviceExecution const one(pair.from.device);
        EXPECT_EQ(one.device, pair.from.device);
        EXPECT_EQ(device_of(one.instance), pair.from.device);
        EXPECT_EQ(BackendDevices::current(), device) << pair.words;
        DeviceCopy copy(pair.from.instance, pair.to.instance, pair.path);
        copy.start(destination.data(), source.data(), 100);
        EXPECT_EQ(BackendDevices::current(), device) << pair.words;
        copy.finish();
        EXPECT_EQ(BackendDevices::current(), device) << pair.words;
      }
    }
  }
}

TEST(DeviceCopy, ChoosesAPossiblePathAndKeepsToIt) {
  for (Pair const& pair : pairs()) {
    DeviceCopy const copy(pair.from.instance, pair.to.instance);
    EXPECT_EQ(DeviceCopy(pair.from.instance, pair.to.instance).path(), copy.path());
    if (pair.from.device == pair.to.device) {
      EXPECT_EQ(copy.path(), CopyPath::direct);
    } else if (!can_reach(pair.from.device, pair.to.device)) {
      EXPECT_EQ(copy.path(), CopyPath::staged);
    }
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST(PeerAccess, IsKept) {
  for (Pair const& pair : pairs()) {
    int const from = pair.from.device;
    int const to = pair.to.device;
    if (from == to || !can_reach(from, to)) continue;
    CurrentDevice const current(from);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(to, 0), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessAlreadyEnabled);
  }
}

TEST(CudaCheck, ADeviceOutOfMemoryStopsARun) {
  void* memory = nullptr;
  EXPECT_THROW(cuda::check(cudaMalloc(&memory, std::size_t{1} << 50U), "cudaMalloc"), StoppedError);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}
#endif

}  // namespace
}  // namespace halocline
