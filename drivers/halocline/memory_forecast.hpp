#pragma once

#include <array>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// Bytes that a block takes of the memory that holds what is computed on.
struct BlockBytes {
  double peak = 0;     ///< at most, while the physics is made, steps and tells its quantities
  double resting = 0;  ///< between steps
  double state = 0;    ///< of these, the arrays of fields()
  double owned = 0;    ///< … without their ghosts and padding
  double carried = 0;  ///< owned entries of what a checkpoint holds
  double written = 0;  ///< what a snapshot takes beside `resting` while it is written
};

/// What the memory of a block follows from: the bytes that small meshes took, of all pairings of two numbers of cells
/// along each axis. Plain data.
struct MemoryForecast {
  std::array<std::array<double, 2>, 3> cells{{{1, 1}, {1, 1}, {1, 1}}};  ///< equal ones where there is but one
  std::array<BlockBytes, 8> taken{};                                     ///< bit `axis` of the place: which of the two

  /// Of a block with so many cells. Arrays, their ghosts, sides and edges grow with each extent while the others stay,
  /// so the bytes are linear in each: exactly what was taken on these meshes, and close to it on larger ones. Where
  /// some of them take hardly more for a while than between steps, others do so for another reason: what that is of
  /// the largest grows with its cells at most.
  [[nodiscard]] BlockBytes of(Extents const& block) const;
};

}  // namespace halocline
