#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/backend.hpp"

// Layers that absorb waves.

namespace halocline {

/// Declares the section `sponge`.
[[nodiscard]] Section sponge_section();
/// Whether a deck gives a layer.
[[nodiscard]] bool has_sponge(Options const& own);

/// A layer along the non-periodic faces of the mesh in which waves are damped.
struct Sponge {
  double width = 1;     ///< above 0, in the mesh's unit of length
  double rate = 0;      ///< damping at the face, per unit of time
  double exponent = 2;  ///< of the depth in the layer, to which the damping is proportional
};

/// The least `reflection` for which `sponge_for` keeps its promise.
inline constexpr double least_reflection = 1e-5;

/// A sponge from which waves of speed `speed` return with at most the fraction `reflection` (from `least_reflection` to
/// 1) of their amplitude, if at least four of their wavelengths along the normal of the face fit into the layer and
/// they meet it at up to 45 degrees from the normal.
///
/// \param width in the mesh's unit of length; `speed` in that unit per unit of time
[[nodiscard]] Sponge sponge_for(double width, double reflection, double speed);

/// The factor 1 / (1 + h s) by which a sponge reduces the change in a step of length h, by cell, as a product of one
/// factor per axis: 1 + h s is the product of 1 + h r (d / w)^p over the axes, with the rate r at the face, the width
/// w, the depth d in the sponge and the exponent p. Where the sponges of two faces overlap, s is slightly more than the
/// sum of both.
template <class Real>
class SpongeFactors {
 public:
  /// After the first call the factors stay in the same memory, whose address recorded steps contain.
  void set(StructuredMesh const& mesh, Sponge const& sponge, double h);
  /// `set` was never called: there is no sponge.
  [[nodiscard]] bool none() const { return factors_.front().data() == nullptr; }
  /// By global index of the cell; in the memory of fields.
  [[nodiscard]] Real const* along(int axis) const { return factors_[static_cast<std::size_t>(axis)].data(); }

 private:
  std::array<Kokkos::View<Real*, Memory>, 3> factors_;
};

extern template class SpongeFactors<float>;
extern template class SpongeFactors<double>;

}  // namespace halocline
