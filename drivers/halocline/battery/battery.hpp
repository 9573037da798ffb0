#pragma once

#include <span>

#include "drivers/halocline/battery/check.hpp"

namespace halocline::battery {

/// All checks, in the order of the table.
[[nodiscard]] std::span<Check const> checks();

/// The decks that a physics is tested with if none is given: its own, or generated ones: for each number of axes that
/// it supports, a periodic box with smooth initial values, and sources of a stationary physics. Each is a YAML text.
[[nodiscard]] std::vector<std::string> decks_for(PhysicsEntry const& entry,
                                                 std::shared_ptr<deck::ResolvedSection const> const& declaration);

}  // namespace halocline::battery
