#pragma once

#include <filesystem>
#include <vector>

#include "framework/mesh/axis.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Beside the snapshots whose geometry it has.
inline constexpr char const* mesh_file_name = "mesh.h5";

/// Collective. Writes what is the same for all snapshots of a run. Of a structured mesh: where cells begin and end
/// along `x`, `y` and `z`, one more than cells. Of a set of points: Connectivity, Offsets and Types of a VTK
/// unstructured grid that has a vertex for each. Throws InputOutputError on all ranks.
void write_mesh_file(Mesh const& mesh, std::filesystem::path const& path);

/// Where the cells of an axis begin and end.
[[nodiscard]] std::vector<double> edges_of(Axis const& axis);

}  // namespace halocline
