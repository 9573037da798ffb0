#pragma once

#include <cub/warp/warp_reduce.cuh>

#include "framework/kernel/accumulator.hpp"
#include "framework/kernel/reduction_tiles.hpp"

namespace halocline::kernel::cuda {

/// Where a kernel stores the sums of its reduction tiles, and its last block the totals.
template <class Accumulator>
struct ReductionTileSums {
  Accumulator* partials;  ///< the n-th sum starts at n * room
  Index room;             ///< accumulators for the reduction tiles and sets of them
  Accumulator* results;   ///< one for each sum
};

/// The first number in an accumulator.
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

/// Merges the accumulators of `Lanes` neighbouring lanes in pairs, neighbours first. The first lane gets the result.
template <int Lanes, class Accumulator>
__device__ __forceinline__ Accumulator merge_neighbouring_lanes(Accumulator const& mine) {
  using Reduce = cub::WarpReduce<Accumulator, Lanes>;
  typename Reduce::TempStorage storage;  // empty for a power of two
  return Reduce(storage).Reduce(mine, Merge{});
}

/// A barrier of the first `threads` threads of a block; the others may have exited.
__device__ __forceinline__ void barrier_of(int threads) { asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory"); }

/// Loads past the first-level cache, which is not coherent with writes of other blocks.
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

/// Merges `count` accumulators in global memory, `group` neighbours at a time, by the first `threads` threads of a
/// block. The n-th group goes to `to[n]`, which other threads may read after a barrier. `Batch`: groups whose loads are
/// in flight together. Returns the number of groups.
template <int Batch, class Accumulator>
__device__ __forceinline__ Index merge_groups(Accumulator const* from, Index count, Accumulator* to, int thread,
                                              int threads) {
  static_assert(group == 32, "a warp merges a group");
  int const lane = thread % 32;
  int const warps = threads / 32;
  Index const groups = (count + group - 1) / group;
  for (Index base = thread / 32; base < groups; base += warps * Batch) {
    Accumulator mine[Batch];
#pragma unroll
    for (int n = 0; n < Batch; ++n) {
      Index const at = (base + n * warps) * group + lane;
      if (at < count) mine[n] = load_shared_result(from + at);
    }
#pragma unroll
    for (int n = 0; n < Batch; ++n) {
      Accumulator const merged = merge_neighbouring_lanes<32>(mine[n]);
      if (lane == 0 && base + n * warps < groups) to[base + n * warps] = merged;
    }
  }
  return groups;
}

/// Merges all of them; every thread that takes part gets the result. `scratch`: shared memory for
/// `merge_scratch(count)` accumulators.
template <int Batch, class Accumulator>
__device__ Accumulator merge_in_block(Accumulator const* from, int count, Accumulator* scratch, int thread,
                                      int threads) {
  int const lane = thread % 32;
  int const warps = threads / 32;
  int groups = static_cast<int>(merge_groups<Batch>(from, count, scratch, thread, threads));
  barrier_of(threads);
  while (groups > 1) {
    int const next = (groups + group - 1) / group;
    for (int n = thread / 32; n < next; n += warps) {
      Accumulator mine;
      if (n * group + lane < groups) mine = scratch[n * group + lane];
      Accumulator const merged = merge_neighbouring_lanes<32>(mine);
      if (lane == 0) scratch[groups + n] = merged;
    }
    barrier_of(threads);
    scratch += groups;
    groups = next;
  }
  return count > 0 ? scratch[0] : Accumulator{};
}

/// The same for every sum, of `count` partial sums from `first` on. The n-th total goes to `to[n * room]`.
template <int Sums, int Batch, class Accumulator>
__device__ void merge_reduction_tiles(ReductionTileSums<Accumulator> const& sums, Index first, Index count,
                                      Accumulator* to, Index room, Accumulator* scratch, int thread, int threads) {
  for (int n = 0; n < Sums; ++n) {
    Accumulator const total =
        merge_in_block<Batch>(sums.partials + n * sums.room + first, static_cast<int>(count), scratch, thread, threads);
    if (thread == 0) to[n * room] = total;
    barrier_of(threads);
  }
}

/// Counts up to `last`, then from zero again; returns the number before. What this thread, and those that shared a
/// barrier with it, wrote before is visible to threads that count later.
[[nodiscard]] __device__ __forceinline__ unsigned count_one(unsigned* counter, unsigned last) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(last) : "memory");
  return before;
}

/// Called by the first `threads` threads of each of `blocks` blocks at its end. Returns whether all other blocks have
/// called it before, so that everything they wrote is visible.
[[nodiscard]] __device__ inline bool is_last_block(unsigned* blocks_done, unsigned blocks, int thread, int threads) {
  __shared__ bool last;
  barrier_of(threads);
  if (thread == 0) last = count_one(blocks_done, blocks - 1) == blocks - 1;
  barrier_of(threads);
  return last;
}

/// Called by the first `threads` threads of a block at its end. `reduction_tile(n)`, n < `count`, are the reduction
/// tiles whose sums the block has stored, or -1. Merges the sets that are now complete; the last block merges all sets.
/// `scratch`: shared memory for `merge_scratch(most_at_once)` accumulators, no longer used otherwise.
template <int Sums, class Accumulator, class ReductionTile>
__device__ void finish_reduction_tiles(ReductionTileSums<Accumulator> const& sums, Index reduction_tiles,
                                       unsigned* counters, int count, ReductionTile const& reduction_tile,
                                       Accumulator* scratch, int thread, int threads) {
  Index const sets = sets_of(reduction_tiles);
  auto const merge = [&](Index first, Index number, Accumulator* to, Index room) {
    merge_reduction_tiles<Sums, 8>(sums, first, number, to, room, scratch, thread, threads);
  };
  if (sets == 1) {
    if (is_last_block(counters, gridDim.x, thread, threads)) merge(0, reduction_tiles, sums.results, 1);
    return;
  }
  constexpr int room = 64;
  int const most = min(room, threads);  // reduction tiles that are counted before complete sets are merged
  __shared__ Index complete[room];
  __shared__ int completes;
  __shared__ bool last;
  if (thread == 0) last = false;
  for (int base = 0; base < count; base += most) {
    if (thread == 0) completes = 0;
    barrier_of(threads);
    int const mine = base + thread;
    if (thread < most && mine < count && reduction_tile(mine) >= 0) {
      Index const set = reduction_tile(mine) / reduction_tiles_of_set;
      auto const all =
          static_cast<unsigned>(min(reduction_tiles_of_set, reduction_tiles - set * reduction_tiles_of_set));
      if (count_one(counters + 1 + set, all - 1) == all - 1) complete[atomicAdd(&completes, 1)] = set;
    }
    barrier_of(threads);
    for (int n = 0; n < completes; ++n) {
      Index const first = complete[n] * reduction_tiles_of_set;
      merge(first, min(reduction_tiles_of_set, reduction_tiles - first), sums.partials + reduction_tiles + complete[n],
            sums.room);
      if (thread == 0) last = last || count_one(counters, static_cast<unsigned>(sets - 1)) == sets - 1;
    }
    barrier_of(threads);
  }
  if (last) merge(reduction_tiles, sets, sums.results, 1);
}

}  // namespace halocline::kernel::cuda
