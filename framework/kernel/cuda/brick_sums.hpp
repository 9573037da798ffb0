#pragma once

#include <cub/warp/warp_reduce.cuh>

#include "framework/kernel/accumulator.hpp"
#include "framework/kernel/bricks.hpp"

namespace halocline::kernel::cuda {

/// Where a kernel leaves the sums of its bricks, and the last of its blocks the sums of all.
template <class Accumulator>
struct BrickSums {
  Accumulator* partials;  ///< those of the n-th sum from n * room on
  Index room;             ///< for the bricks, groups of bricks, …
  Accumulator* results;   ///< one for each sum
};

/// The number that every accumulator begins with.
template <class Accumulator>
[[nodiscard]] __device__ __forceinline__ double first_number(Accumulator const& accumulator) {
  double number;
  memcpy(&number, &accumulator, sizeof number);
  return number;
}

struct Merge {
  template <class Accumulator>
  __device__ __forceinline__ Accumulator operator()(Accumulator const& a, Accumulator const& b) const {
    Accumulator merged = a;
    merged.merge(b);
    return merged;
  }
};

/// Merges the accumulators of `Lanes` neighbouring lanes in pairs, neighbours first; the first of them gets the result.
template <int Lanes, class Accumulator>
__device__ __forceinline__ Accumulator merge_neighbouring_lanes(Accumulator const& mine) {
  using Reduce = cub::WarpReduce<Accumulator, Lanes>;
  typename Reduce::TempStorage storage;  // empty for whole numbers of lanes that are a power of two
  return Reduce(storage).Reduce(mine, Merge{});
}

/// A barrier of the first `threads` threads of a block; the others may have ended.
__device__ __forceinline__ void barrier_of(int threads) { asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory"); }

/// Reads past the first-level cache, which does not see what other blocks wrote.
template <class Accumulator>
[[nodiscard]] __device__ __forceinline__ Accumulator load_shared_result(Accumulator const* from) {
  Accumulator loaded;
  static_assert(sizeof(Accumulator) % sizeof(double) == 0);
  auto const* const words = reinterpret_cast<double const*>(from);
  double word[sizeof(Accumulator) / sizeof(double)];
  for (std::size_t n = 0; n < sizeof(Accumulator) / sizeof(double); ++n) {
    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(word[n]) : "l"(words + n) : "memory");
  }
  memcpy(&loaded, word, sizeof loaded);
  return loaded;
}

/// Merges `count` accumulators, `group` neighbours at a time, by the first `threads` threads of a block, which all come
/// here. The first of them gets the result. Room behind `from` is overwritten.
template <class Accumulator>
__device__ Accumulator merge_in_block(Accumulator* from, Index count, int thread, int threads) {
  static_assert(group == 32, "a warp merges a group");
  constexpr int batch = 16;
  int const lane = thread % 32;
  Index const warps = threads / 32;
  while (count > 1) {
    Index const groups = (count + group - 1) / group;
    Accumulator* const to = from + count;
    for (Index base = thread / 32; base < groups; base += warps * batch) {
      Accumulator mine[batch];
#pragma unroll
      for (int n = 0; n < batch; ++n) {
        Index const at = (base + n * warps) * group + lane;
        if (at < count) mine[n] = load_shared_result(from + at);
      }
#pragma unroll
      for (int n = 0; n < batch; ++n) {
        Accumulator const merged = merge_neighbouring_lanes<32>(mine[n]);
        if (lane == 0 && base + n * warps < groups) to[base + n * warps] = merged;
      }
    }
    barrier_of(threads);
    from = to;
    count = groups;
  }
  return thread == 0 && count == 1 ? load_shared_result(from) : Accumulator{};
}

/// Called by the first `threads` threads of each of `blocks` blocks at its end; whether all others have been here
/// before, so that all they wrote can be read.
[[nodiscard]] __device__ inline bool is_last_block(unsigned* blocks_done, unsigned blocks, int thread, int threads) {
  __shared__ bool last;
  barrier_of(threads);
  if (thread == 0) {
    __threadfence();
    last = atomicInc(blocks_done, blocks - 1) == blocks - 1;
    __threadfence();
  }
  barrier_of(threads);
  return last;
}

/// By the last block: adds up all bricks, in an order that does not depend on which block that is.
template <int Sums, class Accumulator>
__device__ void merge_bricks(BrickSums<Accumulator> const& sums, Index bricks, int thread, int threads) {
  for (int n = 0; n < Sums; ++n) {
    Accumulator const total = merge_in_block(sums.partials + n * sums.room, bricks, thread, threads);
    if (thread == 0) sums.results[n] = total;
  }
}

}  // namespace halocline::kernel::cuda
