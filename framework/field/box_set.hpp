#pragma once

#include <Kokkos_Core.hpp>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// A few boxes that one kernel processes: some rows at a time on the host, an entry at a time on a device. The kernel
/// identifies each box by its tag.
class BoxSet {
 public:
  static constexpr int capacity = 12;

  [[nodiscard]] friend bool operator==(BoxSet const&, BoxSet const&) = default;

  /// Empty boxes are ignored.
  void add(IndexRange const& range, int tag) {
    if (range.empty()) return;
    for (int axis = 0; axis < 3; ++axis) {
      begin_[count_][axis] = range.begin[static_cast<std::size_t>(axis)];
      extent_[count_][axis] = range.extent(axis);
    }
    tag_[count_] = tag;
    first_[count_ + 1] = first_[count_] + (memory_on_host ? pieces(range.extent(1)) * range.extent(2) : range.size());
    ++count_;
  }
  /// Number of work items.
  [[nodiscard]] KOKKOS_FUNCTION Index work() const { return first_[count_]; }

  /// Calls `visit(tag, first i, last i + 1, j, k)` for each row (on a device: each entry) of work item n.
  template <class Visit>
  KOKKOS_FUNCTION void each(Index n, Visit const& visit) const {
    int box = 0;
    while (n >= first_[box + 1]) ++box;
    Index const rest = n - first_[box];
    Index const* const begin = begin_[box];
    Index const* const extent = extent_[box];
    if constexpr (memory_on_host) {
      Index const per_plane = pieces(extent[1]);
      Index const k = begin[2] + rest / per_plane;
      Index const j_begin = begin[1] + rest % per_plane * rows_per_piece;
      Index const j_end = Kokkos::min(j_begin + rows_per_piece, begin[1] + extent[1]);
      for (Index j = j_begin; j < j_end; ++j) visit(tag_[box], begin[0], begin[0] + extent[0], j, k);
    } else {
      Index const i = begin[0] + rest % extent[0];
      Index const row = rest / extent[0];
      visit(tag_[box], i, i + 1, begin[1] + row % extent[1], begin[2] + row / extent[1]);
    }
  }

 private:
  static constexpr Index rows_per_piece = 64;
  KOKKOS_FUNCTION static constexpr Index pieces(Index rows) { return (rows + rows_per_piece - 1) / rows_per_piece; }

  int count_ = 0;
  int tag_[capacity] = {};
  Index begin_[capacity][3] = {};
  Index extent_[capacity][3] = {};
  Index first_[capacity + 1] = {};
};

}  // namespace halocline
