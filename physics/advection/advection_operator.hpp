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
  double peclet = 0;                                  ///< largest of all cells, as the next one
  double rate = 0;
  bool is_solenoidal = true;  ///< what flows into any cell from others flows out to others, but for rounding
};

/// All rows; errors as of Discretisation::row. Collective.
template <class Real>
[[nodiscard]] Rows<Real> assemble(Discretisation const& discretisation);

/// What the values of the walls add to right-hand sides of the operator, if they do not change with time; errors as of
/// Discretisation::wall_source. Collective.
template <class Real>
[[nodiscard]] std::shared_ptr<Field<Real>> wall_source(Discretisation const& discretisation);

/// The operator of these rows. It coarsens: coarser meshes are discretised anew, by `upwind` where cells are too wide
/// for `central`, which smoothers would not survive there. Collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_operator(Discretisation const& discretisation, Rows<Real> const& rows);

/// For one number of dimensions; each in a .cpp of its own, since they take the compiler long.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_operator_of(Discretisation const& discretisation, Rows<Real> const& rows);

}  // namespace halocline::advection
