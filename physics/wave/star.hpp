#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/kernel/stencil.hpp"

// Point functors on stars of radius 4, which have 25 points in 3D.

namespace halocline::wave {

inline constexpr int radius = 4;

/// The eighth-order second derivative on points at distance one: weights of the centre and of the points at distance 1
/// to 4 (Fornberg, 1988, Mathematics of Computation 51, table 1).
inline constexpr std::array<double, 5> second_derivative{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

/// The sum of the two points at each of the distances 1 to 4 along an axis, each pair times its weight.
template <int Axis, class Real, class U, int... N>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real beside(U const& u, Real const (&weight)[radius + 1],
                                                      std::integer_sequence<int, N...>) {
  return (... + (weight[N + 1] * (u[along<Axis, N + 1>] + u[along<Axis, -(N + 1)>])));
}
template <int Axis, class Real, class U>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real beside(U const& u, Real const (&weight)[radius + 1]) {
  return beside<Axis>(u, weight, std::make_integer_sequence<int, radius>());
}

/// d2u/dt2 = c^2 div grad u, to eighth order in space. Inputs: u and c^2.
template <class Real, int Axes>
struct Acceleration {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr int coefficient_fields = 1;
  static constexpr int order_in_time = 2;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }

  explicit Acceleration(Options const& /*wave*/) {
    for (std::size_t n = 0; n < second_derivative.size(); ++n) {
      weight[n] = static_cast<Real>(second_derivative[n]);
      largest_sum += (n > 0 ? 2 : 1) * std::abs(second_derivative[n]);
    }
  }

  template <class P, class U, class S>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u, S const& speed_squared) const {
    Real const centre = weight[0] * u[here];
    Real sum = at.inverse_square(0) * (centre + beside<0>(u, weight));
    if constexpr (Axes > 1) sum += at.inverse_square(1) * (centre + beside<1>(u, weight));
    if constexpr (Axes > 2) sum += at.inverse_square(2) * (centre + beside<2>(u, weight));
    return speed_squared[here] * sum;
  }
  /// Leapfrog is stable while h^2 c^2 times the largest eigenvalue of -div grad is at most 4; the wave with that
  /// eigenvalue changes its sign from cell to cell along all axes.
  template <class P, class U, class S>
  KOKKOS_FUNCTION Real fastest(P const& at, U const&, S const& speed_squared) const {
    Real largest = 0;
    for (int axis = 0; axis < Axes; ++axis) largest += at.inverse_square(axis);
    return Kokkos::sqrt(static_cast<Real>(largest_sum) * largest * speed_squared[here]) / 2;
  }
  /// 1 / c^2
  template <class S>
  KOKKOS_FUNCTION double inertia(S const& speed_squared) const {
    return 1 / static_cast<double>(speed_squared[here]);
  }

  Real weight[radius + 1]{};
  double largest_sum = 0;  ///< of the magnitudes of all weights along an axis
};

/// The next u is a weighted sum over the star: the centre counts once.
template <class Real, int Axes>
struct WeightedSum {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr int order_in_time = 0;

  explicit WeightedSum(Options const& wave) {
    std::vector<double> const given = wave.reals("weights");
    for (std::size_t n = 0; n < given.size(); ++n) weight[n] = static_cast<Real>(given[n]);
  }

  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    Real sum = weight[0] * u[here] + beside<0>(u, weight);
    if constexpr (Axes > 1) sum += beside<1>(u, weight);
    if constexpr (Axes > 2) sum += beside<2>(u, weight);
    return sum;
  }

  Real weight[radius + 1]{};
};

}  // namespace halocline::wave
