#pragma once

#include "framework/kernel/stencil.hpp"

namespace halocline::advection {

/// Any linear operator that couples a point to its neighbours along the axes: d u + w u[west] + e u[east] + …, each
/// point with weights of its own. Ghosts of u beyond the walls are zero.
///
/// Inputs: u, the diagonal, and the weights of west, east and, as the dimensions go, south, north, bottom and top.
template <class Real, int Dimensions>
struct WeightedNeighbours;

template <class Real>
struct WeightedNeighbours<Real, 1> {
  static constexpr Shape shape = star<1, 1>;
  static constexpr bool is_unsymmetric = true;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class D, class W, class E>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, W const& w,
                                                            E const& e) const {
    return d[here] * u[here] + (w[here] * u[west] + e[here] * u[east]);
  }
};

template <class Real>
struct WeightedNeighbours<Real, 2> {
  static constexpr Shape shape = star<1, 2>;
  static constexpr bool is_unsymmetric = true;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class D, class W, class E, class S, class N>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, W const& w, E const& e,
                                                            S const& s, N const& n) const {
    return d[here] * u[here] + ((w[here] * u[west] + e[here] * u[east]) + (s[here] * u[south] + n[here] * u[north]));
  }
};

template <class Real>
struct WeightedNeighbours<Real, 3> {
  static constexpr Shape shape = star<1, 3>;
  static constexpr bool is_unsymmetric = true;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class D, class W, class E, class S, class N, class B, class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, D const& d, W const& w, E const& e,
                                                            S const& s, N const& n, B const& b, T const& t) const {
    return d[here] * u[here] + ((w[here] * u[west] + e[here] * u[east]) + (s[here] * u[south] + n[here] * u[north]) +
                                (b[here] * u[bottom] + t[here] * u[top]));
  }
};

}  // namespace halocline::advection
