#include "drivers/halocline/io_validation.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <variant>

#include "framework/deck/validation.hpp"

namespace halocline {
namespace {

constexpr char const* ranks_option = "ranks";
constexpr int most_buffers = 64;

/// Each I/O rank needs a compute rank to serve.
bool is_possible(std::int64_t io_ranks, int ranks) { return io_ranks >= 0 && io_ranks <= ranks / 2; }

}  // namespace

Section io_section() {
  Section io("io",
             "I/O ranks, which prepare initial values for the compute ranks and write snapshots while these continue.");
  io.integer(ranks_option,
             "Number of I/O ranks, which are the last ranks of the run and at most half of all. They evaluate initial "
             "expressions, read initial files and write the snapshots that the compute ranks send. 0: all ranks "
             "compute, and wait while they write.")
      .at_least(0)
      .defaults_to(std::int64_t{0});
  io.integer("buffers",
             "Largest number of snapshots in flight from a compute rank to its I/O rank; a compute rank with one more "
             "waits, so that no snapshot is dropped. Each takes as much host memory as the fields.")
      .at_least(1)
      .at_most(most_buffers)
      .defaults_to(std::int64_t{2});
  return io;
}

int io_ranks(Deck const& deck, int ranks) {
  Section const io = io_section();
  OptionValue const value = deck.unvalidated(io.options().front(), io.name());
  auto const* const wanted = std::get_if<std::int64_t>(&value);
  return wanted != nullptr && is_possible(*wanted, ranks) ? static_cast<int>(*wanted) : 0;
}

int snapshot_buffers(Options const& deck) {
  Options const io = deck.section("io");
  return io.integer(ranks_option) > 0 ? static_cast<int>(io.integer("buffers")) : 0;
}

void validate_io_ranks(Options const& deck, MemoryBudget const& budget, Mistakes& mistakes) {
  Options const io = deck.section("io");
  std::int64_t const wanted = io.integer(ranks_option);
  int const all = budget.ranks + budget.io_ranks;
  if (is_possible(wanted, all)) return;
  std::string const run = all == 1 ? "the run has one rank" : fmt::format("the run has {} ranks", all);
  std::string const fewer = all == 1 ? "leave it out" : fmt::format("choose at most {}", all / 2);
  add_mistake(io, ranks_option,
              fmt::format("{} I/O rank{}, but {}, and each I/O rank needs at least one compute rank", wanted,
                          wanted == 1 ? "" : "s", run),
              mistakes, fmt::format("start at least {} (--ranks), or {}", 2 * wanted, fewer));
}

}  // namespace halocline
