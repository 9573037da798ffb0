#pragma once

#include "framework/kernel/stencil.hpp"

namespace halocline {

/// -div(K grad u) + s u, integrated over control volumes, with a transmissibility (conductivity * area / distance) on
/// every face. Entry (i, j, k) of the field `t`n holds that of the face between the unknown and the one before it along
/// axis n; `d` is the diagonal, boundary faces and s included. Ghosts of u beyond the walls are zero.
///
/// Inputs: u, d, tx and, according to the dimensions, ty and tz.
template <class Real, int Dimensions>
struct FaceDiffusion {
  static constexpr Shape shape = star<1, Dimensions>;
  static constexpr bool neighbours_are_negative = true;
  static constexpr Shape input_shape(int n) {
    return n == 0 ? shape : n == 1 ? point : Shape{ShapeKind::star, 1, 1 << (n - 2)};
  }
  template <class P, class U, class D, class X, class... More>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, X const& tx,
                                                            More const&... more) const {
    return d[here] * u[here] - neighbours_of(u, tx, more...);
  }
  template <class P, class D, class... T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(P const&, D const& d, T const&...) const {
    return d[here];
  }
  template <class P, class U, class D, class... T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(P const&, U const& u, D const&, T const&... t) const {
    return neighbours_of(u, t...);
  }

 private:
  template <class U, class X, class... More>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real neighbours_of(U const& u, X const& tx, More const&... more) {
    return with_axes<1>(tx[here] * u[west] + tx[east] * u[east], u, more...);
  }
  /// Adds the fluxes across the faces of the axes from `Axis` on.
  template <int Axis, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real with_axes(Real sum, U const&) {
    return sum;
  }
  template <int Axis, class U, class T, class... More>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real with_axes(Real sum, U const& u, T const& t,
                                                                  More const&... more) {
    return with_axes<Axis + 1>(sum + (t[here] * u[along<Axis, -1>] + t[along<Axis, 1>] * u[along<Axis, 1>]), u,
                               more...);
  }
};

}  // namespace halocline
