#include "drivers/halocline/memory_need.hpp"

#include <algorithm>
#include <string>

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/io_validation.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "framework/deck/validation.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/memory.hpp"
#include "framework/runtime/rank_roles.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {
namespace {

/// Exchanges of one layer that keep their own buffers: the operator's, the assembly's, and those of all levels
/// together. A physics with wider ghosts has only one exchange, with that many layers.
constexpr int exchanges = 3;

/// Bytes of a block's send and receive buffers for exchanges with other ranks.
double bytes_of_buffers(Partition const& partition, Index block, int ghosts, double size) {
  IndexRange const cells = partition.cells(block);
  double bytes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : {-1, 1}) {
      Direction direction{0, 0, 0};
      direction[static_cast<std::size_t>(axis)] = side;
      std::optional<Index> const neighbour = partition.neighbour(block, direction);
      if (!neighbour || partition.rank(*neighbour) == partition.rank(block)) continue;
      double const layer = static_cast<double>(cells.size()) / static_cast<double>(cells.extent(axis));
      bytes += 2 * std::max(exchanges, ghosts) * layer * size;
    }
  }
  return bytes;
}

/// Whether compute ranks write snapshots themselves.
bool writes_snapshots(Options const& deck) {
  Options const snapshots = deck.section("output").section("snapshots");
  return snapshot_buffers(deck) == 0 && (!snapshots.has("interval") || snapshots.integer("interval") > 0);
}

/// Copies of snapshots are in host memory: with a device, only device memory is limited.
int copies_on_their_way(Options const& deck) { return uses_device_memory() ? 0 : snapshot_buffers(deck); }
/// The same for copies from which checkpoints are written.
int copies_for_checkpoints(Options const& deck) { return has_checkpoints(deck) && !uses_device_memory() ? 1 : 0; }

/// Bytes that a transport reserves on each rank's device, in addition to exchange buffers, if a deck chooses it.
double bytes_of_transport(Options const& deck, int ranks) {
  bool const is_nvshmem = ranks > 1 && deck.section("halo").choice("transport") == "nvshmem";
  return is_nvshmem ? static_cast<double>(nvshmem_arena_bytes) : 0;
}

double bytes_of_block(Options const& deck, BlockBytes const& bytes) {
  double const writing = bytes.resting + (writes_snapshots(deck) ? bytes.written : 0);
  return std::max(bytes.peak, writing) + (keeps_state(deck) ? bytes.state : 0) +
         copies_on_their_way(deck) * bytes.owned + copies_for_checkpoints(deck) * bytes.checkpointed;
}

double bytes_of_points(Options const& deck, PhysicsEntry const& entry, double blocks) {
  BytesOfPoint const bytes = entry.bytes_of_point(deck);
  double const copies = copies_on_their_way(deck) + (keeps_state(deck) ? 1 : 0);
  return (bytes.shared + copies * bytes.state + copies_for_checkpoints(deck) * bytes.checkpointed +
          blocks * bytes.in_each_block) *
         static_cast<double>(entry.points(deck));
}

bool asks_for_multigrid(Options const& solver) {
  std::string const method = solver.choice("method");
  Options const chosen = solver.section(method);
  return method == "multigrid" || (chosen.declares("preconditioner") && chosen.choice("preconditioner") == "multigrid");
}

/// Each rank stores the control volumes along whole axes (framework/grid); a rehearsal measures only those of one
/// block. Bytes for the others: eight numbers each, and for all levels together, which halve, as many again.
double bytes_along_axes(Options const& deck, PhysicsEntry const& entry, Partition const& partition, Index block) {
  if (entry.steps_by_itself) return 0;
  double others = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    others += static_cast<double>(partition.cells()[axis] - partition.cells(block).extents()[axis]);
  }
  return (asks_for_multigrid(deck.section("solver")) ? 16 : 8) * sizeof(double) * others;
}

/// Forecasts hold for rows of whole cache lines: rows rounded up so need as much memory as the block's own, with
/// ghosts.
Extents in_whole_lines(Extents cells, int ghosts, double size) {
  auto const line = static_cast<Index>(64 / size);
  cells[0] = round_up(cells[0] + 2 * ghosts, line) - round_up(Index{2} * ghosts, line);
  return cells;
}

/// Bytes of all ranks.
double bytes_on_mesh(Options const& deck, PhysicsEntry const& entry, MemoryForecast const& forecast, int ranks) {
  Partition const partition = partition_of(deck.section("mesh"), ranks);
  double const size = deck.choice("precision") == "single" ? sizeof(float) : sizeof(double);
  int const ghosts = entry.ghosts ? entry.ghosts(deck) : 1;
  double all = ranks * bytes_of_transport(deck, ranks);
  for (Index block = 0; block < partition.blocks(); ++block) {
    all += bytes_of_block(deck, forecast.of(in_whole_lines(partition.cells(block).extents(), ghosts, size)));
    all += bytes_of_buffers(partition, block, ghosts, size) + bytes_along_axes(deck, entry, partition, block);
  }
  return all;
}

}  // namespace

MemoryBudget memory_budget(RankRoles const& roles) {
  if (roles.is_io_rank()) return {.ranks = roles.compute_ranks(), .devices = 1, .io_ranks = roles.io_ranks()};
  Communicator const& communicator = *roles.computing();
  AvailableMemory const memory = memory_per_rank(communicator);
  int const local = communicator.local_size();
  Index const devices = communicator.max(static_cast<Index>(rank_devices().numbers.size()));
  return {static_cast<double>(memory.device > 0 ? memory.device : memory.host) * local, communicator.size(), local,
          static_cast<int>(devices), roles.io_ranks()};
}

MemoryBudget foretold_memory_budget(int ranks, int io_ranks) {
  MemoryBudget budget{.ranks = ranks - io_ranks, .local = ranks - io_ranks, .io_ranks = io_ranks};
  if (!uses_device_memory()) budget.bytes = static_cast<double>(free_host_memory());
  return budget;
}

std::optional<double> memory_need(Options const& deck, PhysicsEntry const& entry,
                                  std::optional<MemoryForecast> const& forecast, MemoryBudget const& budget) {
  double const part = static_cast<double>(budget.local) / budget.ranks;
  if (entry.points && entry.bytes_of_point)
    return bytes_of_points(deck, entry, static_cast<double>(budget.ranks) * budget.devices.value_or(1)) * part;
  if (entry.points || !forecast) return std::nullopt;
  double const bytes = bytes_on_mesh(deck, entry, *forecast, budget.ranks) * part;
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

void validate_memory(Options const& deck, PhysicsEntry const& entry, std::optional<MemoryForecast> const& forecast,
                     MemoryBudget const& budget, Mistakes& mistakes) {
  // The option that sets the number of cells or of points is in this section.
  Options const section = deck.section(entry.points ? entry.name : "mesh");
  Location const location = entry.points ? section.location() : section.location("cells");
  std::string const name = entry.points ? section.full_name() : section.full_name("cells");
  std::optional<double> const need = memory_need(deck, entry, forecast, budget);
  if (need && budget.bytes) check_memory(location, name, *need, *budget.bytes, mistakes);
}

}  // namespace halocline
