#pragma once

#include "framework/kernel/reduce.hpp"
#include "framework/kernel/reduction_tiles.hpp"

// How the terms of a segment are grouped: a reduction tile has 256 columns of 8 terms; column c adds terms c, c + 256,
// … of the reduction tile one after the other. Neighbouring columns are merged in pairs until one accumulator is left,
// and so are the reduction tiles of the segment. Terms missing at the end are neutral, so that any power of two of
// neighbours can be merged independently.

namespace halocline::reduce {

inline constexpr int reduction_tile_columns = kernel::ReductionTiles::columns;
inline constexpr int reduction_tile_steps = 8;
inline constexpr Index reduction_tile_terms = Index{reduction_tile_columns} * reduction_tile_steps;

/// Reduction tiles of a segment; an empty segment has one, so that its result is written.
[[nodiscard]] inline Index reduction_tiles_of(Index length) {
  return length > 0 ? (length + reduction_tile_terms - 1) / reduction_tile_terms : 1;
}

/// Memory that a form works with.
template <class Accumulator>
struct Room {
  Accumulator* partials;  ///< merging_room of all segments' reduction tiles
  Accumulator* results;   ///< one per segment
  unsigned* blocks_done;  ///< on devices, one per segment: zero before and after
};

}  // namespace halocline::reduce
