#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/mesh/structured_mesh.hpp"

// Point functors on stars of radius 4, which have 25 points in 3D. Their weights are members, which kernels read from
// constant memory or registers.

namespace halocline::wave {

inline constexpr int radius = 4;

/// The eighth-order second derivative on points at distance one: weights of the centre and of the points at distance 1
/// to 4 (Fornberg, 1988, Mathematics of Computation 51, table 1).
inline constexpr std::array<double, 5> second_derivative{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

/// A weighted sum over a star: along each of `Axes` axes two points at each of four distances, and the centre.
template <class Real, int Axes>
struct WeightedStar {
  Real centre;
  Real side[Axes][radius];  ///< by axis, then distance - 1

  template <class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(U const& u) const {
    return sum(u, std::make_integer_sequence<int, radius>());
  }

 private:
  template <class U, int... N>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return ((centre * u[here]) + ... + ring<N + 1>(u));
  }
  /// All points at one distance.
  template <int N, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real ring(U const& u) const {
    Real value = side[0][N - 1] * (u[along<0, N>] + u[along<0, -N>]);
    if constexpr (Axes > 1) value += side[1][N - 1] * (u[along<1, N>] + u[along<1, -N>]);
    if constexpr (Axes > 2) value += side[2][N - 1] * (u[along<2, N>] + u[along<2, -N>]);
    return value;
  }
};

/// d2u/dt2 = c^2 div grad u, to eighth order in space. Inputs: u and c^2.
template <class Real, int Axes>
struct Acceleration {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr int coefficient_fields = 1;
  static constexpr int order_in_time = 2;
  static constexpr bool is_proportional = true;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }

  Acceleration(Options const& /*wave*/, StructuredMesh const& mesh) {
    for (int axis = 0; axis < Axes; ++axis) inverse_square[axis] = 1 / std::pow(mesh.axis(axis).spacing(), 2);
    *this = times(1);
  }

  template <class P, class U, class S>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, S const& speed_squared) const {
    return speed_squared[here] * laplacian(u);
  }
  /// Leapfrog is stable while h^2 c^2 times the largest eigenvalue of -div grad is at most 4; the wave with that
  /// eigenvalue changes its sign from cell to cell along all axes.
  template <class P, class U, class S>
  KOKKOS_FUNCTION double fastest(P const&, U const&, S const& speed_squared) const {
    return Kokkos::sqrt(largest_eigenvalue * static_cast<double>(speed_squared[here])) / 2;
  }
  /// 1 / c^2
  template <class S>
  KOKKOS_FUNCTION double inertia(S const& speed_squared) const {
    return 1 / static_cast<double>(speed_squared[here]);
  }
  /// A functor that returns `factor` times as much.
  [[nodiscard]] Acceleration times(double factor) const {
    Acceleration scaled = *this;
    double centre = 0;
    double largest = 0;
    for (int axis = 0; axis < Axes; ++axis) {
      double const scale = factor * inverse_square[axis];
      centre += scale * second_derivative[0];
      largest += inverse_square[axis] * std::abs(second_derivative[0]);
      for (std::size_t n = 1; n < second_derivative.size(); ++n) {
        scaled.laplacian.side[axis][n - 1] = static_cast<Real>(scale * second_derivative[n]);
        largest += 2 * inverse_square[axis] * std::abs(second_derivative[n]);
      }
    }
    scaled.laplacian.centre = static_cast<Real>(centre);
    scaled.largest_eigenvalue = largest;
    return scaled;
  }

  WeightedStar<Real, Axes> laplacian{};
  double inverse_square[Axes];    ///< 1 / spacing^2
  double largest_eigenvalue = 0;  ///< of -div grad
};

/// The next u is a weighted sum over the star: the centre counts once.
template <class Real, int Axes>
struct WeightedSum {
  static constexpr Shape shape = star<radius, Axes>;
  static constexpr int order_in_time = 0;

  explicit WeightedSum(Options const& wave) {
    std::vector<double> const given = wave.reals("weights");
    sum.centre = static_cast<Real>(given[0]);
    for (auto& side : sum.side) {
      for (std::size_t n = 0; n < radius; ++n) side[n] = static_cast<Real>(given[n + 1]);
    }
  }

  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return sum(u);
  }

  WeightedStar<Real, Axes> sum{};
};

}  // namespace halocline::wave
