#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "physics/equations/diffusion.hpp"

// Coefficients of a declared physics: fields that its functor reads and no integrator changes.

namespace halocline {

/// How a field diffuses.
template <class Real>
struct Diffusivity {
  double largest = 0;                             ///< in length^2 / time
  std::shared_ptr<Field<Real> const> of_cells{};  ///< valid in the ghosts; null: `largest` everywhere
  double euler_rate = 0;                          ///< inverse of the stable step, where sweeps evaluate it by cells
  FaceMean mean = FaceMean::harmonic;
};

/// The coefficients of a rate in a run.
template <class Real>
struct Coefficients {
  Fields<Real> fields{};                    ///< with valid ghosts; none if they are numbers that the rate takes
  std::vector<double> constants{};          ///< these numbers
  std::string options{};                    ///< that give them, for messages: "`heat.k`, `heat.c`"
  bool vary = false;                        ///< whether a deck gives more than a number for one of them
  std::vector<BoundaryConditions> walls{};  ///< of each field of the state
  bool is_solved_for = false;               ///< whether solvers need the diffusivity that follows
  bool is_swept = true;                     ///< whether sweeps do
  FaceMean mean = FaceMean::harmonic;       ///< of a diffusivity; sweeps take no other
};

/// New fields of a mesh with these names.
template <class Real>
[[nodiscard]] Fields<Real> make_fields(std::shared_ptr<Mesh const> const& mesh, std::vector<std::string> const& names,
                                       int ghosts);

/// Fills the ghosts of coefficients: beyond walls with their mirror image. Collective.
///
/// \param corners also those that only box stencils read
template <class Real>
void fill_ghosts_of_coefficients(StructuredMesh const& mesh, Fields<Real> const& fields, bool corners);

/// What sweeps and solvers need of a diffusivity.
template <class Real>
struct DiffusivityOfCells {
  std::vector<Diffusivity<Real>> of_fields;
  /// largest / (2 diffusivity) of each field, infinite where nothing diffuses; empty if the coefficients do not vary,
  /// or no sweep reads them. Ghosts are such that the sum of both cells at a face gives its diffusivity: the harmonic
  /// mean and, on walls with a derivative, what solvers take there (FaceConductivity::at_wall).
  Fields<Real> resistances;
};

/// Whether the diffusivity varies depends on the coefficients' options alone, so that memory can be foretold.
/// Collective. Throws InputError, naming the options, the field and the position, where it is below 0 or not finite.
///
/// \param of_cells the diffusivity of each field, on owned cells; their names are those in messages
template <class Real>
[[nodiscard]] DiffusivityOfCells<Real> diffusivity_of_cells(StructuredMesh const& mesh, Fields<Real> const& of_cells,
                                                            Coefficients<Real> const& coefficients);

}  // namespace halocline
