#pragma once

#include "framework/kernel/reduce.hpp"
#include "framework/kernel/reduction_tiles.hpp"

// How the terms of a segment are grouped: a reduction tile has 256 columns of 8 terms, column c adds terms c, c + 256,
// … of the reduction tile one after the other; neighbouring columns are merged in pairs until one accumulator is left,
// and so are the reduction tiles of the segment. What is missing at the end is neutral, so that any power of two of
// neighbours can be merged by whoever has them.

namespace halocline::reduce {

inline constexpr int reduction_tile_columns = kernel::ReductionTiles::columns;
inline constexpr int reduction_tile_steps = 8;
inline constexpr Index reduction_tile_terms = Index{reduction_tile_columns} * reduction_tile_steps;

/// ReductionTiles of a segment; one of nothing at all for an empty one, so that somebody writes its result.
[[nodiscard]] inline Index reduction_tiles_of(Index length) {
  return length > 0 ? (length + reduction_tile_terms - 1) / reduction_tile_terms : 1;
}

/// What a form works with.
template <class Accumulator>
struct Room {
  Accumulator* partials;  ///< merging_room of the reduction tiles of all segments
  Accumulator* results;   ///< one a segment
  unsigned* blocks_done;  ///< on devices, one a segment: zero before and after
};

}  // namespace halocline::reduce
