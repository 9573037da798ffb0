#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/mesh/block.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

class Communicator;

/// True if entries of `centring` lie on the cell edges of `axis` (nodes on every axis, face_x on x, …).
[[nodiscard]] constexpr bool on_edges(Centring centring, int axis) {
  return centring == Centring::node || static_cast<int>(centring) == static_cast<int>(Centring::face_x) + axis;
}

/// "cell", "node", "face x", "face y" or "face z".
[[nodiscard]] std::string to_string(Centring centring);

/// A set of blocks and the index spaces of the fields on them. Shared and immutable.
///
/// Local indices count from the first owned entry of a block: owned entries are 0 … n - 1; ghosts have negative indices
/// and indices from n upwards. The upper block owns nodes and faces on the border of two blocks; the last block of a
/// non-periodic axis also owns the closing node or face. Axes beyond the mesh's dimensions have extent 1 for every
/// centring and no ghosts.
class Mesh {
 public:
  virtual ~Mesh() = default;
  Mesh(Mesh const&) = delete;
  Mesh& operator=(Mesh const&) = delete;

  [[nodiscard]] int dimensions() const { return dimensions_; }  ///< 1, 2 or 3
  [[nodiscard]] Communicator& communicator() const { return *communicator_; }
  [[nodiscard]] std::shared_ptr<Communicator> const& shared_communicator() const { return communicator_; }
  /// The blocks that this rank owns.
  [[nodiscard]] std::span<Block const> blocks() const { return blocks_; }
  /// Number of blocks over all ranks.
  [[nodiscard]] virtual Index block_count() const = 0;
  /// Global number of entries of a centring along each axis.
  [[nodiscard]] virtual Extents extents(Centring centring) const = 0;
  /// Global indices of the entries that a block owns, on this rank or another.
  [[nodiscard]] virtual IndexRange global_owned(Index block, Centring centring) const = 0;

  /// The block's owned entries in local indices: begins at 0.
  [[nodiscard]] IndexRange owned(Block const& block, Centring centring) const;
  /// `owned` with `width` ghosts on each side of every axis of the mesh.
  [[nodiscard]] IndexRange with_ghosts(Block const& block, Centring centring, int width) const;
  /// The owned entries whose stencil of radius `width` reads no entry of a neighbouring block. Ghosts beyond the end of
  /// the mesh belong to no neighbour. Empty if the block is too thin.
  [[nodiscard]] IndexRange interior(Block const& block, Centring centring, int width) const;
  /// `owned` without `interior`, as disjoint boxes (at most six, none empty), z sides first, then y, then x.
  [[nodiscard]] std::vector<IndexRange> shell(Block const& block, Centring centring, int width) const;

 protected:
  Mesh(int dimensions, std::shared_ptr<Communicator> communicator);
  void set_blocks(std::vector<Block> blocks) { blocks_ = std::move(blocks); }

 private:
  int dimensions_;
  std::shared_ptr<Communicator> communicator_;
  std::vector<Block> blocks_;
};

}  // namespace halocline
