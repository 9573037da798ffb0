#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/grid/volumes.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/agglomeration.hpp"
#include "framework/multigrid/coarsening_choice.hpp"
#include "framework/multigrid/face_level.hpp"
#include "framework/multigrid/structured_coarsening.hpp"
#include "framework/operator/stencil_core.hpp"

namespace halocline {

/// Sums the couplings of unknowns with the next ones along an axis.
template <class Stencil, int Axis>
struct SumCouplings {
  Stencil stencil;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k, double& sum) const {
    sum += static_cast<double>(stencil.template coupling<Axis>(i, j, k));
  }
};

/// Mean coupling along each axis over all faces between unknowns; 0 without faces. Collective.
/// \param stencils by Block::local
template <class Stencil>
[[nodiscard]] Couplings mean_couplings(ControlVolumeGrid const& grid, std::vector<Stencil> const& stencils) {
  Couplings sums{};
  for (Block const& block : grid.mesh->blocks()) {
    auto const add = [&]<int Axis>(std::integral_constant<int, Axis>) {
      if constexpr (Axis < Stencil::dimensions) {
        IndexRange inner = grid.unknowns(block);
        bool const ends = grid.first_unknown(block)[Axis] + inner.extent(Axis) == grid.volumes[Axis].size();
        if (ends && grid.volumes[Axis].periodic_gap <= 0) --inner.end[Axis];
        sums[Axis] += sum_over_box(execution(block), inner, SumCouplings<Stencil, Axis>{stencils[block.local]});
      }
    };
    add(std::integral_constant<int, 0>());
    add(std::integral_constant<int, 1>());
    add(std::integral_constant<int, 2>());
  }
  return mean_over_faces(grid, sums);
}

/// The coarsening of an operator on `grid`: by agglomeration, to larger control volumes, or null at the coarsest level.
/// Collective.
/// \param stencils by Block::local; `owner` keeps their memory alive
/// \param on_fewer_ranks makes the same operator: Agglomeration<Real> const& -> std::unique_ptr<Operator>
/// \param on_larger_volumes makes the coarser operator, from its grid and the coarsening factor of each axis
template <class Stencil, class OnFewerRanks, class OnLargerVolumes>
[[nodiscard]] std::unique_ptr<Coarsening> next_level(ControlVolumeGrid const& grid, Couplings const& couplings,
                                                     Operator const& fine, std::vector<Stencil> stencils,
                                                     std::shared_ptr<void const> owner,
                                                     OnFewerRanks const& on_fewer_ranks,
                                                     OnLargerVolumes const& on_larger_volumes) {
  using Real = typename Stencil::Real;
  if (grid.size() == 1) return nullptr;
  if (worth_agglomerating(grid, couplings)) {
    Agglomeration<Real> agglomeration(grid);
    auto coarse = on_fewer_ranks(std::as_const(agglomeration));
    return std::make_unique<AgglomeratedCoarsening<Real>>(std::move(agglomeration), fine, std::move(coarse));
  }
  auto const factor = coarsening_factor(grid, couplings);
  auto const coarse_grid = coarsened(grid, factor);
  if (!coarse_grid || coarse_grid->size() == grid.size()) return nullptr;
  return std::make_unique<StructuredCoarsening<Stencil>>(grid, std::move(stencils), std::move(owner), factor,
                                                         *coarse_grid, on_larger_volumes(*coarse_grid, factor));
}

/// Description of a StencilOperator on control volumes, without coefficients and coarser levels.
template <class Real, class Functor, std::size_t CoefficientCount>
[[nodiscard]] StencilDescription<Real, Functor, CoefficientCount> description_on(ControlVolumeGrid const& grid,
                                                                                 Regularity regularity,
                                                                                 Functor functor) {
  StencilDescription<Real, Functor, CoefficientCount> description{
      .mesh = grid.mesh, .centring = grid.centring, .functor = std::move(functor), .unknowns = grid.unknowns()};
  if (regularity == Regularity::singular) {
    description.null_space_measure = [grid](Vector& volumes) {
      fill_volumes(grid, as_field_vector<Real>(volumes).field());
    };
  }
  return description;
}

}  // namespace halocline
