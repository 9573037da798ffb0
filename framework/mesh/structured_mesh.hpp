#pragma once

#include <memory>
#include <vector>

#include "framework/mesh/axis.hpp"
#include "framework/mesh/mesh.hpp"
#include "framework/mesh/partition.hpp"

namespace halocline {

/// What a structured mesh is made from.
struct StructuredMeshDescription {
  std::vector<Axis> axes;             ///< one, two or three
  Periodicity periodic{};             ///< per axis
  ProcessGrid process_grid{0, 0, 0};  ///< ranks per axis; 0 leaves the choice to the mesh
  int blocks_per_rank = 1;            ///< each rank's cells are cut into as many uneven blocks (Partition::divided)
};

/// Tensor product of three axes, cut into a Cartesian grid of blocks, equally many a rank.
class StructuredMesh final : public Mesh {
 public:
  /// Collective over `communicator`. Throws InputError for no or too many axes, a product of cells beyond 64 bits, a
  /// process grid that does not fit the communicator, or an axis with fewer cells than ranks or blocks.
  [[nodiscard]] static std::shared_ptr<StructuredMesh const> make(StructuredMeshDescription const& description,
                                                                  std::shared_ptr<Communicator> communicator);
  /// The mesh that `make` makes on as many ranks as there are `hosts`, as ranks of `communicator` see it who work for
  /// those: the blocks of rank n there are those of rank `owners[n]` here. `hosts` names the host of each by any
  /// number.
  [[nodiscard]] static std::shared_ptr<StructuredMesh const> make_for(StructuredMeshDescription const& description,
                                                                      std::vector<int> const& hosts,
                                                                      std::vector<int> const& owners,
                                                                      std::shared_ptr<Communicator> communicator);
  /// The axes cut as `partition` says. Axes beyond `dimensions` hold one cell.
  StructuredMesh(int dimensions, std::array<Axis, 3> axes, Partition partition,
                 std::shared_ptr<Communicator> communicator);

  [[nodiscard]] Index block_count() const override { return partition_.blocks(); }
  [[nodiscard]] Extents extents(Centring centring) const override;
  [[nodiscard]] IndexRange global_owned(Index block, Centring centring) const override;

  [[nodiscard]] Axis const& axis(int axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::array<Axis, 3> const& axes() const { return axes_; }
  [[nodiscard]] Partition const& partition() const { return partition_; }
  [[nodiscard]] bool periodic(int axis) const { return partition_.periodic()[static_cast<std::size_t>(axis)]; }

  /// Position along `axis` of the entry with global index `i` of a centring, ghosts included: beyond the end of the
  /// mesh a periodic axis repeats, any other one is mirrored, so that a ghost cell is as wide as the cell it mirrors.
  [[nodiscard]] double coordinate(int axis, Centring centring, Index i) const;
  /// Width of the cell with global index `i`, ghosts included.
  [[nodiscard]] double cell_width(int axis, Index i) const;
  /// Position of each entry along `axis` by local index, from -`ghosts` to owned extent + `ghosts` - 1.
  [[nodiscard]] std::vector<double> coordinates(Block const& block, int axis, Centring centring, int ghosts) const;

  /// The next coarser mesh, on the same ranks. Each block keeps every second node of its own range, counted from its
  /// first one, and its last: n cells become ceil(n / 2), the last of an odd count covers one fine cell. Local coarse
  /// cell I covers the local fine cells 2 I and, where it exists, 2 I + 1; local coarse node I is the local fine node
  /// min(2 I, n). So all children of a coarse cell, and every coarse node, are on the same rank as their parents. An
  /// axis whose blocks all have an even count (or one cell) stays uniform if it was; any other becomes stretched.
  [[nodiscard]] std::shared_ptr<StructuredMesh const> coarsened() const;

 private:
  std::array<Axis, 3> axes_;
  Partition partition_;
};

/// The mesh as a structured one; throws DefectError when it is of another kind.
[[nodiscard]] StructuredMesh const& structured(Mesh const& mesh);

}  // namespace halocline
