#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "framework/multigrid/elliptic_operator.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "physics/equations/transport/rows.hpp"
#include "physics/equations/transport/weighted_neighbours.hpp"

// The full definition of the operator. Only the .cpp files that instantiate it include this.

namespace halocline::transport {

/// Cells with a larger Péclet number make central rows that are not diagonally dominant.
inline constexpr double most_central_peclet = 2;

template <class Real, int Dimensions>
using Equation = EllipticEquation<Real, WeightedNeighbours<Real, Dimensions>, 2 * Dimensions + 1>;

template <class Real, int Dimensions>
std::unique_ptr<Coarsening> coarsen(Discretisation const& discretisation, Equation<Real, Dimensions> const& equation) {
  Description description = discretisation.description();
  description.mesh = equation.grid.mesh->coarsened();
  if (description.mesh->extents(Centring::cell) == equation.grid.mesh->extents(Centring::cell)) return nullptr;
  Discretisation coarse(description);
  Rows<Real> rows = assemble<Real>(coarse);
  if (description.scheme == Scheme::central && rows.peclet > most_central_peclet) {
    description.scheme = Scheme::upwind;
    coarse = Discretisation(std::move(description));
    rows = assemble<Real>(coarse);
  }
  using BlockRows = elliptic::BlockRows<Real, WeightedNeighbours<Real, Dimensions>, 2 * Dimensions + 1>;
  auto const block_rows = std::make_shared<BlockRows const>(equation);
  return std::make_unique<StructuredCoarsening<typename BlockRows::Rows>>(equation.grid, block_rows->rows, block_rows,
                                                                          std::array<Index, 3>{2, 2, 2}, coarse.grid(),
                                                                          make_operator<Real>(coarse, rows));
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_operator_of(Discretisation const& discretisation, Rows<Real> const& rows) {
  using Functor = WeightedNeighbours<Real, Dimensions>;
  Equation<Real, Dimensions> equation{.grid = discretisation.grid(),
                                      .functor_on = [](ControlVolumeGrid const&) { return Functor{}; }};
  std::copy(rows.weights.begin(), rows.weights.end(), equation.coefficients.begin());
  using OperatorType = StencilOperator<Real, Functor, 2 * Dimensions + 1>;
  typename OperatorType::Description description{
      .mesh = equation.grid.mesh, .functor = {}, .coefficients = equation.coefficients};
  if constexpr (std::is_same_v<Real, double>) {
    description.single_precision = [discretisation] {
      return make_operator<float>(discretisation, assemble<float>(discretisation));
    };
  }
  description.coarsening = [discretisation, equation](OperatorType const&) {
    return coarsen<Real, Dimensions>(discretisation, equation);
  };
  return std::make_unique<OperatorType>(std::move(description));
}

}  // namespace halocline::transport
