#pragma once

#include <array>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// Bytes that a block needs of the memory that holds its arrays: the host's or the device's.
struct BlockBytes {
  double peak = 0;          ///< at most, while the physics is made, steps and computes its quantities
  double resting = 0;       ///< between steps
  double state = 0;         ///< the part of `resting` in the arrays of fields()
  double owned = 0;         ///< … without their ghosts and padding
  double checkpointed = 0;  ///< owned entries in a checkpoint
  double written = 0;       ///< needed in addition to `resting` while a snapshot is written
};

/// The basis of a memory forecast: the bytes used on small meshes, for all combinations of two numbers of cells along
/// each axis. Plain data.
struct MemoryForecast {
  std::array<std::array<double, 2>, 3> cells{{{1, 1}, {1, 1}, {1, 1}}};  ///< equal if there is only one
  std::array<BlockBytes, 8> taken{};  ///< bit `axis` of the index selects the number of cells

  /// For a block with this many cells. The bytes of arrays, ghosts, faces and edges are linear in each extent for fixed
  /// others, so they are interpolated: exact on the measured meshes, close on larger ones. If the peak of some small
  /// mesh hardly exceeds its resting memory, the peaks of others have another cause: their largest excess then grows at
  /// most with the number of cells.
  [[nodiscard]] BlockBytes of(Extents const& block) const;
};

}  // namespace halocline
