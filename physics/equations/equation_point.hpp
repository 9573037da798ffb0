#pragma once

#include <Kokkos_Macros.hpp>

#include "framework/kernel/stencil.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Factors of finite differences on a uniform mesh.
template <class Real>
struct DifferenceWeights {
  Real inverse_spacing[3] = {0, 0, 0};
  Real inverse_square[3] = {0, 0, 0};  ///< 1 / spacing^2
};

/// Those of a uniform mesh; zero along stretched axes.
template <class Real>
[[nodiscard]] DifferenceWeights<Real> difference_weights(StructuredMesh const& mesh) {
  DifferenceWeights<Real> weights;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    if (!mesh.axis(axis).is_uniform()) continue;
    double const spacing = mesh.axis(axis).spacing();
    weights.inverse_spacing[axis] = static_cast<Real>(1 / spacing);
    weights.inverse_square[axis] = static_cast<Real>(1 / (spacing * spacing));
  }
  return weights;
}

/// The point at which the rate of an equation is evaluated, with central differences there. What is not used costs
/// nothing.
template <class Real, int Axes, class P>
class EquationPoint {
 public:
  KOKKOS_FORCEINLINE_FUNCTION EquationPoint(P const& at, DifferenceWeights<Real> const& weights)
      : at_(at), weights_(weights) {}

  /// Coordinate along `axis`, in the mesh's unit of length.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real position(int axis) const {
    return static_cast<Real>(at_.position(axis));
  }
  /// Time of the stage, in the deck's unit.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real time() const { return static_cast<Real>(at_.time()); }
  /// Global index along `axis`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index index(int axis) const { return at_.index(axis); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_spacing(int axis) const {
    return weights_.inverse_spacing[axis];
  }
  /// 1 / spacing^2
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_square(int axis) const {
    return weights_.inverse_square[axis];
  }

  /// div grad u, to second order.
  template <class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real laplacian(U const& u) const {
    Real const twice = Real{2} * u[here];
    Real sum = weights_.inverse_square[0] * ((u[east] + u[west]) - twice);
    if constexpr (Axes > 1) sum += weights_.inverse_square[1] * ((u[north] + u[south]) - twice);
    if constexpr (Axes > 2) sum += weights_.inverse_square[2] * ((u[top] + u[bottom]) - twice);
    return sum;
  }
  /// div(k grad u) in units of the largest k, to second order, from the resistances largest / (2 k) of half a cell: on
  /// a face k is the harmonic mean of both cells, so that the flux is continuous where k is not. Where k is so small
  /// that its resistance overflows, nothing flows.
  template <class U, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diffusion(U const& u, R const& resistance) const {
    Real sum = weights_.inverse_square[0] * flux_difference<0>(u, resistance);
    if constexpr (Axes > 1) sum += weights_.inverse_square[1] * flux_difference<1>(u, resistance);
    if constexpr (Axes > 2) sum += weights_.inverse_square[2] * flux_difference<2>(u, resistance);
    return sum;
  }
  /// du/dx_Axis, to second order.
  template <int Axis, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real derivative(U const& u) const {
    return Real{0.5} * weights_.inverse_spacing[Axis] * (u[along<Axis, 1>] - u[along<Axis, -1>]);
  }
  /// d2u/dx_Axis2, to second order.
  template <int Axis, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real second_derivative(U const& u) const {
    return weights_.inverse_square[Axis] * ((u[along<Axis, 1>] + u[along<Axis, -1>]) - Real{2} * u[here]);
  }

 private:
  /// What flows in through the upper face minus what flows out through the lower one, times the spacing.
  template <int Axis, class U, class R>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real flux_difference(U const& u, R const& resistance) {
    return (u[along<Axis, 1>] - u[here]) / (resistance[here] + resistance[along<Axis, 1>]) -
           (u[here] - u[along<Axis, -1>]) / (resistance[along<Axis, -1>] + resistance[here]);
  }

  P const& at_;
  DifferenceWeights<Real> const& weights_;
};

}  // namespace halocline
