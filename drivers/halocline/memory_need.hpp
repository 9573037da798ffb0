#pragma once

#include <optional>

#include "drivers/halocline/memory_forecast.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

class RankRoles;

/// Memory that ranks of one host may take for what they solve.
struct MemoryBudget {
  std::optional<double> bytes = {};  ///< that are free, of the device where the backend has one; nothing: not known
  int ranks = 1;                     ///< that compute, of the whole run
  int local = 1;                     ///< … that share this memory
  std::optional<int> devices = {};   ///< of the rank that has most; nothing: not known
  int io_ranks = 0;                  ///< of the whole run, beside those that compute
};

/// What the compute ranks share on each host. Collective over them; I/O ranks, which take next to nothing, know of no
/// limit.
[[nodiscard]] MemoryBudget memory_budget(RankRoles const& roles);
/// What so many ranks would, all on this host, without a look at any device.
/// \param io_ranks how many of them do not compute
[[nodiscard]] MemoryBudget foretold_memory_budget(int ranks, int io_ranks);

/// Bytes that the ranks of a budget take at most for fields, operators and vectors, ghosts and halo buffers included;
/// not for programs and libraries. `deck` is judged up to what spans its sections. Nothing where it is not known.
/// Throws InputError when the mesh cannot be cut into so many blocks.
[[nodiscard]] std::optional<double> memory_need(Options const& deck, PhysicsEntry const& entry,
                                                std::optional<MemoryForecast> const& forecast,
                                                MemoryBudget const& budget);

/// Adds a mistake if that is more than is free. Throws what the physics of points does where their number is wrong.
void judge_memory(Options const& deck, PhysicsEntry const& entry, std::optional<MemoryForecast> const& forecast,
                  MemoryBudget const& budget, Mistakes& mistakes);

}  // namespace halocline
