#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drivers/halocline/memory_need.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline {

/// Declares `devices` in a deck.
void declare_devices(Section& deck);

/// The changes of a deck on the command line: each `--set`, then `--devices`, if that is not empty.
[[nodiscard]] std::vector<Override> overrides_of(std::vector<std::string> const& set, std::string const& devices);

/// The devices that a deck requests. Kokkos needs them before the deck is validated; empty if the option is missing or
/// invalid.
[[nodiscard]] std::optional<DeviceChoice> device_choice(Deck const& deck);

/// Adds a mistake if `devices` is invalid, if the build has no devices, or if a rank would have several devices for a
/// physics on a mesh, where it has a single block.
void validate_devices(PhysicsEntry const& entry, Options const& deck, MemoryBudget const& budget, Mistakes& mistakes);

}  // namespace halocline
