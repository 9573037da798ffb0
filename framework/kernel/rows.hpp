#pragma once

#include <Kokkos_Macros.hpp>

#include "framework/kernel/accumulator.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline::kernel {

/// The rows of a range along x in the order used by sums and threads: each is cut into segments of at most
/// `longest_row` entries, numbered with the segment fastest, then y, then z.
struct Rows {
  Index begin[3];
  Index end[3];
  Index segments;  ///< in one row of the range

  explicit Rows(IndexRange const& range)
      : begin{range.begin[0], range.begin[1], range.begin[2]},
        end{range.end[0], range.end[1], range.end[2]},
        segments((range.extent(0) + longest_row - 1) / longest_row) {
    if (range.empty()) segments = 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index extent(int axis) const { return end[axis] - begin[axis]; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index count() const {
    return segments == 0 ? 0 : segments * extent(1) * extent(2);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index number(Index segment, Index j, Index k) const {
    return segment + segments * ((j - begin[1]) + extent(1) * (k - begin[2]));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index first(Index segment) const {
    return begin[0] + segment * longest_row;
  }
  /// One past the last x index of a segment.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index last(Index segment) const {
    return segment + 1 < segments ? first(segment + 1) : end[0];
  }
};

}  // namespace halocline::kernel
