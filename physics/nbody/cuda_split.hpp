#pragma once

#include <Kokkos_Macros.hpp>

#include "framework/runtime/index.hpp"

namespace halocline::nbody::cuda {

/// The work of an attraction, cut evenly: its steps, each a tile of targets by a chunk of sources, are numbered from
/// chunk to chunk, then from tile to tile, and each block of threads takes as many neighbours as any other, or one
/// more. So a block has at most two tiles that it does not finish alone, its first and its last: their sums are pieces.
struct Split {
  Index tiles, chunks, blocks;

  [[nodiscard]] KOKKOS_FUNCTION Index steps() const { return tiles * chunks; }
  /// The first step of a block; also of the one after the last.
  [[nodiscard]] KOKKOS_FUNCTION Index begin(Index block) const { return steps() * block / blocks; }
  [[nodiscard]] KOKKOS_FUNCTION Index block_of(Index step) const { return ((step + 1) * blocks - 1) / steps(); }
  [[nodiscard]] KOKKOS_FUNCTION Index first_tile(Index block) const { return begin(block) / chunks; }
  /// Where a block leaves its sums of a tile that it shares.
  [[nodiscard]] KOKKOS_FUNCTION Index piece(Index block, Index tile) const {
    return 2 * block + (tile == first_tile(block) ? 0 : 1);
  }
  [[nodiscard]] KOKKOS_FUNCTION Index pieces() const { return 2 * blocks; }
  /// The blocks that share a tile.
  [[nodiscard]] KOKKOS_FUNCTION Index first_block(Index tile) const { return block_of(tile * chunks); }
  [[nodiscard]] KOKKOS_FUNCTION Index last_block(Index tile) const { return block_of((tile + 1) * chunks - 1); }
};

}  // namespace halocline::nbody::cuda
