#pragma once

#include <Kokkos_Macros.hpp>
#include <algorithm>

#include "framework/kernel/accumulator.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline::kernel {

/// How devices group the terms of a sum. A reduction tile has 256 columns; each adds its terms one after the other
/// along the slowest axis of the range. Neighbouring columns are merged in pairs until one accumulator is left, then
/// reduction tiles, 32 neighbours at a time. Reduction tiles depend on the range alone, never on tiles or threads.
///
/// In 3D the columns are 128 neighbours along x of 2 rows, in narrow ranges 64 of 4 or 32 of 8; in 2D 256 neighbours
/// along x; in 1D column c of a reduction tile adds every 1024th point. Reduction tiles start at multiples of their
/// columns along x, wherever the range begins.
struct ReductionTiles {
  static constexpr int columns = 256;
  /// A line has at most about this many reduction tiles.
  static constexpr Index most_of_line = 1 << 16U;
  /// Reduction tiles interleaved in 1D, so that the points which several of them read at a time are contiguous.
  static constexpr int together = 4;

  int dimensions = 1;
  int columns_x = columns;
  int columns_y = 1;
  int steps = 1;                ///< terms of a column
  Index origin[3] = {0, 0, 0};  ///< of the first reduction tile
  Index count[3] = {0, 0, 0};   ///< reduction tiles along x, y, z

  ReductionTiles() = default;
  explicit ReductionTiles(IndexRange const& range) {
    if (range.empty()) return;
    dimensions = range.extent(2) > 1 ? 3 : range.extent(1) > 1 ? 2 : 1;
    columns_y = dimensions < 3 ? 1 : range.extent(0) >= 128 ? 2 : range.extent(0) >= 64 ? 4 : 8;
    columns_x = columns / columns_y;
    // Enough reduction tiles for all threads of a small sweep, few enough for a quick merge after a large one.
    int const most_steps = dimensions == 3 ? 256 : dimensions == 2 ? 64 : 32;
    while (steps < most_steps && (steps < 8 || range.size() / (Index{columns} * steps) > 4096)) steps *= 2;
    // All reduction tiles of a line are merged in one go.
    while (dimensions == 1 && range.size() / (Index{columns} * steps) > most_of_line) steps *= 2;
    Index const first_x = range.begin[0] - ((range.begin[0] % columns_x) + columns_x) % columns_x;
    Index const size[3] = {columns_x * (dimensions == 1 ? Index{steps} : 1),
                           columns_y * (dimensions == 2 ? Index{steps} : 1), dimensions == 3 ? Index{steps} : 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      origin[axis] = axis == 0 ? first_x : range.begin[axis];
      count[axis] = (range.end[axis] - origin[axis] + size[axis] - 1) / size[axis];
    }
    if (dimensions == 1) count[0] = (count[0] + together - 1) / together * together;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index total() const { return count[0] * count[1] * count[2]; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index number(Index x, Index y, Index z) const {
    return x + count[0] * (y + count[1] * z);
  }

  /// The indices of a column's first term, and the step to the next one.
  struct Column {
    Index at[3];
    Index step[3];
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Column column(Index reduction_tile, int number) const {
    int const axis = dimensions - 1;
    Column column;
    column.at[0] = origin[0] + first_x(reduction_tile % count[0]) + number % columns_x;
    column.at[1] =
        origin[1] + reduction_tile / count[0] % count[1] * (axis == 1 ? steps : columns_y) + number / columns_x;
    column.at[2] = origin[2] + reduction_tile / (count[0] * count[1]) * (axis == 2 ? steps : 1);
    for (int a = 0; a < 3; ++a) column.step[a] = a != axis ? 0 : a == 0 ? columns_x * together : 1;
    return column;
  }
  /// Where a reduction tile begins along x, relative to the first one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index first_x(Index reduction_tile) const {
    if (dimensions > 1) return reduction_tile * columns_x;
    return (reduction_tile / together * steps * together + reduction_tile % together) * columns_x;
  }
};

/// The last block merges up to this many reduction tiles in one go. Of more, the block that finishes the last tile of a
/// set of `reduction_tiles_of_set` merges that set while others continue. The order of the additions does not depend on
/// which blocks those are.
inline constexpr Index most_at_once = 8192;
inline constexpr Index reduction_tiles_of_set = Index{group} * group;

[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Index sets_of(Index reduction_tiles) {
  return reduction_tiles <= most_at_once ? 1 : (reduction_tiles + reduction_tiles_of_set - 1) / reduction_tiles_of_set;
}
/// Number of counters for merging this many reduction tiles; all are zero before and after a sweep.
[[nodiscard]] inline Index merge_counters(Index reduction_tiles) { return 1 + sets_of(reduction_tiles); }
/// Number of accumulators for the sums of this many reduction tiles and their sets.
[[nodiscard]] inline Index reduction_tile_room(Index reduction_tiles) {
  return reduction_tiles + sets_of(reduction_tiles);
}
/// Accumulators in shared memory for merging this many in one go.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Index merge_scratch(Index accumulators) {
  return accumulators / (group / 2) + 4;
}

/// Number of accumulators for all levels of a merge by groups: the accumulators, groups of them, groups of groups, …
[[nodiscard]] inline Index merging_room(Index accumulators) {
  Index room = accumulators;
  for (Index count = accumulators; count > 1; room += count) count = (count + group - 1) / group;
  return room;
}

/// Merges 2^n accumulators in pairs, neighbours first.
template <int Count, class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION Accumulator merge_neighbours(Accumulator const* first) {
  if constexpr (Count == 1) {
    return first[0];
  } else {
    Accumulator merged = merge_neighbours<Count / 2>(first);
    merged.merge(merge_neighbours<Count / 2>(first + Count / 2));
    return merged;
  }
}

}  // namespace halocline::kernel
