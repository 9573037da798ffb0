#pragma once

#include <Kokkos_Core.hpp>

#include "framework/field/box_set.hpp"

namespace halocline {

/// What the kernel knows of one field on a block.
template <class Real>
struct FieldOfFill {
  Real* origin = nullptr;  ///< the owned entry (0, 0, 0) of component 0
  /// Three numbers (mirror, wall, value) for each component, face and layer. For layer 0, the wall itself: whether it
  /// is written, unused, its factor of v.
  Real const* rules = nullptr;
  Real constant[3][2] = {};       ///< v on each face, if it is constant
  Real const* values[3][2] = {};  ///< otherwise v at (0, 0) of the two other axes, ghosts included
};

/// What fields have in common that one launch fills.
struct LayoutOfFill {
  BoxSet boxes;
  Index row = 0;  ///< strides of the fields, as of BlockLayout …
  Index plane = 0;
  Index component = 0;
  int components = 1;
  int layers = 1;  ///< number of ghost layers, plus one for the wall
  Index owned[3] = {1, 1, 1};
  Index stride[3] = {0, 0, 0};  ///< … and of values on faces, by the second of the two axes along them
  bool on_wall[3] = {};         ///< entries lie on the cell edges of the axis
  bool physical[3][2] = {};     ///< there is no block beyond the face
  /// Each written entry lies beyond one face only and depends only on its mirror image and v.
  bool simple = true;

  [[nodiscard]] friend bool operator==(LayoutOfFill const&, LayoutOfFill const&) = default;
};

/// Fills ghosts of some fields on one block: maps each entry, axis by axis, to entries that are not being written.
template <class Real, int Capacity>
struct BoundaryKernel : LayoutOfFill {
  FieldOfFill<Real> fields[Capacity];

  /// One component of a field.
  struct Component {
    FieldOfFill<Real> const& field;
    Real* origin;
    Real const* rules;
  };
  /// An entry as a linear combination along an axis: main * u[at] + wall[s] * u[wall s] + value[s] * v[s].
  struct Folded {
    Index at;
    Real main = 1;
    Real wall[2] = {0, 0};
    Real value[2] = {0, 0};
  };

  KOKKOS_FUNCTION Component component_at(Index n) const {
    FieldOfFill<Real> const& field = fields[Capacity == 1 ? 0 : n / components];
    Index const c = Capacity == 1 ? n : n % components;
    return {field, field.origin + c * component, field.rules + Index{18} * c * layers};
  }

  KOKKOS_FUNCTION Real const* rule(Component const& u, int axis, int side, Index layer) const {
    return u.rules + 3 * ((2 * axis + side) * layers + layer);
  }

  /// Index of the mirror image of a ghost layer.
  KOKKOS_FUNCTION Index mirrored(int axis, int side, Index layer) const {
    Index const inwards = on_wall[axis] ? layer : layer - 1;
    return side == 0 ? inwards : owned[axis] - 1 - inwards;
  }

  KOKKOS_FUNCTION Folded fold(Component const& u, int axis, Index i) const {
    Folded folded{i};
    Index const last = owned[axis] - 1;
    while (true) {
      int const side = folded.at <= 0 && physical[axis][0] ? 0 : 1;
      Index const layer = side == 0 ? -folded.at : folded.at - last;
      if (!physical[axis][side] || layer < 0) return folded;
      Real const* const r = rule(u, axis, side, layer);
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
  KOKKOS_FUNCTION Real boundary_value(Component const& u, int axis, int side, Index const (&at)[3]) const {
    Real const* const values = u.field.values[axis][side];
    if (values == nullptr) return u.field.constant[axis][side];
    return values[at[axis == 0 ? 1 : 0] + at[axis == 2 ? 1 : 2] * stride[axis]];
  }

  /// The value of the entry after the conditions on `Axis` and the following axes.
  template <int Axis>
  KOKKOS_FUNCTION Real resolved(Component const& u, Index const (&at)[3]) const {
    if constexpr (Axis == 3) {
      return *entry(u, at);
    } else {
      Folded const folded = fold(u, Axis, at[Axis]);
      Real sum = 0;
      if (folded.main != Real{0}) sum += folded.main * moved<Axis>(u, at, folded.at);
      for (int side = 0; side < 2; ++side) {
        Index const wall = side == 0 ? 0 : owned[Axis] - 1;
        if (folded.wall[side] != Real{0}) sum += folded.wall[side] * moved<Axis>(u, at, wall);
        if (folded.value[side] != Real{0}) sum += folded.value[side] * boundary_value(u, Axis, side, at);
      }
      return sum;
    }
  }
  template <int Axis>
  KOKKOS_FUNCTION Real moved(Component const& u, Index const (&at)[3], Index to) const {
    Index next[3] = {at[0], at[1], at[2]};
    next[Axis] = to;
    return resolved<Axis + 1>(u, next);
  }

  KOKKOS_FUNCTION Real* entry(Component const& u, Index const (&at)[3]) const {
    return u.origin + at[0] + at[1] * row + at[2] * plane;
  }

  /// The value of a ghost beyond an x face if `simple`.
  KOKKOS_FUNCTION Real beyond_x(Component const& u, int side, Index const (&at)[3]) const {
    Index const layer = side == 0 ? -at[0] : at[0] - (owned[0] - 1);
    Real const* const r = rule(u, 0, side, layer);
    Index const mirror[3] = {mirrored(0, side, layer), at[1], at[2]};
    Real const value = r[2] == Real{0} ? Real{0} : r[2] * boundary_value(u, 0, side, at);
    return (r[0] == Real{0} ? Real{0} : r[0] * *entry(u, mirror)) + value;
  }

  /// Fills the ghosts of one row beyond a y or z face if `simple`: all have the same rule.
  KOKKOS_FUNCTION void fill_row(Component const& u, int axis, int side, Index i_begin, Index i_end, Index j,
                                Index k) const {
    Index at[3] = {0, j, k};
    Index const last = owned[axis] - 1;
    Index const layer = side == 0 ? -at[axis] : at[axis] - last;
    Real const* const r = rule(u, axis, side, layer);
    Real const mirror = r[0];
    Real const weight = r[2];
    Real* const ghosts = entry(u, at);
    Real const* const values = u.field.values[axis][side];
    Real const* const v = values == nullptr ? nullptr : values + at[3 - axis] * stride[axis];
    at[axis] = mirrored(axis, side, layer);
    Real const* const inside = entry(u, at);
    bool const varies = v != nullptr && weight != Real{0};
    Real const constant = varies || weight == Real{0} ? Real{0} : weight * u.field.constant[axis][side];
    for (Index i = i_begin; i < i_end; ++i) {
      Real const value = varies ? weight * v[i] : constant;
      ghosts[i] = mirror == Real{0} ? value : mirror * inside[i] + value;
    }
  }

  KOKKOS_FUNCTION void operator()(Index n) const {
    boxes.each(n % boxes.work(), Visit{*this, component_at(n / boxes.work())});
  }

 private:
  struct Visit {
    BoundaryKernel const& kernel;
    Component u;
    KOKKOS_FUNCTION void operator()(int face, Index i_begin, Index i_end, Index j, Index k) const {
      if (kernel.simple && face > 1) {
        kernel.fill_row(u, face / 2, face % 2, i_begin, i_end, j, k);
        return;
      }
      for (Index i = i_begin; i < i_end; ++i) {
        Index const at[3] = {i, j, k};
        *kernel.entry(u, at) = kernel.simple ? kernel.beyond_x(u, face, at) : kernel.template resolved<0>(u, at);
      }
    }
  };
};

}  // namespace halocline
