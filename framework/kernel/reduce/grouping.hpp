#pragma once

#include "framework/kernel/bricks.hpp"
#include "framework/kernel/reduce.hpp"

// How the terms of a segment are grouped: a brick has 256 columns of 8 terms, column c adds terms c, c + 256, … of the
// brick one after the other; neighbouring columns are merged in pairs until one accumulator is left, and so are the
// bricks of the segment. What is missing at the end is neutral, so that any power of two of neighbours can be merged by
// whoever has them.

namespace halocline::reduce {

inline constexpr int brick_columns = kernel::Bricks::columns;
inline constexpr int brick_steps = 8;
inline constexpr Index brick_terms = Index{brick_columns} * brick_steps;

/// Bricks of a segment; one of nothing at all for an empty one, so that somebody writes its result.
[[nodiscard]] inline Index bricks_of(Index length) { return length > 0 ? (length + brick_terms - 1) / brick_terms : 1; }

/// What a form works with.
template <class Accumulator>
struct Room {
  Accumulator* partials;  ///< merging_room of the bricks of all segments
  Accumulator* results;   ///< one a segment
  unsigned* blocks_done;  ///< on devices, one a segment: zero before and after
};

}  // namespace halocline::reduce
