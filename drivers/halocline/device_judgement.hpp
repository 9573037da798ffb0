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

/// What the command line changes in a deck: by each `--set`, and last by `--devices`, if that is not empty.
[[nodiscard]] std::vector<Override> overrides_of(std::vector<std::string> const& set, std::string const& devices);

/// The devices that a deck asks for, which Kokkos has to know before the deck is judged; nothing where it does not say,
/// or says it wrongly.
[[nodiscard]] std::optional<DeviceChoice> device_choice(Deck const& deck);

/// Adds a mistake if `devices` cannot be read, if the build has no devices, or if a rank would have several of them for
/// a physics on a mesh, of which each rank has one block.
void judge_devices(PhysicsEntry const& entry, Options const& deck, MemoryBudget const& budget, Mistakes& mistakes);

}  // namespace halocline
