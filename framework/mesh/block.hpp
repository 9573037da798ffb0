#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// A step to one of the 26 neighbours: -1, 0 or 1 along x, y and z.
using Direction = std::array<int, 3>;

/// Index of a direction in tables of 27.
[[nodiscard]] constexpr std::size_t direction_index(Direction const& d) {
  return static_cast<std::size_t>((d[0] + 1) + 3 * (d[1] + 1) + 9 * (d[2] + 1));
}
/// The direction at an index of such a table.
[[nodiscard]] constexpr Direction direction_at(std::size_t index) {
  auto const n = static_cast<int>(index);
  return {n % 3 - 1, (n / 3) % 3 - 1, n / 9 - 1};
}
[[nodiscard]] constexpr Direction opposite(Direction const& d) { return {-d[0], -d[1], -d[2]}; }
/// 0 for the block itself, 1 for a face, 2 for an edge, 3 for a corner.
[[nodiscard]] constexpr int distance(Direction const& d) { return (d[0] != 0) + (d[1] != 0) + (d[2] != 0); }

/// A neighbouring block.
struct Neighbour {
  Index block;  ///< its global id
  int rank;     ///< the rank that owns it
};

/// The execution instance of a block; see framework/mesh/execution.hpp, which includes Kokkos. Opaque here, so that
/// meshes can be used without Kokkos.
class BlockExecution;

/// The default execution instance of this rank.
[[nodiscard]] std::shared_ptr<BlockExecution const> default_block_execution();
/// An instance with its own stream on a device of this process (`DeviceExecution`).
[[nodiscard]] std::shared_ptr<BlockExecution const> execution_on(int device);

/// A box of cells that one rank owns.
struct Block {
  Index id = 0;           ///< global, 0 … number of blocks of the mesh - 1; x runs fastest in the grid of blocks
  std::size_t local = 0;  ///< index into Mesh::blocks() of its rank
  int rank = 0;           ///< owner, in the mesh's communicator
  IndexRange cells;       ///< global indices of its cells
  /// By direction_index; empty at the end of the mesh. On a periodic axis with one block, the block is its own
  /// neighbour.
  std::array<std::optional<Neighbour>, 27> neighbours;
  std::shared_ptr<BlockExecution const> execution;

  [[nodiscard]] std::optional<Neighbour> const& neighbour(Direction const& d) const {
    return neighbours[direction_index(d)];
  }
  /// The neighbour across the face of `axis` (0, 1, 2) on the lower or upper `side` (-1 or 1).
  [[nodiscard]] std::optional<Neighbour> const& neighbour(int axis, int side) const {
    Direction d{0, 0, 0};
    d[static_cast<std::size_t>(axis)] = side;
    return neighbour(d);
  }
};

}  // namespace halocline
