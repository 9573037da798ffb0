#pragma once

#include <string>

#include "framework/plugin/physics.hpp"

namespace halocline {

/// Wraps `entry` of a user's plugin: failures in its code name the plugin (call_plugin), and its promises are checked.
/// The physics that `create` returns is a GuardedPhysics.
///
/// \param file the plugin's name in messages
[[nodiscard]] PhysicsEntry guarded(PhysicsEntry entry, std::string const& file);

}  // namespace halocline
