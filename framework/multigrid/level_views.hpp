#pragma once

#include <Kokkos_Core.hpp>
#include <array>

#include "framework/field/block_view.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// What relaxation and transfers on one level work on, for one block. Coarse unknown (I, J, K) is at local index (I, J,
/// K) of `coarse`; its children begin at `begin + factor * (I, J, K)`.
template <class Stencil>
struct LevelViews {
  using Real = typename Stencil::Real;
  Stencil stencil;
  BlockView<Real const> b;
  BlockView<Real> x;
  BlockView<Real> coarse;
  Index parity = 0;             ///< of the sum of the global indices of entry (0, 0, 0)
  Index begin[3] = {0, 0, 0};   ///< the block's unknowns …
  Index end[3] = {1, 1, 1};     ///< … in local indices
  Index factor[3] = {1, 1, 1};  ///< 2 on axes that are coarsened

  /// The colour of unknown (i, j, k) is that of i + row_parity(j, k).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index row_parity(Index j, Index k) const { return parity + j + k; }
  /// The coarse unknown that `i` is a child of, along one axis.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index parent(int axis, Index i) const {
    // A quotient would take a device longer than all else that a point needs.
    return (i - begin[axis]) >> (factor[axis] >> 1);
  }
};

/// Which unknowns of a block are whose children, for stencil, transfers and smoothing.
template <class Stencil>
[[nodiscard]] LevelViews<Stencil> family_map(ControlVolumeGrid const& fine, Block const& block, Stencil const& stencil,
                                             std::array<Index, 3> const& factor) {
  LevelViews<Stencil> map{};
  map.stencil = stencil;
  Extents const entry = fine.first_entry(block);
  map.parity = (entry[0] + entry[1] + entry[2]) & 1;
  IndexRange const unknowns = fine.unknowns(block);
  for (std::size_t a = 0; a < 3; ++a) {
    map.begin[a] = unknowns.begin[a];
    map.end[a] = unknowns.end[a];
    map.factor[a] = factor[a];
  }
  return map;
}

/// Calls `visit(i, j, k)` for the children of a coarse unknown.
template <class Stencil, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void for_children(LevelViews<Stencil> const& views, Index i, Index j, Index k,
                                              Visit const& visit) {
  Index const coarse[3] = {i, j, k};
  Index first[3];
  Index last[3];
  for (int axis = 0; axis < 3; ++axis) {
    first[axis] = views.begin[axis] + views.factor[axis] * coarse[axis];
    last[axis] =
        first[axis] + views.factor[axis] < views.end[axis] ? first[axis] + views.factor[axis] : views.end[axis];
  }
  for (Index c = first[2]; c < last[2]; ++c) {
    for (Index b = first[1]; b < last[1]; ++b) {
      for (Index a = first[0]; a < last[0]; ++a) visit(a, b, c);
    }
  }
}

/// Whether a coarse unknown has two children along each axis.
template <class Stencil>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_whole_family(LevelViews<Stencil> const& views, Index i, Index j,
                                                               Index k) {
  Index const coarse[3] = {i, j, k};
  bool whole = true;
  for (int axis = 0; axis < 3; ++axis) {
    whole = whole && views.factor[axis] == 2 && views.begin[axis] + 2 * coarse[axis] + 1 < views.end[axis];
  }
  return whole;
}

}  // namespace halocline
