#pragma once

#include <filesystem>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/plugin/physics.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// The run of an I/O rank: evaluates the expressions and reads the files for the compute ranks' set-up, then writes
/// what they send until they have ended. \param deck validated \param earlier snapshots of the part of the run from
/// which this one continues
[[nodiscard]] ExitCode serve(Options const& deck, PhysicsEntry const& entry, RankRoles const& roles,
                             std::filesystem::path const& folder, std::vector<WrittenSnapshot> earlier);

}  // namespace halocline
