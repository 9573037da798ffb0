#pragma once

#include <string>

#include "framework/mesh/mesh.hpp"

namespace halocline {

/// The file that lists snapshots and their times for viewers.
inline constexpr char const* series_name = "snapshots.xdmf";

/// Name of a step's snapshot: `snapshot_000010` with an extension for viewers: `.vti` for a uniform mesh, `.vtr` for a
/// stretched one, `.vtkhdf` for points.
[[nodiscard]] std::string snapshot_name(Mesh const& mesh, Index step);

/// Whether a file of this name is a snapshot.
[[nodiscard]] bool is_snapshot_name(std::string const& name);

/// The step in the name of a snapshot, -1 for any other name.
[[nodiscard]] Index step_of_snapshot(std::string const& name);

}  // namespace halocline
