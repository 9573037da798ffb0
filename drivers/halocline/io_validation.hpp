#pragma once

#include "drivers/halocline/memory_need.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"

namespace halocline {

/// The section `io` of a deck.
[[nodiscard]] Section io_section();

/// The number of I/O ranks among a run's `ranks`, needed before the deck is validated; 0 if the deck requests none or
/// more than validation allows.
[[nodiscard]] int io_ranks(Deck const& deck, int ranks);

/// Number of snapshots that a compute rank buffers in addition to its fields, for a validated deck; 0 without I/O
/// ranks.
[[nodiscard]] int snapshot_buffers(Options const& deck);

/// Adds a mistake if a budget has too few ranks for the I/O ranks that the deck requests.
void validate_io_ranks(Options const& deck, MemoryBudget const& budget, Mistakes& mistakes);

}  // namespace halocline
