#pragma once

#include "framework/kernel/stencil.hpp"

namespace halocline {

/// -div(K grad u) + s u, integrated over cells of equal size, with one coefficient `r` per cell: what half the cell
/// contributes to a face. It is a resistance if the halves conduct in series (harmonic mean), infinite where nothing is
/// conducted, and a conductance if they conduct side by side (arithmetic mean). Ghosts of r beyond a wall are what is
/// missing in the sum of both, possibly below zero; ghosts of u there are zero.
///
/// Inputs: u, r.
template <class Real, int Dimensions>
struct CellDiffusion {
  static constexpr Shape shape = star<1, Dimensions>;
  static constexpr bool neighbours_are_negative = true;
  Real coupling[3] = {0, 0, 0};  ///< transmissibility of a face whose halves sum up to 1, across each axis
  Real shift = 0;                ///< s times the volume of a cell
  bool in_series = true;         ///< r are resistances

  /// The transmissibility of a face between two halves.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Real lower, Real upper) const {
    Real const sum = lower + upper;
    return in_series ? coupling[axis] / sum : coupling[axis] * sum;
  }

  template <class P, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(P const&, R const& r) const {
    Real sum = shift + faces_of<0>(r);
    if constexpr (Dimensions > 1) sum += faces_of<1>(r);
    if constexpr (Dimensions > 2) sum += faces_of<2>(r);
    return sum;
  }
  template <class P, class U, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(P const&, U const& u, R const& r) const {
    Real sum = neighbours_along<0>(u, r);
    if constexpr (Dimensions > 1) sum += neighbours_along<1>(u, r);
    if constexpr (Dimensions > 2) sum += neighbours_along<2>(u, r);
    return sum;
  }
  template <class P, class U, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, R const& r) const {
    Real sum = shift * u[here] + differences_along<0>(u, r);
    if constexpr (Dimensions > 1) sum += differences_along<1>(u, r);
    if constexpr (Dimensions > 2) sum += differences_along<2>(u, r);
    return sum;
  }

 private:
  template <int Axis, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real lower(R const& r) const {
    return face(Axis, r[along<Axis, -1>], r[here]);
  }
  template <int Axis, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real upper(R const& r) const {
    return face(Axis, r[here], r[along<Axis, 1>]);
  }
  template <int Axis, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real faces_of(R const& r) const {
    return lower<Axis>(r) + upper<Axis>(r);
  }
  template <int Axis, class U, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours_along(U const& u, R const& r) const {
    return lower<Axis>(r) * u[along<Axis, -1>] + upper<Axis>(r) * u[along<Axis, 1>];
  }
  template <int Axis, class U, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real differences_along(U const& u, R const& r) const {
    return lower<Axis>(r) * (u[here] - u[along<Axis, -1>]) + upper<Axis>(r) * (u[here] - u[along<Axis, 1>]);
  }
};

}  // namespace halocline
