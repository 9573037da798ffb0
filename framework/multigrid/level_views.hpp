#pragma once

#include <Kokkos_Core.hpp>
#include <array>

#include "framework/field/block_view.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/functor_rows.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Views of one block for relaxation and transfers on one level. Coarse unknown (I, J, K) is at local index (I, J, K)
/// of `coarse`; its children begin at `begin + factor * (I, J, K)`.
template <class Stencil>
struct LevelViews {
  using Real = typename Stencil::Real;
  Stencil stencil;
  BlockView<Real const> b;
  BlockView<Real> x;
  BlockView<Real> coarse;
  int parity = 0;  ///< bit n: parity of the global index of entry (0, 0, 0) along axis n; bit 3: of their sum
  Index begin[3] = {0, 0, 0};   ///< the block's unknowns …
  Index end[3] = {1, 1, 1};     ///< … in local indices
  Index factor[3] = {1, 1, 1};  ///< 2 on axes that are coarsened

  /// Phase of a colour in a row: it has the unknowns with even i + phase; none if negative. Two colours follow the sum
  /// of the global indices, red (0) where it is even; more colours are numbered as by ColourRelaxation.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int phase(int colour, Index j, Index k) const {
    if constexpr (Stencil::colours == 2) {
      return static_cast<int>(((parity >> 3) + j + k + colour) & 1);
    } else {
      bool const other_row = ((j + (parity >> 1) + colour) & 1) != 0;
      bool const other_plane = Stencil::dimensions == 3 && ((k + (parity >> 2) + (colour >> 1)) & 1) != 0;
      int const second_half = colour / (Stencil::colours / 2);
      return other_row || other_plane ? -1 : static_cast<int>(((parity >> 3) + j + k + second_half) & 1);
    }
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_colour(int colour, Index i, Index j, Index k) const {
    int const at = phase(colour, j, k);
    return at >= 0 && ((i + at) & 1) == 0;
  }
  /// The coarse unknown whose child is `i`, along one axis.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index parent(int axis, Index i) const {
    // A division would take a device longer than all other work on a point.
    return (i - begin[axis]) >> (factor[axis] >> 1);
  }
};

/// The children of each coarse unknown of a block, for stencil, transfers and smoothing.
template <class Stencil>
[[nodiscard]] LevelViews<Stencil> family_map(ControlVolumeGrid const& fine, Block const& block, Stencil const& stencil,
                                             std::array<Index, 3> const& factor) {
  LevelViews<Stencil> map{};
  map.stencil = stencil;
  Extents const entry = fine.first_entry(block);
  auto const is_odd = [](Index index) { return static_cast<int>(index & 1); };
  map.parity =
      is_odd(entry[0]) | is_odd(entry[1]) << 1 | is_odd(entry[2]) << 2 | is_odd(entry[0] + entry[1] + entry[2]) << 3;
  IndexRange const unknowns = fine.unknowns(block);
  for (std::size_t a = 0; a < 3; ++a) {
    map.begin[a] = unknowns.begin[a];
    map.end[a] = unknowns.end[a];
    map.factor[a] = factor[a];
  }
  return map;
}

/// Calls `visit(i, j, k)` for the children of a coarse unknown. `family` has begin, end and factor like LevelViews.
template <class Family, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void for_children(Family const& family, Index i, Index j, Index k, Visit const& visit) {
  Index const coarse[3] = {i, j, k};
  Index first[3];
  Index last[3];
  for (int axis = 0; axis < 3; ++axis) {
    first[axis] = family.begin[axis] + family.factor[axis] * coarse[axis];
    last[axis] =
        first[axis] + family.factor[axis] < family.end[axis] ? first[axis] + family.factor[axis] : family.end[axis];
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
