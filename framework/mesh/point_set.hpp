#pragma once

#include <memory>
#include <vector>

#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Points without neighbours, such as bodies or particles, as a mesh with one axis: entry i of all centrings is point
/// i, there are no ghosts, and positions are stored in a field. Each block has an interval of the points; sizes differ
/// by at most one. If there are fewer points than blocks, the last blocks are empty.
class PointSet final : public Mesh {
 public:
  /// Collective over `communicator`. This rank has one block for each of `executions`; blocks are numbered by rank,
  /// then in that order. Throws InputError for less than one point, or a rank without a block.
  PointSet(Index points, std::shared_ptr<Communicator> communicator,
           std::vector<std::shared_ptr<BlockExecution const>> const& executions = {default_block_execution()});

  [[nodiscard]] Index points() const { return starts_.back(); }
  [[nodiscard]] Index block_count() const override { return static_cast<Index>(ranks_.size()); }
  [[nodiscard]] Extents extents(Centring) const override { return {points(), 1, 1}; }
  [[nodiscard]] IndexRange global_owned(Index block, Centring) const override;
  /// Number of points of a block, on this rank or another.
  [[nodiscard]] Index points_of(Index block) const;
  /// The rank that owns a block.
  [[nodiscard]] int rank_of(Index block) const { return ranks_[static_cast<std::size_t>(block)]; }

 private:
  std::vector<int> ranks_;     ///< by block
  std::vector<Index> starts_;  ///< by block, followed by the number of points
};

/// Casts the mesh to a set of points; null if it is of another kind.
[[nodiscard]] PointSet const* as_points(Mesh const& mesh);

}  // namespace halocline
