#pragma once

#include "framework/kernel/stencil.hpp"

namespace halocline::transport {

/// Any linear operator that couples a point to its neighbours along the axes: d u + w u[west] + e u[east] + …, with
/// weights that differ from point to point. Ghosts of u beyond the walls are zero.
///
/// Inputs: u, the diagonal, and the weights of west, east, south, north, bottom and top, as far as there are
/// dimensions.
template <class Real, int Dimensions>
struct WeightedNeighbours {
  static constexpr Shape shape = star<1, Dimensions>;
  static constexpr bool is_unsymmetric = true;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class D, class W, class E, class... More>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, W const& w, E const& e,
                                                            More const&... more) const {
    return d[here] * u[here] + with_axes<1>(w[here] * u[west] + e[here] * u[east], u, more...);
  }

 private:
  /// The sum plus the contributions of the neighbours along the axes from `Axis` on.
  template <int Axis, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real with_axes(Real sum, U const&) {
    return sum;
  }
  template <int Axis, class U, class Lower, class Upper, class... More>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real with_axes(Real sum, U const& u, Lower const& lower,
                                                                  Upper const& upper, More const&... more) {
    return with_axes<Axis + 1>(sum + (lower[here] * u[along<Axis, -1>] + upper[here] * u[along<Axis, 1>]), u, more...);
  }
};

}  // namespace halocline::transport
