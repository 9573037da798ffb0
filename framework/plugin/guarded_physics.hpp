#pragma once

#include <string>

#include "framework/plugin/physics.hpp"

namespace halocline {

/// `entry` of a plugin that the user brought, with all of its code called in a way that names the plugin when it fails
/// (call_plugin), and with what it promises held to it: the physics that `create` returns is a GuardedPhysics.
///
/// \param file the plugin, as messages name it
[[nodiscard]] PhysicsEntry guarded(PhysicsEntry entry, std::string const& file);

}  // namespace halocline
