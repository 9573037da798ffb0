#pragma once

#include "framework/kernel/cuda/plan.hpp"
#include "framework/kernel/cuda/reduction_tile_sums.hpp"
#include "framework/kernel/reduction_tiles.hpp"

// Sums of the streaming form in 2D and 3D: a tile holds whole reduction tiles, a thread holds a few of their columns.

namespace halocline::kernel::cuda {

/// Merges the columns of a tile's reduction tiles and stores the sums. `groups`: shared memory for one accumulator for
/// every 32 columns of the tile and every sum; `place`: position of the last step, relative to the range's start.
/// Called by all consumers.
template <class Thread, class Accumulator>
__device__ __forceinline__ void store_reduction_tiles(Thread& mine, StreamPlan const& plan,
                                                      ReductionTileSums<Accumulator> const& sums, Accumulator* groups,
                                                      int thread, int tile_x, int tile_y, Index place) {
  constexpr int sum_count = Thread::sum_count;
  constexpr int lanes = 32 / Thread::width;
  constexpr bool solid = Thread::axis == 2;
  // In 2D the rows of a thread are steps of one column.
  constexpr int rows = solid ? Thread::rows : 1;
  int const consumers = plan.threads_x * plan.threads_y;
  int const groups_x = plan.threads_x / lanes;
  int const tile_groups = groups_x * plan.threads_y * rows;
  int const x = thread % plan.threads_x;
  int const y = thread / plan.threads_x;
#pragma unroll
  for (int n = 0; n < sum_count; ++n) {
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      Accumulator const own = merge_neighbours<Thread::width>(mine.sum[n][row]);
      Accumulator const merged = merge_neighbouring_lanes<lanes>(own);
      if (x % lanes == 0) groups[n * tile_groups + x / lanes + groups_x * (y * rows + row)] = merged;
#pragma unroll
      for (int v = 0; v < Thread::width; ++v) mine.sum[n][row][v] = Accumulator{};
    }
  }
  barrier_of(consumers);
  // A reduction tile has eight groups of columns, those of the first row first.
  ReductionTiles const& reduction_tiles = plan.reduction_tiles;
  int const groups_of_row = reduction_tiles.columns_x / 32;
  int const reduction_tiles_x = groups_x / groups_of_row;
  int const reduction_tiles_y = plan.threads_y * rows / reduction_tiles.columns_y;
  for (int n = thread; n < reduction_tiles_x * reduction_tiles_y * sum_count; n += consumers) {
    int const which = n / (reduction_tiles_x * reduction_tiles_y);
    int const reduction_tile_x = n % reduction_tiles_x;
    int const reduction_tile_y = n / reduction_tiles_x % reduction_tiles_y;
    Index const bx = static_cast<Index>(tile_x) * reduction_tiles_x + reduction_tile_x;
    Index const by =
        solid ? static_cast<Index>(tile_y) * reduction_tiles_y + reduction_tile_y : place / reduction_tiles.steps;
    Index const bz = solid ? place / reduction_tiles.steps : 0;
    if (bx >= reduction_tiles.count[0] || by >= reduction_tiles.count[1]) continue;
    Accumulator const* const first = groups + which * tile_groups + reduction_tile_x * groups_of_row +
                                     reduction_tile_y * reduction_tiles.columns_y * groups_x;
    Accumulator eight[8];
#pragma unroll
    for (int m = 0; m < 8; ++m) eight[m] = first[m % groups_of_row + m / groups_of_row * groups_x];
    sums.partials[which * sums.room + reduction_tiles.number(bx, by, bz)] = merge_neighbours<8>(eight);
  }
  barrier_of(consumers);
}

/// Counts the reduction tiles of a tile, from plane or row `first` to `last`, as complete.
template <class Thread, class Accumulator>
__device__ __forceinline__ void finish_tile(StreamPlan const& plan, ReductionTileSums<Accumulator> const& sums,
                                            int thread, Accumulator* scratch, int tile_x, int tile_y, Index first,
                                            Index last) {
  constexpr bool solid = Thread::axis == 2;
  ReductionTiles const& reduction_tiles = plan.reduction_tiles;
  int const reduction_tiles_x = plan.threads_x * Thread::width / reduction_tiles.columns_x;
  int const reduction_tiles_y = solid ? plan.threads_y * Thread::rows / reduction_tiles.columns_y : 1;
  Index const first_place = (first - plan.begin[Thread::axis]) / reduction_tiles.steps;
  int const places = static_cast<int>((last - first + reduction_tiles.steps - 1) / reduction_tiles.steps);
  finish_reduction_tiles<Thread::sum_count>(
      sums, reduction_tiles.total(), plan.merging, reduction_tiles_x * reduction_tiles_y * places,
      [&](int n) {
        Index const bx = static_cast<Index>(tile_x) * reduction_tiles_x + n % reduction_tiles_x;
        Index const tile_by =
            static_cast<Index>(tile_y) * reduction_tiles_y + n / reduction_tiles_x % reduction_tiles_y;
        Index const place = first_place + n / (reduction_tiles_x * reduction_tiles_y);
        Index const by = solid ? tile_by : place;
        return bx < reduction_tiles.count[0] && by < reduction_tiles.count[1]
                   ? reduction_tiles.number(bx, by, solid ? place : 0)
                   : Index{-1};
      },
      scratch, thread, plan.threads_x * plan.threads_y);
}

}  // namespace halocline::kernel::cuda
