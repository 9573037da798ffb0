#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "framework/operator/cell_coarsening.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "physics/advection/advection_operator.hpp"
#include "physics/advection/weighted_neighbours.hpp"

// The operator, whole. Only the .cpp files that instantiate it include this.

namespace halocline::advection {

/// Cells wider than this, in Péclet numbers, make central rows that are not diagonally dominant.
inline constexpr double most_central_peclet = 2;

template <class Real>
std::unique_ptr<Coarsening> coarsen(Discretisation const& discretisation, Operator const& fine) {
  Description description = discretisation.description();
  std::shared_ptr<StructuredMesh const> const fine_mesh = description.mesh;
  description.mesh = fine_mesh->coarsened();
  if (description.mesh->extents(Centring::cell) == fine_mesh->extents(Centring::cell)) return nullptr;
  Discretisation coarse(description);
  Rows<Real> rows = assemble<Real>(coarse);
  if (description.scheme == Scheme::central && rows.peclet > most_central_peclet) {
    description.scheme = Scheme::upwind;
    coarse = Discretisation(std::move(description));
    rows = assemble<Real>(coarse);
  }
  return std::make_unique<CellCoarsening<Real>>(fine_mesh, fine, make_operator<Real>(coarse, std::move(rows)));
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_operator_of(Discretisation const& discretisation, Rows<Real> rows) {
  using Functor = WeightedNeighbours<Real, Dimensions>;
  using OperatorType = StencilOperator<Real, Functor, 2 * Dimensions + 1>;
  typename OperatorType::Description description{.mesh = discretisation.description().mesh, .functor = {}};
  description.coefficients[0] = std::move(rows.diagonal);
  for (std::size_t n = 0; n < 2 * Dimensions; ++n) description.coefficients[n + 1] = std::move(rows.neighbours[n]);
  if constexpr (std::is_same_v<Real, double>) {
    description.single_precision = [discretisation] {
      return make_operator<float>(discretisation, assemble<float>(discretisation));
    };
  }
  description.coarsening = [discretisation](OperatorType const& fine) { return coarsen<Real>(discretisation, fine); };
  return std::make_unique<OperatorType>(std::move(description));
}

}  // namespace halocline::advection
