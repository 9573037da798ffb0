#pragma once

#include <Kokkos_Macros.hpp>
#include <utility>

#include "framework/kernel/stencil.hpp"

// Point functors of the wave equation. Their weights are members, which kernels read from constant memory or registers.

namespace halocline::wave {

inline constexpr int radius = 4;

/// A weighted sum over a star of radius 4: along each of `Axes` axes two points at each of four distances, and the
/// centre; 25 points in 3D.
template <class Real, int Axes>
struct WeightedStar {
  static constexpr Shape shape = star<radius, Axes>;
  Real centre;
  Real side[Axes][radius];  ///< by axis, then distance - 1

  template <class P, class U>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u) const {
    return sum(u, std::make_integer_sequence<int, radius>());
  }

 private:
  template <class U, int... N>
  KOKKOS_FORCEINLINE_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return ((centre * u[here]) + ... + ring<N + 1>(u));
  }
  /// All points at one distance.
  template <int N, class U>
  KOKKOS_FORCEINLINE_FUNCTION Real ring(U const& u) const {
    Real value = side[0][N - 1] * (u[along<0, N>] + u[along<0, -N>]);
    if constexpr (Axes > 1) value += side[1][N - 1] * (u[along<1, N>] + u[along<1, -N>]);
    if constexpr (Axes > 2) value += side[2][N - 1] * (u[along<2, N>] + u[along<2, -N>]);
    return value;
  }
};

/// One step of leapfrog: u(t + h) = 2 u(t) - u(t - h) + h^2 c^2 div grad u; the weights of `change` contain h^2 c^2.
/// Inputs: u and its previous value.
template <class Real, int Axes>
struct LeapfrogStep {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  WeightedStar<Real, Axes> change;

  template <class P, class U, class Before>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, Before const& before) const {
    return (Real{2} * u[here] - before[here]) + change(at, u);
  }
};

/// The same with variable speed: the weights of `change` contain h^2. Inputs: u, its previous value, c^2.
template <class Real, int Axes>
struct MediumStep {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  WeightedStar<Real, Axes> change;

  template <class P, class U, class Before, class Speed>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, Before const& before, Speed const& speed_squared) const {
    return (Real{2} * u[here] - before[here]) + speed_squared[here] * change(at, u);
  }
};

/// The same with a sponge: d2u/dt2 + 2 s du/dt = c^2 div grad u, both time derivatives central. The change of a point
/// is multiplied by 1 / (1 + h s), a product of one factor per axis: see SpongeFactors.
template <class Real, int Axes>
struct DampedStep {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  MediumStep<Real, Axes> undamped;
  Real const* factors[Axes];  ///< by axis, then global index

  template <class P, class U, class Before, class Speed>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, Before const& before, Speed const& speed_squared) const {
    Real left = factors[0][at.index(0)];
    for (int axis = 1; axis < Axes; ++axis) left *= factors[axis][at.index(axis)];
    return left * undamped(at, u, before, speed_squared) + (Real{1} - left) * before[here];
  }
};

}  // namespace halocline::wave
