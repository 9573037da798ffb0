#pragma once

#include <cstdint>
#include <cstring>

#include "framework/kernel/cuda/device.hpp"
#include "framework/kernel/cuda/pack.hpp"
#include "framework/kernel/cuda/reduction_tile_sums.hpp"
#include "framework/kernel/reduce/grouping.hpp"

// The form of a reduction for NVIDIA GPUs: one launch. A block reduces neighbouring reduction tiles of one segment,
// with all eight loads of a thread (16 bytes each) in flight together. The last block of a segment merges the partial
// results of the others. A small segment is reduced by one block, which waits for no other.

namespace halocline::reduce::cuda {

using kernel::cuda::Pack;

/// Threads of a block that shares a segment with others.
inline constexpr int threads_of_many = 256;
/// Threads of a block that reduces a segment alone.
inline constexpr int most_threads = 1024;
/// Most passes of a block's threads over whole reduction tiles: more would not fit in `of_warp`.
inline constexpr int most_rounds = 4;
/// Results of warps that a block can merge: as many as a warp has lanes.
inline constexpr int most_entries = 32;
static_assert(most_threads <= 32 * most_entries && most_rounds * threads_of_many <= 32 * most_entries);
/// Blocks per multiprocessor to reach before any block gets a second round.
inline constexpr Index busy_blocks = 8;
/// Partial results that a thread merges at once, in batches of loads.
inline constexpr int load_batch = 16;
inline constexpr int load_batches = 4;

template <class Kind, class Real>
struct Plan {
  using Accumulator = typename Kind::Accumulator;
  Arrays<Kind, Real> arrays;
  Index length;     ///< of a segment
  unsigned blocks;  ///< of a segment
  int rounds;       ///< of a block
  Index stride;     ///< from one segment's partial results to the next's
  Room<Accumulator> room;
};

/// Reads a pack that is used only once. A 16-byte load bypasses the first-level cache and prefetches the neighbouring
/// sectors, which other threads need.
template <int Width, class Real>
[[nodiscard]] __device__ __forceinline__ Pack<Real, Width> load_once(Real const* from) {
  if constexpr (sizeof(Pack<Real, Width>) == 16) {
    std::uint32_t word[4];
    asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
        : "l"(from));
    Pack<Real, Width> loaded;
    memcpy(&loaded, word, sizeof loaded);
    return loaded;
  } else {
    static_assert(Width == 1);
    return {{__ldg(from)}};
  }
}

/// The same where the segment may end: its next `left` values, then padding.
template <class Kind, int Width, class Real>
[[nodiscard]] __device__ __forceinline__ Pack<Real, Width> load_some(Real const* from, Index left) {
  if (left >= Width) return load_once<Width>(from);
  Pack<Real, Width> loaded;
#pragma unroll
  for (int x = 0; x < Width; ++x) loaded.value[x] = x < left ? from[x] : static_cast<Real>(Kind::padding);
  return loaded;
}

/// Reduces `Width` neighbouring columns of a reduction tile, which begin at entry `at` of the arrays, `left` terms
/// before the end of the segment. `Inside`: all their terms are in the segment.
template <bool Inside, int Width, class Kind, class Real>
[[nodiscard]] __device__ __forceinline__ typename Kind::Accumulator reduce_columns(Arrays<Kind, Real> const& arrays,
                                                                                   Index at, Index left) {
  constexpr int batch = reduction_tile_steps / Kind::inputs;
  typename Kind::Accumulator column[Width];
#pragma unroll
  for (int first = 0; first < reduction_tile_steps; first += batch) {
    Pack<Real, Width> loaded[Kind::inputs][batch];
#pragma unroll
    for (int n = 0; n < batch; ++n) {
      Index const by = (first + n) * reduction_tile_columns;
#pragma unroll
      for (int m = 0; m < Kind::inputs; ++m) {
        Real const* const from = arrays.first[m] + at + by;
        loaded[m][n] = Inside ? load_once<Width>(from) : load_some<Kind, Width>(from, left - by);
      }
    }
#pragma unroll
    for (int n = 0; n < batch; ++n) {
#pragma unroll
      for (int x = 0; x < Width; ++x) {
        Real value[Kind::inputs];
        for (int m = 0; m < Kind::inputs; ++m) value[m] = loaded[m][n].value[x];
        column[x].add(term_of<Kind>(value));
      }
    }
  }
  return kernel::merge_neighbours<Width>(column);
}

