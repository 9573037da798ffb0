#pragma once

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

/// The physics that decks can choose from: the built-in ones, and those of the shared objects `plugins`. Throws
/// InputError for a plugin that cannot be loaded or does not fit.
[[nodiscard]] Registry<PhysicsEntry> load_physics(std::vector<std::string> const& plugins);

/// The formats that decks may have beside YAML, those of the physics that was registered first before those of others.
[[nodiscard]] std::vector<DeckFormat> deck_formats(Registry<PhysicsEntry> const& physics);

/// The declaration of a whole deck: physics, precision, mesh, time, solver, output and a section for each physics. With
/// a budget, a deck of points that needs more memory is refused; `judge_memory` does that for those on a mesh.
/// `physics` must outlive it.
[[nodiscard]] Section declare_deck(Registry<PhysicsEntry> const& physics,
                                   std::optional<MemoryBudget> const& budget = std::nullopt);

/// The array that a judged deck of a physics on a mesh needs for a field.
[[nodiscard]] FieldShape field_shape(PhysicsEntry const& entry, Options const& deck);

/// What is registered of the integrator that steps a physics with this deck; null where none does: the physics is
/// stationary or steps by itself, or nothing of the name is registered.
[[nodiscard]] IntegratorEntry const* integrator_of(PhysicsEntry const& entry, Options const& deck);

/// The precision that a judged deck chooses.
[[nodiscard]] Precision precision_of(Options const& deck);

}  // namespace halocline
