#pragma once

#include <string>

#include "framework/plugin/physics.hpp"

namespace halocline {

/// What is wrong with the declaration of a physics, beginning with "its physics"; empty if nothing is: a name that a
/// deck cannot write, options under another name, no function to make it, no precision, no dimension or kind of mesh, a
/// deck format that lacks a name or a function, a default that its option refuses.
[[nodiscard]] std::string entry_obstacle(PhysicsEntry const& entry);

}  // namespace halocline
