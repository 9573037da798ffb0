#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "framework/grid/control_volumes.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// The unknowns of a diffusion operator: the mesh entries that are unknowns, and the control volumes around them.
struct ControlVolumeGrid {
  std::shared_ptr<StructuredMesh const> mesh;
  Centring centring = Centring::cell;
  std::array<ControlVolumes, 3> volumes;

  [[nodiscard]] int dimensions() const { return mesh->dimensions(); }
  [[nodiscard]] Index size() const;  ///< over all ranks
  /// Local indices of the unknowns of a block.
  [[nodiscard]] IndexRange unknowns(Block const& block) const;
  /// Local indices of the unknowns of all blocks of this rank, by Block::local.
  [[nodiscard]] std::vector<IndexRange> unknowns() const;
  /// Index, over the whole mesh and along each axis, of the block's first unknown.
  [[nodiscard]] Extents first_unknown(Block const& block) const;
  /// First unknown of each row of blocks along `axis`, followed by the number of unknowns.
  [[nodiscard]] std::vector<Index> starts(int axis) const;
  /// Global index of the local entry (0, 0, 0).
  [[nodiscard]] Extents first_entry(Block const& block) const;
};

/// The unknowns of a field of `centring` on `mesh` under `conditions`; see control_volumes.
[[nodiscard]] ControlVolumeGrid control_volume_grid(std::shared_ptr<StructuredMesh const> mesh, Centring centring,
                                                    BoundaryConditions const& conditions);

/// Merges unknowns in pairs on axes with factor 2, counted from the first of each block; the last of an odd count stays
/// single. The coarse unknowns are the cells of a new mesh on the same ranks. Nothing if a block of some rank has no
/// unknown.
[[nodiscard]] std::optional<ControlVolumeGrid> coarsened(ControlVolumeGrid const& fine,
                                                         std::array<Index, 3> const& factor);

/// The same grid with all unknowns on every rank: cells of a mesh on `alone`, a communicator of one rank.
[[nodiscard]] ControlVolumeGrid replicated(ControlVolumeGrid const& grid, std::shared_ptr<Communicator> alone);

}  // namespace halocline