/// Merges the accumulators of each warp's threads in order, and stores them for `merge_warps`.
template <class Accumulator>
__device__ __forceinline__ void put_warp(Accumulator* of_warp, Accumulator const& mine, int thread) {
  Accumulator const merged = kernel::cuda::merge_neighbouring_lanes<32>(mine);
  if (thread % 32 == 0) of_warp[thread / 32] = merged;
}

/// Merges the results that all warps of a block have stored. The first thread gets the result.
template <class Accumulator>
[[nodiscard]] __device__ __forceinline__ Accumulator merge_warps(Accumulator const* of_warp, int entries, int thread) {
  __syncthreads();
  Accumulator mine;
  if (thread < entries) mine = of_warp[thread];
  return thread < 32 ? kernel::cuda::merge_neighbouring_lanes<32>(mine) : mine;
}

/// Merges `count` accumulators with all threads of a block. The first thread gets the result. Overwrites the working
/// memory behind the accumulators in `from`.
template <int Threads, class Accumulator>
__device__ Accumulator merge_in_memory(Accumulator* from, Index count, int thread) {
  while (count > 1) {
    Accumulator* const to = from + count;
    Index const groups = kernel::cuda::merge_groups<16>(from, count, to, thread, Threads);
    __syncthreads();
    from = to;
    count = groups;
  }
  return thread == 0 && count == 1 ? kernel::cuda::load_shared_result(from) : Accumulator{};
}

/// Merges `count` partial results in order with all threads of a block. The first thread gets the result. Not inlined,
/// so that its registers do not add to those of the main loop.
template <int Threads, class Accumulator>
[[nodiscard]] __device__ __noinline__ Accumulator merge_partials(Accumulator* from, Index count, Accumulator* of_warp,
                                                                 int thread) {
  if (count > Index{load_batches} * load_batch * Threads) {
    return merge_in_memory<Threads>(from, count, thread);
  }
  Accumulator mine;
  if (count <= Threads) {
    if (thread < count) mine = kernel::cuda::load_shared_result(from + thread);
  } else {
    Accumulator batch[load_batches];
#pragma unroll
    for (int b = 0; b < load_batches; ++b) {
      Accumulator loaded[load_batch];
      Index const first = (Index{thread} * load_batches + b) * load_batch;
#pragma unroll
      for (int n = 0; n < load_batch; ++n) {
        if (first + n < count) loaded[n] = kernel::cuda::load_shared_result(from + first + n);
      }
      batch[b] = kernel::merge_neighbours<load_batch>(loaded);
    }
    mine = kernel::merge_neighbours<load_batches>(batch);
  }
  put_warp(of_warp, mine, thread);
  return merge_warps(of_warp, Threads / 32, thread);
}

/// `Threads`: the most per block. Registers are limited so that a multiprocessor always has 1024 threads. Only blocks
/// of `threads_of_many` threads share segments.
template <class Kind, class Real, int Width, int Threads>
__global__ void __launch_bounds__(Threads, most_threads / Threads)
    reduce_segments(__grid_constant__ Plan<Kind, Real> const plan) {
  using Accumulator = typename Kind::Accumulator;
  alignas(Accumulator) __shared__ unsigned char shared[most_entries * sizeof(Accumulator)];
  auto* const of_warp = reinterpret_cast<Accumulator*>(shared);
  constexpr int threads_of_reduction_tile = reduction_tile_columns / Width;
  int const thread = static_cast<int>(threadIdx.x);
  int const threads = static_cast<int>(blockDim.x);
  // Avoids the latency of a division when a block reduces its segment alone.
  unsigned const segment = plan.blocks == 1 ? blockIdx.x : blockIdx.x / plan.blocks;
  unsigned const block = blockIdx.x - segment * plan.blocks;
  Index const terms_of_round = reduction_tile_terms / threads_of_reduction_tile * threads;
  Index const in_reduction_tile =
      thread / threads_of_reduction_tile * reduction_tile_terms + thread % threads_of_reduction_tile * Width;
  Index first = static_cast<Index>(block) * plan.rounds * terms_of_round;
  int entries = 0;
#pragma unroll 1
  for (int round = 0; round < plan.rounds && (round == 0 || first < plan.length); ++round, first += terms_of_round) {
    Index const at = Index{segment} * plan.length + first + in_reduction_tile;
    Index const left = plan.length - first - in_reduction_tile;
    Accumulator const mine = first + terms_of_round <= plan.length
                                 ? reduce_columns<true, Width>(plan.arrays, at, left)
                                 : reduce_columns<false, Width>(plan.arrays, at, left);
    put_warp(of_warp + entries, mine, thread);
    entries += threads / 32;
  }
  Accumulator const total = merge_warps(of_warp, entries, thread);
  if (plan.blocks == 1) {
    if (thread == 0) plan.room.results[segment] = total;
  } else if constexpr (Threads == threads_of_many) {
    Accumulator* const partials = plan.room.partials + Index{segment} * plan.stride;
    if (thread == 0) partials[block] = total;
    if (kernel::cuda::is_last_block(plan.room.blocks_done + segment, plan.blocks, thread, Threads)) {
      Accumulator const result = merge_partials<Threads>(partials, plan.blocks, of_warp, thread);
      if (thread == 0) plan.room.results[segment] = result;
    }
  }
}

