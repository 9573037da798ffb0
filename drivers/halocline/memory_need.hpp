#pragma once

#include <optional>

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

/// Bytes that all ranks of a run take at most for fields, operators and vectors, ghosts and halo buffers included; not
/// for programs and libraries. An estimate, within 20 % where a block has more than a million cells. `deck` is judged
/// up to what spans its sections. Throws InputError when the mesh cannot be cut into `ranks` blocks.
///
/// \param devices of each rank; more than one only where the physics lives on points
[[nodiscard]] double memory_need(Options const& deck, PhysicsEntry const& entry, int ranks, int devices = 1);

/// The part of memory_need on the host of a budget: as many blocks as it has ranks.
[[nodiscard]] double memory_need(Options const& deck, PhysicsEntry const& entry, MemoryBudget const& budget);

}  // namespace halocline
