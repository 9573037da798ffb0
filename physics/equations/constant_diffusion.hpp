#pragma once

#include "framework/kernel/stencil.hpp"

namespace halocline {

/// -div(K grad u) + s u, integrated over control volumes of one size, with one K: no coefficient in memory. Ghosts of u
/// beyond the walls are zero; what a wall changes is in the diagonal of the unknowns beside it.
template <class Real, int Dimensions>
struct ConstantDiffusion {
  static constexpr Shape shape = star<1, Dimensions>;
  Real coupling[3] = {0, 0, 0};                ///< transmissibility (K area / distance) of the faces across each axis
  Real wall[3][2] = {{0, 0}, {0, 0}, {0, 0}};  ///< that of the lower and the upper wall; on periodic axes: coupling
  Real shift = 0;                              ///< s times the volume
  Index first[3] = {0, 0, 0};                  ///< global index of the first unknown …
  Index last[3] = {0, 0, 0};                   ///< … and of the last one

  /// What the two faces across one axis add to the diagonal.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real axis_term(int axis, Index index) const {
    return select(index == first[axis], wall[axis][0], coupling[axis]) +
           select(index == last[axis], wall[axis][1], coupling[axis]);
  }

  /// Of the sum of the magnitudes of a row's entries: that of a row beside the walls that couple most.
  [[nodiscard]] double row_sum_bound() const {
    double sum = shift < Real{0} ? -shift : shift;
    for (int axis = 0; axis < Dimensions; ++axis) {
      for (Real const beside : wall[axis]) {
        double const inside = coupling[axis];
        sum += inside + (beside > inside ? beside : inside);
      }
    }
    return sum;
  }

  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(P const& at) const {
    Real sum = shift;
    for (int axis = 0; axis < Dimensions; ++axis) sum += axis_term(axis, at.index(axis));
    return sum;
  }

  template <class P, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at, U const& u) const {
    Real neighbours = coupling[0] * (u[west] + u[east]);
    if constexpr (Dimensions > 1) neighbours += coupling[1] * (u[south] + u[north]);
    if constexpr (Dimensions > 2) neighbours += coupling[2] * (u[bottom] + u[top]);
    return diagonal(at) * u[here] - neighbours;
  }
};

}  // namespace halocline
