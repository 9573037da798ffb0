#pragma once

#include <functional>
#include <string>

#include "framework/deck/options.hpp"
#include "framework/deck/registry.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// A wall condition that decks choose by name: a BoundaryKind, or a law that reduces to one.
struct WallLaw {
  std::string name;
  /// Creates its section, with the same name, inside the section of a face. Empty: none.
  std::function<Section()> declare = {};
  /// The condition of a validated face, usually robin, a u + b du/dn = value; not periodic.
  std::function<BoundaryCondition(Options const& face)> condition;
};

/// All registered laws, including the kinds. To add one in a separate file:
///
///     bool const registered = (wall_laws().add({.name = "layer", …}), true);
[[nodiscard]] Registry<WallLaw>& wall_laws();

/// The condition that `kind` and the other options in the section of a face describe.
[[nodiscard]] BoundaryCondition boundary_condition(Options const& face);

/// Declares the section `boundary` of a deck: one section for each face (west, east, south, north, bottom, top) with
/// `kind` (default: `kind`), `value`, `a`, `b` and the sections of wall laws.
[[nodiscard]] Section declare_boundary_section(BoundaryKind kind = BoundaryKind::neumann);

/// Adds a mistake for each given face that the mesh does not have, or that is periodic on a non-periodic axis, or the
/// reverse. For the checks of a physics.
///
/// \param mesh the section `mesh` of the same deck
void validate_boundary(Options const& section, Options const& mesh, Mistakes& mistakes);

/// The conditions of a validated section. On a periodic axis a face that the deck does not give is periodic. Throws
/// InputError, with the location in the deck, if a face is periodic and its axis is not, or the reverse, and if the
/// mesh does not have a given face.
[[nodiscard]] BoundaryConditions make_boundary_conditions(Options const& section, StructuredMesh const& mesh);

}  // namespace halocline