/// Blocks and threads that reduce each segment, and in how many rounds. The result's bits do not depend on it.
struct Launch {
  int threads;
  int rounds;
  Index blocks;
};
[[nodiscard]] inline Launch plan_launch(Segments const& segments, int width, int multiprocessors) {
  int const threads_of_reduction_tile = reduction_tile_columns / width;
  Index const reduction_tiles = reduction_tiles_of(segments.length);
  // A single block is fastest with all threads at once; of many blocks, small ones fill the multiprocessors best.
  int const most = segments.count < multiprocessors ? most_threads : threads_of_many;
  if (reduction_tiles * threads_of_reduction_tile <= most)
    return {static_cast<int>(reduction_tiles) * threads_of_reduction_tile, 1, 1};
  Launch launch{threads_of_many, most_rounds, 0};
  Index const reduction_tiles_of_round = threads_of_many / threads_of_reduction_tile;
  for (;; launch.rounds /= 2) {
    Index const of_block = reduction_tiles_of_round * launch.rounds;
    launch.blocks = (reduction_tiles + of_block - 1) / of_block;
    if (launch.rounds == 1 || segments.count * launch.blocks >= busy_blocks * multiprocessors) return launch;
  }
}

/// Whether all segments of all arrays can be read in packs of 16 bytes.
template <class Kind, class Real>
[[nodiscard]] bool is_packed(Arrays<Kind, Real> const& arrays, Segments const& segments) {
  bool packed = segments.count == 1 || segments.length * static_cast<Index>(sizeof(Real)) % 16 == 0;
  for (Real const* const first : arrays.first) packed = packed && reinterpret_cast<std::uintptr_t>(first) % 16 == 0;
  return packed;
}

template <class Kind, class Real>
void run_on_cuda(cudaStream_t stream, Arrays<Kind, Real> const& arrays, Segments const& segments,
                 Room<typename Kind::Accumulator> const& room) {
  constexpr int pack = 16 / static_cast<int>(sizeof(Real));
  bool const packed = is_packed(arrays, segments);
  Launch const launch = plan_launch(segments, packed ? pack : 1, kernel::cuda::current_device().multiprocessors);
  Plan<Kind, Real> const plan{
      arrays, segments.length, static_cast<unsigned>(launch.blocks), launch.rounds, kernel::merging_room(launch.blocks),
      room};
  auto const enqueue = [&](auto* kernel) {
    kernel<<<static_cast<unsigned>(segments.count * launch.blocks), static_cast<unsigned>(launch.threads), 0, stream>>>(
        plan);
  };
  bool const many = launch.threads <= threads_of_many;
  if (packed) {
    enqueue(many ? &reduce_segments<Kind, Real, pack, threads_of_many>
                 : &reduce_segments<Kind, Real, pack, most_threads>);
  } else {
    enqueue(many ? &reduce_segments<Kind, Real, 1, threads_of_many> : &reduce_segments<Kind, Real, 1, most_threads>);
  }
  kernel::cuda::check(cudaGetLastError(), "a reduction");
}

}  // namespace halocline::reduce::cuda
