#pragma once

#include <Kokkos_Macros.hpp>

#include "framework/runtime/index.hpp"

namespace halocline::nbody::cuda {

/// Splits the work of an attraction evenly. Its steps, each a tile of targets by a chunk of sources, are numbered by
/// chunk, then by tile; each block of threads gets a contiguous range, whose sizes differ by at most one. So a block
/// shares at most two tiles with others, its first and its last: its sums of these are partial ("pieces").
struct Split {
  Index tiles, chunks, blocks;

  [[nodiscard]] KOKKOS_FUNCTION Index steps() const { return tiles * chunks; }
  /// The first step of a block; also defined for the block after the last.
  [[nodiscard]] KOKKOS_FUNCTION Index begin(Index block) const { return steps() * block / blocks; }
  [[nodiscard]] KOKKOS_FUNCTION Index block_of(Index step) const { return ((step + 1) * blocks - 1) / steps(); }
  [[nodiscard]] KOKKOS_FUNCTION Index first_tile(Index block) const { return begin(block) / chunks; }
  /// Where a block stores its sums of a tile that it shares.
  [[nodiscard]] KOKKOS_FUNCTION Index piece(Index block, Index tile) const {
    return 2 * block + (tile == first_tile(block) ? 0 : 1);
  }
  [[nodiscard]] KOKKOS_FUNCTION Index pieces() const { return 2 * blocks; }
  /// The blocks that share a tile.
  [[nodiscard]] KOKKOS_FUNCTION Index first_block(Index tile) const { return block_of(tile * chunks); }
  [[nodiscard]] KOKKOS_FUNCTION Index last_block(Index tile) const { return block_of((tile + 1) * chunks - 1); }
};

}  // namespace halocline::nbody::cuda
