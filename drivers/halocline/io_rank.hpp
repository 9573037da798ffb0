#pragma once

#include <filesystem>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/plugin/physics.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// The run of an I/O rank: evaluates the expressions of the compute ranks' set-up and reads its files, then writes what
/// these hand over until they have ended. \param deck judged \param earlier snapshots of the part of the run that this
/// one goes on from
[[nodiscard]] ExitCode serve(Options const& deck, PhysicsEntry const& entry, RankRoles const& roles,
                             std::filesystem::path const& folder, std::vector<WrittenSnapshot> earlier);

}  // namespace halocline
