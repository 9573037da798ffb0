#pragma once

#include "drivers/halocline/memory_need.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"

namespace halocline {

/// The section `io` of a deck.
[[nodiscard]] Section io_section();

/// How many of a run's `ranks` are I/O ranks, which has to be known before the deck is judged; 0 where the deck wants
/// none, or so many as the judge will refuse.
[[nodiscard]] int io_ranks(Deck const& deck, int ranks);

/// Snapshots that a compute rank has room for beside its fields, by a judged deck; 0 without I/O ranks.
[[nodiscard]] int snapshot_buffers(Options const& deck);

/// Adds a mistake if the ranks of a budget are too few for the I/O ranks that the deck asks for.
void judge_io_ranks(Options const& deck, MemoryBudget const& budget, Mistakes& mistakes);

}  // namespace halocline
