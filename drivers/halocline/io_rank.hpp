#pragma once

#include <filesystem>

#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// The run of an I/O rank: evaluates the expressions of the compute ranks' set-up and reads its files, then writes what
/// these hand over until they have ended. \param deck judged
[[nodiscard]] ExitCode serve(Options const& deck, PhysicsEntry const& entry, RankRoles const& roles,
                             std::filesystem::path const& folder);

}  // namespace halocline
