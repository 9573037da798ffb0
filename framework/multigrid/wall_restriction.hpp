#pragma once

#include "framework/multigrid/level_views.hpp"

namespace halocline {

/// The share of a right-hand side's entry beside a wall that the coarse problem uses. A wall where u = v adds T v, with
/// the face's transmissibility T. The coarse face's T is the sum of the fine ones times a ratio, because the coarse
/// unknown is further away; so the wall's part is multiplied by that ratio. The wall's part is not known separately
/// from sources and earlier times. It is taken as the share of T in the sum of all walls and the shift, with an error
/// like that of an O(h^2) change of the wall's value.
template <class Stencil>
struct RestrictRightHandSide {
  using Real = typename Stencil::Real;
  LevelViews<Stencil> views;
  Real ratio[3][2];  ///< of the conductances at the lower and upper wall of each axis; 1 without a wall

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real share(Index i, Index j, Index k) const {
    Index const at[3] = {i, j, k};
    Real walls = 0;
    Real coarse = 0;
    for (int axis = 0; axis < Stencil::dimensions; ++axis) {
      Index const step[3] = {axis == 0, axis == 1, axis == 2};
      if (at[axis] == views.begin[axis] && ratio[axis][0] != Real{1}) {
        Real const t = views.stencil.face(axis, i, j, k);
        walls += t;
        coarse += ratio[axis][0] * t;
      }
      if (at[axis] == views.end[axis] - 1 && ratio[axis][1] != Real{1}) {
        Real const t = views.stencil.face(axis, i + step[0], j + step[1], k + step[2]);
        walls += t;
        coarse += ratio[axis][1] * t;
      }
    }
    Real const shift = views.stencil.shift(i, j, k);
    Real const all = walls + shift;
    return all > Real{0} ? (coarse + shift) / all : Real{1};
  }

  [[nodiscard]] KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    Real sum = 0;
    for_children(views, i, j, k, [&](Index a, Index b, Index c) { sum += share(a, b, c) * views.b(a, b, c); });
    return sum;
  }
};

}  // namespace halocline
