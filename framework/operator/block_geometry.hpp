#pragma once

#include <Kokkos_Core.hpp>
#include <array>

#include "framework/kernel/stencil.hpp"
#include "framework/mesh/mesh.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// Positions of the entries of one centring on one block, for functors that use their Point; owns the coordinates of
/// stretched axes.
template <class Real>
class BlockGeometry {
 public:
  BlockGeometry(Mesh const& mesh, Block const& block, Centring centring);
  [[nodiscard]] Geometry<Real> const& geometry() const { return geometry_; }

 private:
  Geometry<Real> geometry_;
  std::array<Kokkos::View<Real*, Memory>, 3> coordinates_;
};

extern template class BlockGeometry<float>;
extern template class BlockGeometry<double>;

}  // namespace halocline
