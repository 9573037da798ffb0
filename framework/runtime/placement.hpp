#pragma once

#include <string>
#include <vector>

namespace halocline {

class Communicator;

/// Where a rank runs.
struct Placement {
  int host = 0;              ///< as Communicator::host
  std::vector<int> cores{};  ///< logical ones that its threads may run on, in order
  int threads = 1;           ///< of the rank
  std::string device{};      ///< its PCI address; empty without one
};

/// Collective. The placement of every rank, on rank 0; nothing elsewhere. After Kokkos has started.
[[nodiscard]] std::vector<Placement> find_placements(Communicator const& communicator);

/// What ranks have to share that each should have for itself, devices and cores, in a sentence for each host with the
/// way out.
[[nodiscard]] std::vector<std::string> shared_hardware(std::vector<Placement> const& ranks);

/// "host 0, cores 0-3 (NUMA node 0), 4 threads, device 0000:41:00.0 (NUMA node 0)". The nodes are those of the host
/// that asks.
[[nodiscard]] std::string describe(Placement const& placement);

}  // namespace halocline
