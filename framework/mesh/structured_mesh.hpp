#pragma once

#include <memory>
#include <vector>

#include "framework/mesh/axis.hpp"
#include "framework/mesh/mesh.hpp"
#include "framework/mesh/partition.hpp"

namespace halocline {

/// Parameters of a structured mesh.
struct StructuredMeshDescription {
  std::vector<Axis> axes;             ///< one, two or three
  Periodicity periodic{};             ///< per axis
  ProcessGrid process_grid{0, 0, 0};  ///< ranks per axis; 0: chosen by the mesh
  int blocks_per_rank = 1;  ///< each rank's cells are divided into this many uneven blocks (Partition::divided)
};

/// Tensor product of three axes, divided into a Cartesian grid of blocks, with equally many blocks a rank.
class StructuredMesh final : public Mesh {
 public:
  /// Collective over `communicator`. Throws InputError for no or too many axes, a product of cells beyond 64 bits, a
  /// process grid that does not fit the communicator, or an axis with fewer cells than ranks or blocks.
  [[nodiscard]] static std::shared_ptr<StructuredMesh const> make(StructuredMeshDescription const& description,
                                                                  std::shared_ptr<Communicator> communicator);
  /// The mesh that `make` creates on as many ranks as `hosts` has entries, for the ranks of `communicator` that work
  /// for them: blocks of rank n there belong to rank `owners[n]` here. `hosts[n]` is any number that identifies the
  /// host of rank n.
  [[nodiscard]] static std::shared_ptr<StructuredMesh const> make_for(StructuredMeshDescription const& description,
                                                                      std::vector<int> const& hosts,
                                                                      std::vector<int> const& owners,
                                                                      std::shared_ptr<Communicator> communicator);
  /// Divides the axes as in `partition`. Axes beyond `dimensions` have one cell.
  StructuredMesh(int dimensions, std::array<Axis, 3> axes, Partition partition,
                 std::shared_ptr<Communicator> communicator);

  [[nodiscard]] Index block_count() const override { return partition_.blocks(); }
  [[nodiscard]] Extents extents(Centring centring) const override;
  [[nodiscard]] IndexRange global_owned(Index block, Centring centring) const override;

  [[nodiscard]] Axis const& axis(int axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::array<Axis, 3> const& axes() const { return axes_; }
  [[nodiscard]] Partition const& partition() const { return partition_; }
  [[nodiscard]] bool periodic(int axis) const { return partition_.periodic()[static_cast<std::size_t>(axis)]; }

  /// Position along `axis` of the entry with global index `i` of a centring, including ghosts: beyond the end of the
  /// mesh a periodic axis repeats, any other is mirrored, so that a ghost cell has the width of its mirror image.
  [[nodiscard]] double coordinate(int axis, Centring centring, Index i) const;
  /// Width of the cell with global index `i`, including ghosts.
  [[nodiscard]] double cell_width(int axis, Index i) const;
  /// Position of each entry along `axis` by local index, from -`ghosts` to owned extent + `ghosts` - 1.
  [[nodiscard]] std::vector<double> coordinates(Block const& block, int axis, Centring centring, int ghosts) const;

  /// The next coarser mesh, on the same ranks. Each block keeps every second of its nodes, starting with its first, and
  /// its last: n cells become ceil(n / 2); the last of an odd count covers one fine cell. Local coarse cell I covers
  /// the local fine cells 2 I and, if it exists, 2 I + 1; local coarse node I is the local fine node min(2 I, n). So
  /// parents and children are on the same rank. A uniform axis stays uniform if all of its blocks have an even count
  /// (or one cell); otherwise it becomes stretched.
  [[nodiscard]] std::shared_ptr<StructuredMesh const> coarsened() const;

 private:
  std::array<Axis, 3> axes_;
  Partition partition_;
};

/// Casts to a structured mesh; throws DefectError if it is of another kind.
[[nodiscard]] StructuredMesh const& structured(Mesh const& mesh);

}  // namespace halocline
