#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/multigrid/coarse_coefficients.hpp"
#include "framework/multigrid/functor_rows.hpp"
#include "framework/multigrid/next_level.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "physics/equations/cell_level.hpp"

// The full definition of the operator with one coefficient per cell. Only the .cpp files that instantiate it include
// this, one per number of dimensions to shorten compile times.

namespace halocline {

/// The rows of CellDiffusion, with the parts of the diagonal: the couplings across faces and walls, and the remainder.
template <class Real, int Dimensions>
struct CellRows : FunctorRows<Real, CellDiffusion<Real, Dimensions>, 1> {
  /// The coupling across the face (or wall) between an unknown and the one before it along an axis.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    auto const& r = kernel::input_at<0>(this->inputs);
    return this->functor.face(axis, r(i - (axis == 0), j - (axis == 1), k - (axis == 2)), r(i, j, k));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index, Index, Index) const { return this->functor.shift; }
};

/// The same operator with stored faces: relaxations read every face at several points, products only at two.
template <class Real, int Dimensions>
[[nodiscard]] std::shared_ptr<FaceCoefficients<Real> const> stored_faces(ControlVolumeGrid const& grid,
                                                                         CellDiffusion<Real, Dimensions> const& functor,
                                                                         Field<Real> const& coefficient) {
  std::vector<CellRows<Real, Dimensions>> rows;
  for (Block const& block : grid.mesh->blocks()) {
    Extents const first = grid.first_entry(block);
    rows.push_back({{functor,
                     {.first = {first[0], first[1], first[2]}},
                     kernel::as_inputs(BlockView<Real const>(coefficient.view(block)))}});
  }
  return std::make_shared<FaceCoefficients<Real>>(coarse_coefficients(grid, rows, grid, {1, 1, 1}));
}

/// The functor and its coefficient in single precision.
template <int Dimensions>
std::unique_ptr<Operator> make_rounded_operator(ControlVolumeGrid const& grid,
                                                CellDiffusion<double, Dimensions> const& functor,
                                                Field<double> const& coefficient) {
  CellDiffusion<float, Dimensions> rounded{.shift = static_cast<float>(functor.shift), .in_series = functor.in_series};
  std::transform(functor.coupling, functor.coupling + 3, rounded.coupling,
                 [](double value) { return static_cast<float>(value); });
  auto const values =
      std::make_shared<Field<float>>(grid.mesh, FieldDescription{.name = coefficient.name(), .ghosts = 1});
  for (Block const& block : grid.mesh->blocks()) {
    for_box(execution(block), coefficient.with_ghosts(block),
            CopyPoint<float, double>{coefficient.view(block), values->view(block)});
    execution(block).fence();
  }
  values->mark_ghosts_valid(1);
  return make_cell_operator<float, Dimensions>(grid, rounded, values);
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_cell_operator(ControlVolumeGrid grid, CellDiffusion<Real, Dimensions> const& functor,
                                             std::shared_ptr<Field<Real> const> coefficient, Regularity regularity) {
  using Functor = CellDiffusion<Real, Dimensions>;
  auto description = description_on<Real, Functor, 1>(grid, regularity, functor);
  description.coefficients[0] = coefficient;
  if constexpr (std::is_same_v<Real, double>) {
    description.single_precision = [grid, functor, coefficient] {
      return make_rounded_operator(grid, functor, *coefficient);
    };
  }
  description.coarsening = [grid = std::move(grid), functor,
                            coefficient = std::move(coefficient)](Operator const& fine) {
    return coarsen_faces<Real, Dimensions>(grid, stored_faces(grid, functor, *coefficient), fine);
  };
  return std::make_unique<StencilOperator<Real, Functor, 1>>(std::move(description));
}

}  // namespace halocline
