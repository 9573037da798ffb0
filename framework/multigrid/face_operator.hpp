#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/multigrid/coarse_coefficients.hpp"
#include "framework/multigrid/face_diffusion.hpp"
#include "framework/multigrid/next_level.hpp"
#include "framework/operator/stencil_operator.hpp"

// The complete operator with a coefficient on each face. Only the .cpp files that instantiate it include this: one for
// each number of dimensions, since each takes long to compile.

namespace halocline {

template <class Real, int Dimensions>
std::unique_ptr<Coarsening> coarsen_faces(ControlVolumeGrid const& grid,
                                          std::shared_ptr<FaceCoefficients<Real> const> const& all,
                                          Operator const& fine) {
  std::vector<FaceRows<Real, Dimensions>> rows;
  for (Block const& block : grid.mesh->blocks()) rows.push_back(all->template rows<Dimensions>(block));
  return next_level(
      grid, mean_couplings(grid, rows), fine, rows, all,
      [&](Agglomeration<Real> const& agglomeration) {
        return make_face_operator<Real, Dimensions>(agglomeration.whole(), agglomerated(agglomeration, *all));
      },
      [&](ControlVolumeGrid const& coarse, std::array<Index, 3> const& factor) {
        return make_face_operator<Real, Dimensions>(coarse, coarse_coefficients(grid, rows, coarse, factor));
      });
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_face_operator(ControlVolumeGrid grid, FaceCoefficients<Real> coefficients,
                                             Regularity regularity) {
  using Functor = FaceDiffusion<Real, Dimensions>;
  auto const shared = std::make_shared<FaceCoefficients<Real> const>(std::move(coefficients));
  auto description = description_on<Real, Functor, Dimensions + 1>(grid, regularity, {});
  description.coefficients[0] = shared->diagonal;
  for (std::size_t axis = 0; axis < Dimensions; ++axis) description.coefficients[axis + 1] = shared->faces[axis];
  if constexpr (std::is_same_v<Real, double>) {
    description.single_precision = [grid, shared] {
      return make_face_operator<float, Dimensions>(grid, in_single_precision(grid, *shared));
    };
  }
  description.coarsening = [grid = std::move(grid), shared](Operator const& fine) {
    return coarsen_faces<Real, Dimensions>(grid, shared, fine);
  };
  return std::make_unique<StencilOperator<Real, Functor, Dimensions + 1>>(std::move(description));
}

}  // namespace halocline
