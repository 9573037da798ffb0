#pragma once

#include <string>

#include "framework/deck/deck_format.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::heat {

/// Reads the part between `*tea` and `*endtea` (or the end of the text) as the deck of the same problem: `physics:
/// heat`, states as `heat.regions`, the mesh, the time steps, and tolerance and iterations for every solver that
/// `solver.method` may be changed to. Words are `name=value` or `name value`, letter case does not matter, `!` and `#`
/// begin comments.
///
/// Words that only steer the benchmark program itself (test_problem, profiler_on, …) are accepted and mean nothing.
/// Unknown words, words given twice and what TeaLeaf has and Halocline has not are mistakes, at their places.
[[nodiscard]] deck::Node read_tea(std::string const& name, std::string const& text, Mistakes& mistakes);

/// The inputs of the TeaLeaf benchmark as a format of decks.
[[nodiscard]] DeckFormat tea_format();

}  // namespace halocline::heat
