#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "framework/kernel/portable.hpp"
#include "framework/kernel/reduce/grouping.hpp"

// The form of a reduction for the execution spaces whose threads are those of the host: a thread reduces whole bricks,
// all columns of one in vectorised loops.

namespace halocline::reduce {

/// Bricks that one work item reduces.
inline constexpr int bricks_together = 16;

template <class Kind, class Real>
struct HostBricks {
  using Accumulator = typename Kind::Accumulator;

  Arrays<Kind, Real> arrays;
  Index length;
  Index items;  ///< of a segment
  Accumulator* to;

  void operator()(Index item) const {
    Index const first = item % items * bricks_together * brick_terms;
    Accumulator brick[bricks_together];
    for (int n = 0; n < bricks_together && first + n * brick_terms < length; ++n) {
      brick[n] = reduce_brick(item / items * length, first + n * brick_terms);
    }
    to[item] = kernel::merge_neighbours<bricks_together>(brick);
  }

 private:
  [[nodiscard]] Accumulator reduce_brick(Index segment, Index first) const {
    Accumulator column[brick_columns];
    Index const end = std::min(first + brick_terms, length);
    for (Index row = first; row < end; row += brick_columns) {
      Index const columns = std::min<Index>(brick_columns, end - row);
#pragma omp simd
      for (Index c = 0; c < columns; ++c) column[c].add(arrays.term(segment + row + c));
    }
    for (int pairs = brick_columns / 2; pairs > 0; pairs /= 2) {
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
  Index const items = (bricks_of(segments.length) + bricks_together - 1) / bricks_together;
  HostBricks<Kind, Real> const bricks{arrays, segments.length, items, items == 1 ? room.results : room.partials};
  Kokkos::parallel_for("halocline reduce", Policy(execution, 0, segments.count * items), bricks);
  if (items > 1) kernel::merge_neighbours_portably(execution, room.partials, items, segments.count, room.results);
}

}  // namespace halocline::reduce
