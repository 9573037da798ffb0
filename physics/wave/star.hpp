#pragma once

#include <Kokkos_Macros.hpp>
#include <utility>

#include "framework/kernel/stencil.hpp"

// Point functors of the wave equation. Their weights are members, which kernels find in constant memory or registers.

namespace halocline::wave {

inline constexpr int radius = 4;

/// A weighted sum of the points of a star of radius 4: along each of `Axes` axes two points at each of four distances,
/// and the centre; 25 points in 3D.
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

/// One step of leapfrog: u(t + h) = 2 u(t) - u(t - h) + h^2 c^2 div grad u, where `change` has h^2 c^2 in its weights.
/// Inputs: u, what it was before.
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

/// The same in a medium whose speed varies: `change` has h^2 in its weights. Inputs: u, what it was before, c^2.
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

/// Step times rate of damping in a sponge at the faces of a box: zero inside, growing with the square of the depth.
template <class Real, int Axes>
struct SpongeDamping {
  Real lower[Axes];   ///< where the sponge at the lower face ends
  Real upper[Axes];   ///< where the one at the upper face begins
  Real scale[Axes];   ///< h s / w^2 with the rate s at the face and the width w; zero along axes without a sponge
  Index begin[Axes];  ///< global index of the first cell beyond the sponge at the lower face
  Index end[Axes];    ///< and of the first cell in the one at the upper face

  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at) const {
    Real sum = 0;
    for (int axis = 0; axis < Axes; ++axis) {
      Real const x = at.position(axis);
      Real const below = lower[axis] - x;
      Real const above = x - upper[axis];
      Real const outside = select(below > above, below, above);
      Real const depth = select(outside > Real{0}, outside, Real{0});
      sum += scale[axis] * (depth * depth);
    }
    return sum;
  }

  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool holds(P const& at) const {
    bool inside = true;
    for (int axis = 0; axis < Axes; ++axis) {
      inside = inside && at.index(axis) >= begin[axis] && at.index(axis) < end[axis];
    }
    return !inside;
  }
};

/// The same with a sponge: d2u/dt2 + 2 s du/dt = c^2 div grad u, both derivatives central.
template <class Real, int Axes>
struct DampedStep {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  MediumStep<Real, Axes> undamped;
  SpongeDamping<Real, Axes> sponge;

  template <class P, class U, class Before, class Speed>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, Before const& before, Speed const& speed_squared) const {
    Real const next = undamped(at, u, before, speed_squared);
    // Threads of a device spare the division outside of the sponge; loops of a host stay free of branches.
    KOKKOS_IF_ON_DEVICE((if (!sponge.holds(at)) return next;))
    Real const damping = sponge(at);
    return (next + damping * before[here]) / (Real{1} + damping);
  }
};

}  // namespace halocline::wave
