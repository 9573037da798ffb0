#pragma once

#include <array>
#include <memory>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/agglomeration.hpp"
#include "framework/multigrid/face_diffusion.hpp"
#include "framework/multigrid/functor_rows.hpp"

namespace halocline {

/// The rows of FaceDiffusion, with the parts of the diagonal: the couplings across faces and walls, and the remainder.
template <class Real, int Dimensions>
struct FaceRows : FunctorRows<Real, FaceDiffusion<Real, Dimensions>, Dimensions + 1> {
  BlockView<Real const> remainder;

  /// The coupling across the face (or wall) between an unknown and the one before it along an axis.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    if constexpr (Dimensions > 2) {
      if (axis == 2) return kernel::input_at<3>(this->inputs)(i, j, k);
    }
    if constexpr (Dimensions > 1) {
      if (axis == 1) return kernel::input_at<2>(this->inputs)(i, j, k);
    }
    return kernel::input_at<1>(this->inputs)(i, j, k);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index i, Index j, Index k) const { return remainder(i, j, k); }
};

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
  [[nodiscard]] FaceRows<Real, Dimensions> rows(Block const& block) const;
};

template <class Real>
template <int Dimensions>
FaceRows<Real, Dimensions> FaceCoefficients<Real>::rows(Block const& block) const {
  auto const inputs = [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
    return kernel::as_inputs(BlockView<Real const>(std::as_const(*diagonal).view(block)),
                             BlockView<Real const>(std::as_const(*faces[Axis]).view(block))...);
  };
  Extents const first = diagonal->mesh().global_owned(block.id, diagonal->centring()).begin;
  return {{{}, {.first = {first[0], first[1], first[2]}}, inputs(std::make_index_sequence<Dimensions>())},
          std::as_const(*shift).view(block)};
}

/// Sets `diagonal` from the other fields.
template <class Real>
void sum_diagonal(ControlVolumeGrid const& grid, FaceCoefficients<Real>& coefficients);

/// The same in single precision; the diagonal is the sum of the rounded coefficients.
[[nodiscard]] FaceCoefficients<float> in_single_precision(ControlVolumeGrid const& grid,
                                                          FaceCoefficients<double> const& coefficients);

/// The coefficients of the whole grid on every rank. Collective.
template <class Real>
[[nodiscard]] FaceCoefficients<Real> agglomerated(Agglomeration<Real> const& agglomeration,
                                                  FaceCoefficients<Real> const& from);

extern template struct FaceCoefficients<float>;
extern template struct FaceCoefficients<double>;

}  // namespace halocline
