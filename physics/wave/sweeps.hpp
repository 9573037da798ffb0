#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <memory>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/backend.hpp"
#include "physics/wave/star.hpp"

namespace halocline::wave {

/// Ghost layers that the sweeps read.
inline constexpr int ghosts = radius;

/// Weights of the centre and of the points at distance 1 to 4 along an axis.
using Weights = std::array<double, 5>;

/// The eighth-order second derivative on points at distance one (Fornberg, 1988, Mathematics of Computation 51, table
/// 1).
inline constexpr Weights second_derivative{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

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

/// The medium of the waves.
template <class Real>
struct Medium {
  double speed = 1;                            ///< used if `speed_squared` is null
  Field<Real> const* speed_squared = nullptr;  ///< by cell
  SpongeFactors<Real> sponge{};                ///< for the step's length, if `speed_squared` is given
};

/// The sweeps over the cells of a mesh with equal spacing along each axis, and four ghost layers around its fields.
/// Boxes are local ranges of a block.
template <class Real>
class Sweeps {
 public:
  virtual ~Sweeps() = default;
  Sweeps(Sweeps const&) = delete;
  Sweeps& operator=(Sweeps const&) = delete;

  /// One step of leapfrog: `before` becomes u at time `h` after u. With variable speed or a sponge s it discretises
  /// d2u/dt2 + 2 s du/dt = c^2 div grad u, both time derivatives central.
  virtual void step(Block const& block, IndexRange const& box, Medium<Real> const& medium, double h,
                    Field<Real> const& u, Field<Real>& before) const = 0;
  /// out = factor * div grad u
  virtual void laplacian(Block const& block, IndexRange const& box, double factor, Field<Real> const& u,
                         Field<Real>& out) const = 0;
  /// out = the sum over all points of u's star, each times the weight of its distance; the centre counts once.
  virtual void weighted_sum(Block const& block, IndexRange const& box, Weights const& weights, Field<Real> const& u,
                            Field<Real>& out) const = 0;

 protected:
  Sweeps() = default;
};

template <class Real>
[[nodiscard]] std::unique_ptr<Sweeps<Real>> make_sweeps(std::shared_ptr<StructuredMesh const> mesh);

/// For a mesh of `Axes` axes.
template <class Real, int Axes>
[[nodiscard]] std::unique_ptr<Sweeps<Real>> make_sweeps_of(std::shared_ptr<StructuredMesh const> mesh);

}  // namespace halocline::wave
