#pragma once

#include <filesystem>

#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Beside the snapshots whose geometry it has.
inline constexpr char const* mesh_file_name = "mesh.h5";

/// Shape of the mesh's cells as VTK numbers them: 1 vertex, 3 line, 9 quadrilateral, 12 hexahedron.
[[nodiscard]] int vtk_cell_type(int dimensions);
/// 1, 2, 4 or 8.
[[nodiscard]] Index corners_of_cell(int dimensions);

/// Collective. Writes the geometry that all snapshots of a run link to: Points, Connectivity, Offsets and Types of a
/// VTK unstructured grid, nodes and cells numbered with x fastest, and the edges along x, y and z. Of a set of points,
/// each a cell of one corner, all but Points, which move. Throws InputOutputError on all ranks.
///
/// An unstructured grid because it is the only form in which VTK 9.1 reads values on cells, and meshes of one and two
/// dimensions, from a VTKHDF file.
void write_mesh_file(Mesh const& mesh, std::filesystem::path const& path);

}  // namespace halocline
