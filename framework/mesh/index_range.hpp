#pragma once

#include <algorithm>
#include <array>

#include "framework/runtime/index.hpp"

namespace halocline {

/// One value per axis: x, y, z. Axes beyond the mesh's dimensions have extent 1.
using Extents = std::array<Index, 3>;

/// Half-open box of indices: begin <= index < end on every axis.
struct IndexRange {
  Extents begin{0, 0, 0};
  Extents end{0, 0, 0};

  [[nodiscard]] constexpr Index extent(int axis) const {
    auto const a = static_cast<std::size_t>(axis);
    return std::max<Index>(0, end[a] - begin[a]);
  }
  [[nodiscard]] constexpr Extents extents() const { return {extent(0), extent(1), extent(2)}; }
  [[nodiscard]] constexpr Index size() const { return extent(0) * extent(1) * extent(2); }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }
  [[nodiscard]] friend constexpr bool operator==(IndexRange const&, IndexRange const&) = default;
};

/// The intersection of two boxes.
[[nodiscard]] constexpr IndexRange intersection(IndexRange const& a, IndexRange const& b) {
  IndexRange both;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    both.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
    both.end[axis] = std::max(both.begin[axis], std::min(a.end[axis], b.end[axis]));
  }
  return both;
}

/// The box shifted by `by`.
[[nodiscard]] constexpr IndexRange shifted(IndexRange range, Extents const& by) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    range.begin[axis] += by[axis];
    range.end[axis] += by[axis];
  }
  return range;
}

/// Location of a field's values on a cell.
enum class Centring { cell, node, face_x, face_y, face_z };

}  // namespace halocline
