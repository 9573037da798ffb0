#pragma once

#include <filesystem>
#include <vector>

#include "framework/mesh/axis.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Stored next to the snapshots, whose geometry it has.
inline constexpr char const* mesh_file_name = "mesh.h5";

/// Collective. Writes the data common to all snapshots of a run. For a structured mesh: cell edges along `x`, `y` and
/// `z`, one more than cells. For a set of points: Connectivity, Offsets and Types of a VTK unstructured grid with one
/// vertex a point. Throws InputOutputError on all ranks.
void write_mesh_file(Mesh const& mesh, std::filesystem::path const& path);

/// Edges of the cells of an axis.
[[nodiscard]] std::vector<double> edges_of(Axis const& axis);

}  // namespace halocline
