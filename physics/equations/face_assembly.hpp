#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/grid/volumes.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/mesh/execution.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/face_means.hpp"

namespace halocline {

/// Conductivity between (i, j, k) and the entry before it along `axis`. In double precision, because in single
/// precision a product of conductivity, area and time step may be in range while a product of two of them is not.
template <class Real>
struct FaceConductivity {
  BlockView<Real const> k;  ///< null: 1 everywhere
  FaceMean mean;

  [[nodiscard]] KOKKOS_FUNCTION double between(int axis, Index i, Index j, Index l) const {
    if (k.origin == nullptr) return 1;
    double const upper = k(i, j, l);
    double const lower = k(i - (axis == 0), j - (axis == 1), l - (axis == 2));
    return mean == FaceMean::arithmetic ? arithmetic_mean(lower, upper) : harmonic_mean(lower, upper);
  }
  /// At a wall of `axis`, `reach` gaps beyond (i, j, l); `inward` is 1 or -1, towards the next entry.
  [[nodiscard]] KOKKOS_FUNCTION double at_wall(int axis, Index inward, double reach, Index i, Index j, Index l) const {
    if (k.origin == nullptr) return 1;
    double const inside = k(i, j, l);
    if (!(reach > 0)) return inside;
    double const next = k(i + (axis == 0) * inward, j + (axis == 1) * inward, l + (axis == 2) * inward);
    return wall_conductivity(inside, next, reach);
  }
};

/// Coefficient of the faces across one axis: conductivity * area * `factor`, by local face counted from the block's
/// first unknown.
template <class Real, class Out>
struct FaceTerms {
  FaceConductivity<Real> conductivity;
  BlockView<Out> out;
  int axis;
  bool given_nodes[2];  ///< there are nodes with a given value on the wall: the last face lies between two entries
  Index begin[3];       ///< local index of the first unknown
  Index wall[2];        ///< local face that is the lower (upper) wall; -1: not in this block
  double reach[2];      ///< extrapolation distance of the conductivity to the wall, in gaps between unknowns
  Real const* width[3];
  double const* factor;

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index const local[3] = {i - begin[0], j - begin[1], k - begin[2]};
    double area = 1;
    for (int a = 0; a < 3; ++a) {
      if (a != axis) area *= width[a][local[a]];
    }
    Index const face = local[axis];
    double value;
    if (face == wall[0] && !given_nodes[0]) {
      value = conductivity.at_wall(axis, 1, reach[0], i, j, k);
    } else if (face == wall[1] && !given_nodes[1]) {
      value = conductivity.at_wall(axis, -1, reach[1], i - (axis == 0), j - (axis == 1), k - (axis == 2));
    } else {
      value = conductivity.between(axis, i, j, k);
    }
    out(i, j, k) = static_cast<Out>(product_in_range(value, area, factor[face]));
  }
};

/// The coefficients of one axis on one block, for faces begin … end of the unknowns.
template <class Real, class Out>
[[nodiscard]] FaceTerms<Real, Out> face_terms(ControlVolumeGrid const& grid, Block const& block, int axis,
                                              DiffusionMaterial<Real> const& material, BlockWidths<Real> const& widths,
                                              Kokkos::View<double*, Memory> const& factor, BlockView<Out> out) {
  auto const a = static_cast<std::size_t>(axis);
  ControlVolumes const& line = grid.volumes[a];
  IndexRange const unknowns = grid.unknowns(block);
  FaceTerms<Real, Out> terms{};
  terms.conductivity.mean = material.mean;
  if (material.conductivity != nullptr) terms.conductivity.k = material.conductivity->view(block);
  terms.out = out;
  terms.axis = axis;
  bool const periodic = line.periodic_gap > 0;
  Index const first = grid.first_unknown(block)[a];
  bool const has[2] = {!periodic && first == 0, !periodic && first + unknowns.extent(axis) == line.size()};
  terms.wall[0] = has[0] ? 0 : -1;
  terms.wall[1] = has[1] ? unknowns.extent(axis) : -1;
  for (std::size_t side = 0; side < 2; ++side) {
    Wall const& wall = line.walls[side];
    terms.given_nodes[side] = grid.centring == Centring::node && wall.b == 0 && wall.distance > 0;
    // Walls with a derivative need the conductivity at the wall itself for second order; a given value does not.
    bool const extrapolated = wall.b != 0 && line.size() > 1;
    double const inner = extrapolated ? line.conductance(side == 0 ? 1 : line.size() - 1) : 0;
    terms.reach[side] = std::min(1.0, wall.distance * inner);
  }
  for (std::size_t n = 0; n < 3; ++n) {
    terms.begin[n] = unknowns.begin[n];
    terms.width[n] = widths.along[n].data();
  }
  terms.factor = factor.data();
  return terms;
}

}  // namespace halocline
