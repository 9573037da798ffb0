#include "drivers/halocline/memory_need.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "drivers/halocline/io_judgement.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/memory.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {
namespace {

/// Bytes of an array with one layer of ghosts, and of the buffers of an exchange of it.
struct BlockBytes {
  double array = 1;
  double buffers = 0;
};

BlockBytes bytes_of(IndexRange const& cells, std::size_t dimensions, double size) {
  constexpr double line = 64;  // rows begin at, and fill, whole lines of the cache
  BlockBytes bytes;
  bytes.array = line + std::ceil(static_cast<double>(cells.extent(0) + 1) * size / line) * line;
  for (std::size_t axis = 1; axis < dimensions; ++axis) {
    bytes.array *= static_cast<double>(cells.extent(static_cast<int>(axis)) + 2);
  }
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    // Out and in, on both sides.
    double const layer = static_cast<double>(cells.size()) / static_cast<double>(cells.extent(static_cast<int>(axis)));
    bytes.buffers += 4 * layer * size;
  }
  return bytes;
}

/// Exchanges that keep buffers of their own: the operator's, the assembly's and those of the levels together.
constexpr double exchanges = 3;

/// Copies of what fields() holds, beside it.
double copies_of_state(Options const& deck) {
  // Where there is a device, its memory is what is judged, and snapshots on their way are on the host.
  int const buffers = uses_device_memory() ? 0 : snapshot_buffers(deck);
  return buffers + (keeps_state(deck) ? 1 : 0);
}

/// Bytes that a transport takes of each rank's device beside the buffers of exchanges, where a deck asks for it.
double bytes_of_transport(Options const& deck, int ranks) {
  bool const is_nvshmem = ranks > 1 && deck.section("halo").choice("transport") == "nvshmem";
  return is_nvshmem ? static_cast<double>(nvshmem_arena_bytes) : 0;
}

/// Of a rank's part of a file, on its way to a field, which is on the host.
double arrays_of_files(Options const& deck, PhysicsEntry const& entry) {
  return uses_device_memory() || deck.section(entry.name).field_files().empty() ? 0 : 1;
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

double memory_need(Options const& deck, PhysicsEntry const& entry, int ranks, int devices) {
  double const state = entry.state_arrays ? entry.state_arrays(deck) : 1;
  double const arrays =
      (entry.arrays ? entry.arrays(deck) : 1) + copies_of_state(deck) * state + arrays_of_files(deck, entry);
  double const size = deck.choice("precision") == "single" ? sizeof(float) : sizeof(double);
  double const blocks = static_cast<double>(ranks) * devices;
  double const copies = entry.bytes_of_each_block ? entry.bytes_of_each_block(deck) * blocks : 0;
  if (entry.points) return (arrays * size + copies) * static_cast<double>(entry.points(deck));
  Options const mesh = deck.section("mesh");
  Partition const partition = partition_of(mesh, ranks);
  std::size_t const dimensions = mesh.integers("cells").size();
  double all = ranks * bytes_of_transport(deck, ranks);
  for (Index block = 0; block < partition.blocks(); ++block) {
    BlockBytes const bytes = bytes_of(partition.cells(block), dimensions, size);
    all += arrays * bytes.array + (ranks > 1 ? exchanges * bytes.buffers : 0);
    all += copies * static_cast<double>(partition.cells(block).size());
  }
  return all;
}

double memory_need(Options const& deck, PhysicsEntry const& entry, MemoryBudget const& budget) {
  return memory_need(deck, entry, budget.ranks, budget.devices.value_or(1)) * budget.local / budget.ranks;
}

}  // namespace halocline
