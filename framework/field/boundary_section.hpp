#pragma once

#include <functional>
#include <string>

#include "framework/deck/options.hpp"
#include "framework/deck/registry.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// A law of a wall that decks choose by name: a kind of BoundaryKind, or what comes down to one.
struct WallLaw {
  std::string name;
  /// Makes its section, of the same name, inside that of a face. Empty: there is none.
  std::function<Section()> declare = {};
  /// The condition of a judged face: mostly a robin one, a u + b du/dn = value; not periodic.
  std::function<BoundaryCondition(Options const& face)> condition;
};

/// All that are registered, the kinds among them. To add one from a file of its own:
///
///     bool const registered = (wall_laws().add({.name = "layer", …}), true);
[[nodiscard]] Registry<WallLaw>& wall_laws();

/// What `kind` and the options beside it say in the section of a face.
[[nodiscard]] BoundaryCondition boundary_condition(Options const& face);

/// Declares the section `boundary` of a deck: one section for each face (west, east, south, north, bottom, top) with
/// `kind` (default: `kind`), `value`, `a`, `b` and the sections of wall laws.
[[nodiscard]] Section declare_boundary_section(BoundaryKind kind = BoundaryKind::neumann);

/// Adds a mistake for each given face that the mesh does not have, or that is periodic where the mesh is not, or the
/// other way round. For the judge of a physics.
///
/// \param mesh the section `mesh` of the same deck
void judge_boundary(Options const& section, Options const& mesh, Mistakes& mistakes);

/// The conditions of a judged section. A face the deck does not name on a periodic axis is periodic. Throws InputError,
/// naming the place in the deck, where a face is periodic and its axis is not, or the other way round, and where a face
/// is given that the mesh does not have.
[[nodiscard]] BoundaryConditions make_boundary_conditions(Options const& section, StructuredMesh const& mesh);

}  // namespace halocline
