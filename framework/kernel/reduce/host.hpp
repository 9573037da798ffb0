#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "framework/kernel/portable.hpp"
#include "framework/kernel/reduce/grouping.hpp"

// The form of a reduction for host execution spaces: a thread reduces whole reduction tiles, all columns of one in
// vectorised loops.

namespace halocline::reduce {

/// Reduction tiles per work item.
inline constexpr int reduction_tiles_together = 16;

template <class Kind, class Real>
struct HostReductionTiles {
  using Accumulator = typename Kind::Accumulator;

  Arrays<Kind, Real> arrays;
  Index length;
  Index items;  ///< of a segment
  Accumulator* to;

  void operator()(Index item) const {
    Index const first = item % items * reduction_tiles_together * reduction_tile_terms;
    Accumulator reduction_tile[reduction_tiles_together];
    for (int n = 0; n < reduction_tiles_together && first + n * reduction_tile_terms < length; ++n) {
      reduction_tile[n] = reduce_reduction_tile(item / items * length, first + n * reduction_tile_terms);
    }
    to[item] = kernel::merge_neighbours<reduction_tiles_together>(reduction_tile);
  }

 private:
  [[nodiscard]] Accumulator reduce_reduction_tile(Index segment, Index first) const {
    Accumulator column[reduction_tile_columns];
    Index const end = std::min(first + reduction_tile_terms, length);
    for (Index row = first; row < end; row += reduction_tile_columns) {
      Index const columns = std::min<Index>(reduction_tile_columns, end - row);
#pragma omp simd
      for (Index c = 0; c < columns; ++c) column[c].add(arrays.term(segment + row + c));
    }
    for (int pairs = reduction_tile_columns / 2; pairs > 0; pairs /= 2) {
      for (int n = 0; n < pairs; ++n) {
        Accumulator merged = column[2 * n];
        merged.merge(column[2 * n + 1]);
        column[n] = merged;
      }
    }
    return column[0];
  }
};

template <class Kind, class Execution, class Real>
void run_on_host(Execution const& execution, Arrays<Kind, Real> const& arrays, Segments const& segments,
                 Room<typename Kind::Accumulator> const& room) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  Index const items = (reduction_tiles_of(segments.length) + reduction_tiles_together - 1) / reduction_tiles_together;
  HostReductionTiles<Kind, Real> const reduction_tiles{arrays, segments.length, items,
                                                       items == 1 ? room.results : room.partials};
  Kokkos::parallel_for("halocline reduce", Policy(execution, 0, segments.count * items), reduction_tiles);
  if (items > 1)
    kernel::merge_portably<kernel::MergeNeighbours<kernel::group, typename Kind::Accumulator>>(
        execution, room.partials, items, segments.count, room.results);
}

}  // namespace halocline::reduce
