#pragma once

#include <span>

#include "drivers/halocline/battery/check.hpp"

namespace halocline::battery {

/// All checks, in the order of the table.
[[nodiscard]] std::span<Check const> checks();

/// The decks that a physics is tested with where none is given: those that it brings, or ones made of its declaration:
/// for each number of axes that it is written for, a periodic box and smooth values. Each is a text of YAML.
[[nodiscard]] std::vector<std::string> decks_for(PhysicsEntry const& entry);

}  // namespace halocline::battery
