#pragma once

#include "framework/kernel/stencil.hpp"

namespace halocline {

/// -div(K grad u) + s u, integrated over control volumes, with a transmissibility (conductivity * area / distance) on
/// every face. Entry (i, j, k) of the field `t`n holds that of the face between the unknown and the one before it along
/// axis n; `d` is the diagonal, boundary faces and s included. Ghosts of u beyond the walls are zero.
///
/// Inputs: u, d, tx and, as the dimensions go, ty and tz.
template <class Real, int Dimensions>
struct FaceDiffusion;

template <class Real>
struct FaceDiffusion<Real, 1> {
  static constexpr Shape shape = star<1, 1>;
  static constexpr bool neighbours_are_negative = true;
  static constexpr Shape input_shape(int n) { return n == 1 ? point : shape; }
  template <class P, class U, class D, class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, T const& tx) const {
    return d[here] * u[here] - (tx[here] * u[west] + tx[east] * u[east]);
  }
};

template <class Real>
struct FaceDiffusion<Real, 2> {
  static constexpr Shape shape = star<1, 2>;
  static constexpr bool neighbours_are_negative = true;
  static constexpr Shape input_shapes[4] = {shape, point, line<1, 0>, line<1, 1>};
  static constexpr Shape input_shape(int n) { return input_shapes[n]; }
  template <class P, class U, class D, class X, class Y>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, X const& tx,
                                                            Y const& ty) const {
    return d[here] * u[here] -
           ((tx[here] * u[west] + tx[east] * u[east]) + (ty[here] * u[south] + ty[north] * u[north]));
  }
};

template <class Real>
struct FaceDiffusion<Real, 3> {
  static constexpr Shape shape = star<1, 3>;
  static constexpr bool neighbours_are_negative = true;
  static constexpr Shape input_shapes[5] = {shape, point, line<1, 0>, line<1, 1>, line<1, 2>};
  static constexpr Shape input_shape(int n) { return input_shapes[n]; }
  template <class P, class U, class D, class X, class Y, class Z>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, X const& tx, Y const& ty,
                                                            Z const& tz) const {
    return d[here] * u[here] -
           ((tx[here] * u[west] + tx[east] * u[east]) + (ty[here] * u[south] + ty[north] * u[north]) +
            (tz[here] * u[bottom] + tz[top] * u[top]));
  }
};

}  // namespace halocline
