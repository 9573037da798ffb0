#pragma once

#include "framework/kernel/stencil.hpp"
#include "framework/operator/vector_functors.hpp"

// The measured functors, and the floating-point operations of one evaluation.

namespace halocline::benchmarking {

template <class Real>
struct Laplacian {
  static constexpr Shape shape = star<1>;
  static constexpr int operations = 10;
  Real centre, x, y, z;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return centre * u[here] + x * (u[west] + u[east]) + y * (u[south] + u[north]) + z * (u[bottom] + u[top]);
  }
};

/// The mean of the neighbours, and the square of the change.
template <class Real, int Dimensions>
struct Jacobi {
  static constexpr Shape shape = star<1, Dimensions>;
  static constexpr int operations = 2 * Dimensions + 3;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const&, U const& u) const {
    Real neighbours = u[west] + u[east];
    if constexpr (Dimensions > 1) neighbours += u[south] + u[north];
    if constexpr (Dimensions > 2) neighbours += u[bottom] + u[top];
    Real const value = (Real{1} / Real{2 * Dimensions}) * neighbours;
    Real const change = value - u[here];
    return {{value}, {change * change}};
  }
};

/// A weight for each distance.
template <class Real>
struct WideStar {
  static constexpr Shape shape = star<4>;
  static constexpr int operations = 29;
  Real weight[5];
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return weight[0] * u[here] + weight[1] * ring<1>(u) + weight[2] * ring<2>(u) + weight[3] * ring<3>(u) +
           weight[4] * ring<4>(u);
  }
  template <int D, class U>
  KOKKOS_FUNCTION static Real ring(U const& u) {
    return (u[along<0, -D>] + u[along<0, D>]) + (u[along<1, -D>] + u[along<1, D>]) + (u[along<2, -D>] + u[along<2, D>]);
  }
};

/// A time step of a wave; inputs: the present and the previous u.
template <class Real>
struct Leapfrog {
  static constexpr Shape shape = star<4>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  static constexpr int operations = WideStar<Real>::operations + 3;
  WideStar<Real> change;
  template <class P, class U, class Before>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, Before const& before) const {
    return (Real{2} * u[here] - before[here]) + change(at, u);
  }
};

/// Operations of one evaluation of a functor, including the additions to its sums.
template <class Functor>
inline constexpr int operations_of = Functor::operations;
template <class Real>
inline constexpr int operations_of<vector_functor::Dots<Real>> = 2;

}  // namespace halocline::benchmarking
