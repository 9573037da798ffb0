#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/halocline/memory_need.hpp"
#include "framework/deck/deck_format.hpp"
#include "framework/deck/registry.hpp"
#include "framework/deck/section.hpp"
#include "framework/io/field_file.hpp"
#include "framework/plugin/physics.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// The physics available to decks: the built-in ones, and those of the shared objects `plugins`. Throws InputError for
/// a plugin that cannot be loaded or is incompatible.
[[nodiscard]] Registry<PhysicsEntry> load_physics(std::vector<std::string> const& plugins);

/// The deck formats in addition to YAML, in the order in which their physics were registered.
[[nodiscard]] std::vector<DeckFormat> deck_formats(Registry<PhysicsEntry> const& physics);

/// The declaration of a whole deck: physics, precision, mesh, time, solver, output and a section for each physics. With
/// a budget, a deck of points that needs more memory is rejected; for a mesh `validate_memory` does that. `physics`
/// must outlive the result.
[[nodiscard]] Section declare_deck(Registry<PhysicsEntry> const& physics,
                                   std::optional<MemoryBudget> const& budget = std::nullopt);

/// The shape of the array for a field in a validated deck of a physics on a mesh.
[[nodiscard]] FieldShape field_shape(PhysicsEntry const& entry, Options const& deck);

/// The registered integrator that steps a physics with this deck; null if there is none: the physics is stationary or
/// steps by itself, or the name is not registered.
[[nodiscard]] IntegratorEntry const* integrator_of(PhysicsEntry const& entry, Options const& deck);

/// Creates the physics of a validated deck. Throws InputError if the deck chooses a time integrator and the physics has
/// made none: it steps by itself, although its entry does not say so.
[[nodiscard]] std::unique_ptr<Physics> make_physics(PhysicsEntry const& entry, PhysicsContext const& context);

/// The precision that a validated deck chooses.
[[nodiscard]] Precision precision_of(Options const& deck);

}  // namespace halocline
