#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "framework/multigrid/coefficients.hpp"
#include "framework/multigrid/field_coarsening.hpp"
#include "framework/operator/stencil_operator.hpp"

namespace halocline {

/// A linear equation for one or more unknowns at each cell or node of a structured mesh that can also be discretised on
/// coarser meshes, with averaged coefficients: everything that multigrid needs.
///
/// The functor reads unknowns within radius 1 and the coefficients of the cells around a node, or of a cell, which are
/// zero beyond walls. Where a wall holds a component, the functor returns what it reads.
///
/// \tparam TransfersType NodalTransfers or CellTransfers, which says where the unknowns are
template <class Real, class Functor, std::size_t CoefficientCount, class TransfersType>
struct RediscretisedEquation {
  using Transfers = TransfersType;
  using Coefficients = std::array<std::shared_ptr<Field<Real> const>, CoefficientCount>;
  std::shared_ptr<StructuredMesh const> mesh;
  Coefficients coefficients{};  ///< on cells, with ghosts as by fill_cell_ghosts
  std::function<Functor(StructuredMesh const&)> functor_on{};
  std::function<ComponentBoxes(StructuredMesh const&)> unknowns_on{};
  /// Makes the same operator in single precision; empty: it has no such form. Collective.
  std::function<std::unique_ptr<Operator>()> single_precision{};
};

/// The operator of an equation, with its own coarsening. Collective.
///
/// A physics calls it in a separate .cpp, because it takes long to compile.
template <class Real, class Functor, std::size_t CoefficientCount, class Transfers>
[[nodiscard]] std::unique_ptr<Operator> make_rediscretised_operator(
    RediscretisedEquation<Real, Functor, CoefficientCount, Transfers> equation) {
  using Equation = RediscretisedEquation<Real, Functor, CoefficientCount, Transfers>;
  using Made = StencilOperator<Real, Functor, CoefficientCount>;
  auto const shared = std::make_shared<Equation const>(std::move(equation));
  StencilDescription<Real, Functor, CoefficientCount> description{.mesh = shared->mesh,
                                                                  .centring = Transfers::centring,
                                                                  .functor = shared->functor_on(*shared->mesh),
                                                                  .coefficients = shared->coefficients};
  description.unknowns_of_components = shared->unknowns_on(*shared->mesh);
  description.single_precision = shared->single_precision;
  description.coarsening = [shared](Made const& fine) -> std::unique_ptr<Coarsening> {
    PairedCells const paired = Transfers::coarsened(*shared->mesh);
    auto const& mesh = paired.mesh;
    if (mesh->extents(Centring::cell) == shared->mesh->extents(Centring::cell)) return nullptr;
    Equation coarse{.mesh = mesh, .functor_on = shared->functor_on, .unknowns_on = shared->unknowns_on};
    std::transform(shared->coefficients.begin(), shared->coefficients.end(), coarse.coefficients.begin(),
                   [&](auto const& k) { return coarse_cell_means(paired, *k); });
    Transfers transfers(shared->mesh, paired, shared->unknowns_on(*shared->mesh), shared->unknowns_on(*mesh));
    return std::make_unique<FieldCoarsening<Transfers>>(std::move(transfers), fine,
                                                        make_rediscretised_operator(std::move(coarse)));
  };
  return std::make_unique<Made>(std::move(description));
}

}  // namespace halocline
