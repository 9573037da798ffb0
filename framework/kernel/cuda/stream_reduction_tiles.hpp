#pragma once

#include "framework/kernel/bricks.hpp"
#include "framework/kernel/cuda/brick_sums.hpp"
#include "framework/kernel/cuda/plan.hpp"

// How the streaming form in 2D and 3D leaves its sums: a tile holds whole bricks, a thread a few of their columns.

namespace halocline::kernel::cuda {

/// Merges the columns of the bricks of a tile and stores them. `groups`: shared memory for one accumulator for every 32
/// columns of the tile and every sum; `place`: of the last step, counted from the range's begin. Called by all
/// consumers.
template <class Thread, class Accumulator>
__device__ __forceinline__ void store_bricks(Thread& mine, StreamPlan const& plan, BrickSums<Accumulator> const& sums,
                                             Accumulator* groups, int thread, int tile_x, int tile_y, Index place) {
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
  // A brick has eight groups, first those of a row.
  Bricks const& bricks = plan.bricks;
  int const groups_of_row = bricks.columns_x / 32;
  int const bricks_x = groups_x / groups_of_row;
  int const bricks_y = plan.threads_y * rows / bricks.columns_y;
  for (int n = thread; n < bricks_x * bricks_y * sum_count; n += consumers) {
    int const which = n / (bricks_x * bricks_y);
    int const brick_x = n % bricks_x;
    int const brick_y = n / bricks_x % bricks_y;
    Index const bx = static_cast<Index>(tile_x) * bricks_x + brick_x;
    Index const by = solid ? static_cast<Index>(tile_y) * bricks_y + brick_y : place / bricks.steps;
    Index const bz = solid ? place / bricks.steps : 0;
    if (bx >= bricks.count[0] || by >= bricks.count[1]) continue;
    Accumulator const* const first =
        groups + which * tile_groups + brick_x * groups_of_row + brick_y * bricks.columns_y * groups_x;
    Accumulator eight[8];
#pragma unroll
    for (int m = 0; m < 8; ++m) eight[m] = first[m % groups_of_row + m / groups_of_row * groups_x];
    sums.partials[which * sums.room + bricks.number(bx, by, bz)] = merge_neighbours<8>(eight);
  }
  barrier_of(consumers);
}

/// Counts the bricks of a tile, from plane or row `first` to `last`, as done.
template <class Thread, class Accumulator>
__device__ __forceinline__ void finish_tile(StreamPlan const& plan, BrickSums<Accumulator> const& sums, int thread,
                                            Accumulator* scratch, int tile_x, int tile_y, Index first, Index last) {
  constexpr bool solid = Thread::axis == 2;
  Bricks const& bricks = plan.bricks;
  int const bricks_x = plan.threads_x * Thread::width / bricks.columns_x;
  int const bricks_y = solid ? plan.threads_y * Thread::rows / bricks.columns_y : 1;
  Index const first_place = (first - plan.begin[Thread::axis]) / bricks.steps;
  int const places = static_cast<int>((last - first + bricks.steps - 1) / bricks.steps);
  finish_bricks<Thread::sum_count>(
      sums, bricks.total(), plan.merging, bricks_x * bricks_y * places,
      [&](int n) {
        Index const bx = static_cast<Index>(tile_x) * bricks_x + n % bricks_x;
        Index const tile_by = static_cast<Index>(tile_y) * bricks_y + n / bricks_x % bricks_y;
        Index const place = first_place + n / (bricks_x * bricks_y);
        Index const by = solid ? tile_by : place;
        return bx < bricks.count[0] && by < bricks.count[1] ? bricks.number(bx, by, solid ? place : 0) : Index{-1};
      },
      scratch, thread, plan.threads_x * plan.threads_y);
}

}  // namespace halocline::kernel::cuda
