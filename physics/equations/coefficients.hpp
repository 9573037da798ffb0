#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"

// Coefficients of a declared physics: fields that its functor reads and no integrator changes.

namespace halocline {

/// How a field diffuses.
template <class Real>
struct Diffusivity {
  double largest = 0;                             ///< in length^2 / time
  std::shared_ptr<Field<Real> const> of_cells{};  ///< valid in the ghosts; null: the same everywhere
};

/// New fields of a mesh with these names.
template <class Real>
[[nodiscard]] Fields<Real> make_fields(std::shared_ptr<Mesh const> const& mesh, std::vector<std::string> const& names,
                                       int ghosts);

/// Fills the ghosts of coefficients: beyond walls with the mirror image, so that on a wall the coefficient is that of
/// the cell beside it. Collective.
///
/// \param corners also those that only box stencils read
template <class Real>
void fill_ghosts_of_coefficients(StructuredMesh const& mesh, Fields<Real> const& coefficients, bool corners);

/// What sweeps and solvers need of a diffusivity that varies.
template <class Real>
struct VaryingDiffusivity {
  std::vector<Diffusivity<Real>> of_fields;
  /// largest / (2 diffusivity) of each field, valid in the ghosts; empty if every field diffuses evenly
  Fields<Real> resistances;
};

/// Collective. Throws InputError, naming the field and the position, where a diffusivity is below 0 or not finite.
///
/// \param of_cells      the diffusivity of each field, on owned cells; their names are those in messages
/// \param is_solved_for whether solvers need it, in addition to its resistances
template <class Real>
[[nodiscard]] VaryingDiffusivity<Real> varying_diffusivity(StructuredMesh const& mesh, Fields<Real> const& of_cells,
                                                           bool is_solved_for);

}  // namespace halocline
