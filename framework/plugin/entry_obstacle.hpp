#pragma once

#include <string>

#include "framework/plugin/physics.hpp"

namespace halocline {

/// The error in the declaration of a physics, beginning with "its physics"; empty if there is none. Errors are a name
/// that a deck cannot write, options under another name, no function to create it, no precision, no dimension or kind
/// of mesh, a deck format without a name or a function, and a default that its option refuses.
[[nodiscard]] std::string entry_obstacle(PhysicsEntry const& entry);

}  // namespace halocline
