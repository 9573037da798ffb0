#pragma once

#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/operator/operator.hpp"
#include "physics/advection/discretisation.hpp"

namespace halocline::advection {

/// A discretised operator on the cells of its mesh.
template <class Real>
struct Rows {
  std::vector<std::shared_ptr<Field<Real>>> weights;  ///< as Row has them, up to the dimensions
  std::shared_ptr<Field<Real>> wall_source;           ///< to be added to right-hand sides
  double peclet = 0;                                  ///< largest of all cells
};

/// All rows; errors as of Discretisation::row. Collective.
template <class Real>
[[nodiscard]] Rows<Real> assemble(Discretisation const& discretisation);

/// The operator of these rows. It coarsens: coarser meshes are discretised anew, by `upwind` where cells are too wide
/// for `central`, which smoothers would not survive there. Collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_operator(Discretisation const& discretisation, Rows<Real> const& rows);

/// For one number of dimensions; each in a .cpp of its own, since they take the compiler long.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_operator_of(Discretisation const& discretisation, Rows<Real> const& rows);

}  // namespace halocline::advection
