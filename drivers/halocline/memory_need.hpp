#pragma once

#include <optional>

#include "drivers/halocline/memory_forecast.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

class RankRoles;

/// Memory available to the ranks of one host.
struct MemoryBudget {
  std::optional<double> bytes = {};  ///< free bytes, of the device if the backend has one; empty: unknown
  int ranks = 1;                     ///< compute ranks of the whole run
  int local = 1;                     ///< … of those that share this memory
  std::optional<int> devices = {};   ///< of the rank with the most; empty: unknown
  int io_ranks = 0;                  ///< of the whole run, in addition
};

/// The budget of the compute ranks on each host. Collective over them; I/O ranks, which need little memory, have no
/// limit.
[[nodiscard]] MemoryBudget memory_budget(RankRoles const& roles);
/// The budget of this many ranks, all on this host, without accessing a device.
/// \param io_ranks number of ranks that do not compute
[[nodiscard]] MemoryBudget foretold_memory_budget(int ranks, int io_ranks);

/// Upper bound of the bytes that the ranks of a budget need for fields, operators and vectors, including ghosts and
/// halo buffers, but not for programs and libraries. `deck` is validated except for what spans sections. Empty if
/// unknown. Throws InputError if the mesh cannot be partitioned into so many blocks.
[[nodiscard]] std::optional<double> memory_need(Options const& deck, PhysicsEntry const& entry,
                                                std::optional<MemoryForecast> const& forecast,
                                                MemoryBudget const& budget);

/// Adds a mistake if the need exceeds the free memory. Throws what the physics of points throws if their number is
/// invalid.
void validate_memory(Options const& deck, PhysicsEntry const& entry, std::optional<MemoryForecast> const& forecast,
                     MemoryBudget const& budget, Mistakes& mistakes);

}  // namespace halocline
