#pragma once

#include <array>
#include <memory>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/face_rows.hpp"

namespace halocline {

/// The coefficients of FaceDiffusion on the unknowns of a grid. Behind the last unknown of a block along an axis, the
/// face is stored in the upper ghost: valid beside walls and beside other blocks.
template <class Real>
struct FaceCoefficients {
  std::shared_ptr<Field<Real>> diagonal;
  std::shared_ptr<Field<Real>> shift;                 ///< the diagonal minus the sum of the faces
  std::array<std::shared_ptr<Field<Real>>, 3> faces;  ///< transmissibilities; null beyond the dimensions

  /// All coefficients are zero.
  explicit FaceCoefficients(ControlVolumeGrid const& grid);
  template <int Dimensions>
  [[nodiscard]] FaceStencil<Real, Dimensions> stencil(Block const& block) const;
};

template <class Real>
template <int Dimensions>
FaceStencil<Real, Dimensions> FaceCoefficients<Real>::stencil(Block const& block) const {
  auto const view = [&](Field<Real> const& field) { return field.view(block); };
  FaceStencil<Real, Dimensions> all{view(*diagonal), {}, view(*shift)};
  for (std::size_t axis = 0; axis < Dimensions; ++axis) all.t[axis] = view(*faces[axis]);
  return all;
}

/// Sets `diagonal` from the other fields.
template <class Real>
void sum_diagonal(ControlVolumeGrid const& grid, FaceCoefficients<Real>& coefficients);

/// The same in single precision; the diagonal is the sum of the rounded coefficients.
[[nodiscard]] FaceCoefficients<float> in_single_precision(ControlVolumeGrid const& grid,
                                                          FaceCoefficients<double> const& coefficients);

extern template struct FaceCoefficients<float>;
extern template struct FaceCoefficients<double>;

}  // namespace halocline
