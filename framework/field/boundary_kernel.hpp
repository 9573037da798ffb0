#pragma once

#include <Kokkos_Core.hpp>

#include "framework/field/block_view.hpp"
#include "framework/field/box_set.hpp"

namespace halocline {

/// The kernel's data of one face of a block.
template <class Real>
struct FaceOfBlock {
  bool physical = false;         ///< there is no block beyond
  Real constant = 0;             ///< v, if it is constant
  Real const* values = nullptr;  ///< otherwise v at (0, 0) of the two other axes, ghosts included
  Index stride = 0;              ///< stride of the second of those axes
};

/// Fills ghosts of one block: maps each entry, axis by axis, to entries that are not being written.
template <class Real>
struct BoundaryKernel {
  BoxSet boxes;
  BlockView<Real> view;  ///< of component 0
  Index component = 0;   ///< distance between components
  Index owned[3] = {1, 1, 1};
  bool on_wall[3] = {false, false, false};  ///< entries lie on the cell edges of the axis
  /// Each written entry lies beyond one face only and depends only on its mirror image and v.
  bool simple = false;
  int layers = 1;  ///< number of ghost layers, plus one for the wall
  /// Three numbers (mirror, wall, value) for each component, face and layer. For layer 0, the wall itself: whether it
  /// is written, unused, its factor of v.
  Real const* rules = nullptr;
  FaceOfBlock<Real> faces[3][2];

  /// An entry as a linear combination along an axis: main * u[at] + wall[s] * u[wall s] + value[s] * v[s].
  struct Folded {
    Index at;
    Real main = 1;
    Real wall[2] = {0, 0};
    Real value[2] = {0, 0};
  };

  KOKKOS_FUNCTION Real const* rule(int c, int axis, int side, Index layer) const {
    return rules + 3 * (((Index{6} * c + 2 * axis + side) * layers) + layer);
  }

  /// Index of the mirror image of a ghost layer.
  KOKKOS_FUNCTION Index mirrored(int axis, int side, Index layer) const {
    Index const inwards = on_wall[axis] ? layer : layer - 1;
    return side == 0 ? inwards : owned[axis] - 1 - inwards;
  }

  KOKKOS_FUNCTION Folded fold(int c, int axis, Index i) const {
    Folded folded{i};
    Index const last = owned[axis] - 1;
    while (true) {
      int const side = folded.at <= 0 && faces[axis][0].physical ? 0 : 1;
      Index const layer = side == 0 ? -folded.at : folded.at - last;
      if (!faces[axis][side].physical || layer < 0) return folded;
      Real const* const r = rule(c, axis, side, layer);
      if (layer == 0) {
        // If the wall is written, its old value is not used.
        if (!on_wall[axis] || r[0] == Real{0}) return folded;
        folded.value[side] += folded.main * r[2];
        folded.main = 0;
        return folded;
      }
      folded.value[side] += folded.main * r[2];
      folded.wall[side] += folded.main * r[1];
      folded.main *= r[0];
      folded.at = mirrored(axis, side, layer);
      if (folded.main == Real{0}) return folded;
    }
  }

  /// v on a face, at the projection of the entry.
  KOKKOS_FUNCTION Real boundary_value(int axis, int side, Index const (&at)[3]) const {
    FaceOfBlock<Real> const& face = faces[axis][side];
    if (face.values == nullptr) return face.constant;
    return face.values[at[axis == 0 ? 1 : 0] + at[axis == 2 ? 1 : 2] * face.stride];
  }

  /// The value of the entry after the conditions on `Axis` and the following axes.
  template <int Axis>
  KOKKOS_FUNCTION Real resolved(int c, Index const (&at)[3]) const {
    if constexpr (Axis == 3) {
      return *entry(c, at);
    } else {
      Folded const folded = fold(c, Axis, at[Axis]);
      Real sum = 0;
      if (folded.main != Real{0}) sum += folded.main * moved<Axis>(c, at, folded.at);
      for (int side = 0; side < 2; ++side) {
        Index const wall = side == 0 ? 0 : owned[Axis] - 1;
        if (folded.wall[side] != Real{0}) sum += folded.wall[side] * moved<Axis>(c, at, wall);
        if (folded.value[side] != Real{0}) sum += folded.value[side] * boundary_value(Axis, side, at);
      }
      return sum;
    }
  }
  template <int Axis>
  KOKKOS_FUNCTION Real moved(int c, Index const (&at)[3], Index to) const {
    Index next[3] = {at[0], at[1], at[2]};
    next[Axis] = to;
    return resolved<Axis + 1>(c, next);
  }

  KOKKOS_FUNCTION Real* entry(int c, Index const (&at)[3]) const {
    return view.at(at[0], at[1], at[2]) + c * component;
  }

  /// The value of a ghost beyond an x face if `simple`.
  KOKKOS_FUNCTION Real beyond_x(int c, int side, Index const (&at)[3]) const {
    Index const layer = side == 0 ? -at[0] : at[0] - (owned[0] - 1);
    Real const* const r = rule(c, 0, side, layer);
    Index const mirror[3] = {mirrored(0, side, layer), at[1], at[2]};
    Real const value = r[2] == Real{0} ? Real{0} : r[2] * boundary_value(0, side, at);
    return (r[0] == Real{0} ? Real{0} : r[0] * *entry(c, mirror)) + value;
  }

  /// Fills the ghosts of one row beyond a y or z face if `simple`: all have the same rule.
  KOKKOS_FUNCTION void fill_row(int c, int axis, int side, Index i_begin, Index i_end, Index j, Index k) const {
    Index at[3] = {0, j, k};
    Index const last = owned[axis] - 1;
    Index const layer = side == 0 ? -at[axis] : at[axis] - last;
    Real const* const r = rule(c, axis, side, layer);
    Real const mirror = r[0];
    Real const weight = r[2];
    Real* const ghosts = entry(c, at);
    FaceOfBlock<Real> const& face = faces[axis][side];
    Real const* const v = face.values == nullptr ? nullptr : face.values + at[3 - axis] * face.stride;
    at[axis] = mirrored(axis, side, layer);
    Real const* const inside = entry(c, at);
    bool const varies = v != nullptr && weight != Real{0};
    Real const constant = varies || weight == Real{0} ? Real{0} : weight * face.constant;
    for (Index i = i_begin; i < i_end; ++i) {
      Real const value = varies ? weight * v[i] : constant;
      ghosts[i] = mirror == Real{0} ? value : mirror * inside[i] + value;
    }
  }

  KOKKOS_FUNCTION void operator()(Index n) const {
    int const c = static_cast<int>(n / boxes.work());
    boxes.each(n % boxes.work(), Visit{*this, c});
  }

 private:
  struct Visit {
    BoundaryKernel const& kernel;
    int c;
    KOKKOS_FUNCTION void operator()(int face, Index i_begin, Index i_end, Index j, Index k) const {
      if (kernel.simple && face > 1) {
        kernel.fill_row(c, face / 2, face % 2, i_begin, i_end, j, k);
        return;
      }
      for (Index i = i_begin; i < i_end; ++i) {
        Index const at[3] = {i, j, k};
        *kernel.entry(c, at) = kernel.simple ? kernel.beyond_x(c, face, at) : kernel.template resolved<0>(c, at);
      }
    }
  };
};

}  // namespace halocline
