#pragma once

#include <vector>

#include "framework/mesh/mesh.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Entries along each axis of a centring (cell or node) of a structured mesh or a set of points in output files. The
/// files repeat the closing nodes of periodic axes, which the mesh does not have, since viewers need every corner of
/// every cell.
[[nodiscard]] Extents output_extents(Mesh const& mesh, Centring centring);

/// Whether all cells of the mesh have the same size.
[[nodiscard]] bool is_uniform(StructuredMesh const& mesh);

/// A box of owned entries of a block, in local indices, and the global position of its first entry in a file.
struct OutputBox {
  IndexRange local;
  Extents place;
};

/// All boxes that a block writes: its owned entries, and their copies beyond the upper end of periodic axes.
[[nodiscard]] std::vector<OutputBox> output_boxes(Mesh const& mesh, Block const& block, Centring centring);

}  // namespace halocline
