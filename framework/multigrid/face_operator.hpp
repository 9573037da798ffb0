#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/grid/volumes.hpp"
#include "framework/multigrid/agglomeration.hpp"
#include "framework/multigrid/coarse_coefficients.hpp"
#include "framework/multigrid/coarsening_choice.hpp"
#include "framework/multigrid/face_diffusion.hpp"
#include "framework/multigrid/face_level.hpp"
#include "framework/multigrid/structured_coarsening.hpp"
#include "framework/operator/stencil_operator.hpp"

// The operator with a coefficient on each face, whole. Only the .cpp files that instantiate it include this: one a
// number of dimensions, since each takes the compiler long.

namespace halocline {

template <class Real>
FaceCoefficients<Real> agglomerated(Agglomeration<Real> const& agglomeration, FaceCoefficients<Real> const& from) {
  FaceCoefficients<Real> whole(agglomeration.whole());
  agglomeration.gather(*from.shift, *whole.shift);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (from.faces[axis] == nullptr) continue;
    Extents closing_face{0, 0, 0};
    closing_face[axis] = 1;
    agglomeration.gather(*from.faces[axis], *whole.faces[axis], closing_face);
  }
  sum_diagonal(agglomeration.whole(), whole);
  return whole;
}

template <class Real, int Dimensions>
std::unique_ptr<Coarsening> coarsen_faces(ControlVolumeGrid const& grid,
                                          std::shared_ptr<FaceCoefficients<Real> const> const& all,
                                          Operator const& fine) {
  if (grid.size() == 1) return nullptr;
  Couplings const couplings = mean_couplings(grid, *all);
  if (worth_agglomerating(grid, couplings)) {
    Agglomeration<Real> agglomeration(grid);
    auto coarse = make_face_operator<Real, Dimensions>(agglomeration.whole(), agglomerated(agglomeration, *all));
    return std::make_unique<AgglomeratedCoarsening<Real>>(std::move(agglomeration), fine, std::move(coarse));
  }
  auto const factor = coarsening_factor(grid, couplings);
  auto const coarse_grid = coarsened(grid, factor);
  if (!coarse_grid || coarse_grid->size() == grid.size()) return nullptr;
  using Stencil = FaceStencil<Real, Dimensions>;
  std::vector<Stencil> stencils;
  for (Block const& block : grid.mesh->blocks()) stencils.push_back(all->template stencil<Dimensions>(block));
  auto coarse =
      make_face_operator<Real, Dimensions>(*coarse_grid, coarse_coefficients(grid, stencils, *coarse_grid, factor));
  return std::make_unique<StructuredCoarsening<Stencil>>(grid, std::move(stencils), all, factor, *coarse_grid,
                                                         std::move(coarse));
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_face_operator(ControlVolumeGrid grid, FaceCoefficients<Real> coefficients,
                                             Regularity regularity) {
  using Functor = FaceDiffusion<Real, Dimensions>;
  using StencilOperatorType = StencilOperator<Real, Functor, Dimensions + 1>;
  auto const shared = std::make_shared<FaceCoefficients<Real> const>(std::move(coefficients));
  typename StencilOperatorType::Description description{
      .mesh = grid.mesh, .centring = grid.centring, .functor = {}, .unknowns = grid.unknowns()};
  description.coefficients[0] = shared->diagonal;
  for (std::size_t axis = 0; axis < Dimensions; ++axis) description.coefficients[axis + 1] = shared->faces[axis];
  if constexpr (std::is_same_v<Real, double>) {
    description.single_precision = [grid, shared] {
      return make_face_operator<float, Dimensions>(grid, in_single_precision(grid, *shared));
    };
  }
  if (regularity == Regularity::singular) {
    description.null_space_measure = [grid](Vector& volumes) {
      fill_volumes(grid, as_field_vector<Real>(volumes).field());
    };
  }
  description.coarsening = [grid = std::move(grid), shared](StencilOperatorType const& fine) {
    return coarsen_faces<Real, Dimensions>(grid, shared, fine);
  };
  return std::make_unique<StencilOperatorType>(std::move(description));
}

}  // namespace halocline
