#pragma once

#include "framework/kernel/stencil.hpp"
#include "framework/operator/point_unknowns.hpp"

namespace halocline {

template <class Real, int Dimensions>
struct DiffusionInside;

/// -div(K grad u) + s u with uniform K, integrated over control volumes of equal size: no coefficients in memory.
/// Ghosts of u beyond the walls are zero; the walls' effect is in the diagonal of the unknowns beside them.
template <class Real, int Dimensions>
struct ConstantDiffusion {
  static constexpr Shape shape = star<1, Dimensions>;
  /// The rows of unknowns away from walls, between `first` and `last`, are alike (functor_rows.hpp).
  static constexpr bool has_equal_rows = true;
  Real coupling[3] = {0, 0, 0};                ///< transmissibility (K area / distance) of the faces across each axis
  Real wall[3][2] = {{0, 0}, {0, 0}, {0, 0}};  ///< those of the lower and upper wall; on periodic axes: coupling
  Real shift = 0;                              ///< s times the volume
  Index first[3] = {0, 0, 0};                  ///< global index of the first unknown …
  Index last[3] = {0, 0, 0};                   ///< … and of the last one

  /// The contribution of the two faces across one axis to the diagonal.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real axis_term(int axis, Index index) const {
    return select(index == first[axis], wall[axis][0], coupling[axis]) +
           select(index == last[axis], wall[axis][1], coupling[axis]);
  }

  /// Bounds the sum of magnitudes of a row's entries, by a row beside the walls that couple most strongly.
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
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(P const&, U const& u) const {
    Real sum = coupling[0] * (u[west] + u[east]);
    if constexpr (Dimensions > 1) sum += coupling[1] * (u[south] + u[north]);
    if constexpr (Dimensions > 2) sum += coupling[2] * (u[bottom] + u[top]);
    return sum;
  }

  template <class P, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at, U const& u) const {
    return diagonal(at) * u[here] - neighbours(at, u);
  }

  [[nodiscard]] DiffusionInside<Real, Dimensions> inside() const {
    Real sum = shift;
    for (int axis = 0; axis < Dimensions; ++axis) sum += coupling[axis] + coupling[axis];
    return {*this, stencil_functor::inverse_or_zero(sum)};
  }
};

/// ConstantDiffusion away from walls, where all rows are alike.
template <class Real, int Dimensions>
struct DiffusionInside {
  static constexpr Shape shape = star<1, Dimensions>;
  ConstantDiffusion<Real, Dimensions> everywhere;
  Real inverse;  ///< of the diagonal
  template <class P, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(P const& at, U const& u) const {
    return everywhere.neighbours(at, u);
  }
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_diagonal(P const&) const {
    return inverse;
  }
};

}  // namespace halocline
