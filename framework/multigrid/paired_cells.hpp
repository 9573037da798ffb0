#pragma once

#include <array>
#include <memory>
#include <vector>

#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// The next coarser mesh, and of which cells its cells are made.
struct PairedCells {
  std::shared_ptr<StructuredMesh const> mesh;
  /// By axis: the global index of the fine cell with which each coarse cell begins, followed by the number of fine
  /// cells. A coarse cell has one or two.
  std::array<std::vector<Index>, 3> first;
};

/// StructuredMesh::coarsened: pairs begin with the first cell of each block.
[[nodiscard]] PairedCells paired_within_blocks(StructuredMesh const& fine);

/// Pairs cells 2 n and 2 n + 1 of the mesh whatever their blocks are, so that levels do not depend on the partition: a
/// coefficient that jumps between pairs does so on any number of ranks. The block of a pair's first cell gets the
/// coarse cell. Along an axis where that leaves a block none, pairs are within blocks.
[[nodiscard]] PairedCells paired_across_blocks(StructuredMesh const& fine);

}  // namespace halocline
