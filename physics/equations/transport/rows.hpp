#pragma once

#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/operator/operator.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/transport/discretisation.hpp"

namespace halocline::transport {

/// A discretised operator on the cells of its mesh.
template <class Real>
struct Rows {
  std::vector<std::shared_ptr<Field<Real>>> weights;  ///< in the order of Row, as many as the dimensions need
  double peclet = 0;                                  ///< maximum over all cells, as is the next
  double rate = 0;
  bool is_solenoidal = true;  ///< in every cell the flow to other cells equals the flow from them, up to rounding
};

/// Assembles all rows. Throws as Discretisation::row does. Collective.
template <class Real>
[[nodiscard]] Rows<Real> assemble(Discretisation const& discretisation);

/// What the walls' values add to right-hand sides. Throws as BoundarySource does.
template <class Real>
[[nodiscard]] BoundarySource<Real> wall_source(Discretisation const& discretisation);

/// The operator of these rows. It coarsens by discretising coarser meshes anew, with `upwind` where cells are too wide
/// for `central`: smoothers would diverge there. Collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_operator(Discretisation const& discretisation, Rows<Real> const& rows);

/// For one number of dimensions; each is instantiated in a .cpp of its own to shorten compile times.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_operator_of(Discretisation const& discretisation, Rows<Real> const& rows);

}  // namespace halocline::transport
