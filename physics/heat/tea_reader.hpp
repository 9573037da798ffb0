#pragma once

#include <string>

#include "framework/deck/deck_format.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::heat {

/// Reads the part between `*tea` and `*endtea` (or the end of the text) as a deck for the same problem: `physics:
/// heat`, states as `heat.regions`, the mesh, the time steps, and tolerance and iterations for every solver that
/// `solver.method` may be changed to. Words are `name=value` or `name value`, case does not matter, `!` and `#` begin
/// comments.
///
/// Words that only control the benchmark program itself (test_problem, profiler_on, …) are accepted and ignored.
/// Unknown words, words given twice, and features of TeaLeaf that Halocline lacks are reported as mistakes with their
/// location.
[[nodiscard]] deck::Node read_tea(std::string const& name, std::string const& text, Mistakes& mistakes);

/// The input of the TeaLeaf benchmark as a deck format.
[[nodiscard]] DeckFormat tea_format();

}  // namespace halocline::heat
