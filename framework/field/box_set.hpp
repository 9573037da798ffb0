#pragma once

#include <Kokkos_Core.hpp>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// A few boxes that one kernel works through: on the host one row at a time, on a device one entry at a time.
class BoxSet {
 public:
  static constexpr int capacity = 12;
  static constexpr bool by_rows = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

  /// Empty boxes are left out.
  void add(IndexRange const& range) {
    if (range.empty()) return;
    for (int axis = 0; axis < 3; ++axis) {
      begin_[count_][axis] = range.begin[static_cast<std::size_t>(axis)];
      extent_[count_][axis] = range.extent(axis);
    }
    first_[count_ + 1] = first_[count_] + (by_rows ? range.extent(1) * range.extent(2) : range.size());
    ++count_;
  }
  /// Number of rows (host) or entries (device) in all boxes.
  [[nodiscard]] Index work() const { return first_[count_]; }

  /// Calls `visit(i, j, k)` for each entry of the n-th piece of work.
  template <class Visit>
  KOKKOS_FUNCTION void each(Index n, Visit const& visit) const {
    int box = 0;
    while (n >= first_[box + 1]) ++box;
    Index rest = n - first_[box];
    Index const* const begin = begin_[box];
    Index const* const extent = extent_[box];
    if constexpr (by_rows) {
      Index const j = begin[1] + rest % extent[1];
      Index const k = begin[2] + rest / extent[1];
      for (Index i = begin[0]; i < begin[0] + extent[0]; ++i) visit(i, j, k);
    } else {
      Index const i = begin[0] + rest % extent[0];
      rest /= extent[0];
      visit(i, begin[1] + rest % extent[1], begin[2] + rest / extent[1]);
    }
  }

 private:
  int count_ = 0;
  Index begin_[capacity][3] = {};
  Index extent_[capacity][3] = {};
  Index first_[capacity + 1] = {};
};

}  // namespace halocline
