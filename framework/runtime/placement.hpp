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
  /// PCI addresses of its devices, in the order of its blocks; one may be there several times. Empty without devices.
  std::vector<std::string> devices{};
};

/// Collective. The placement of every rank, on rank 0; nothing elsewhere. After Kokkos has started.
[[nodiscard]] std::vector<Placement> find_placements(Communicator const& communicator);

/// Logical cores that this process may run on: "0-3,8"; empty where the system does not tell.
[[nodiscard]] std::string usable_cores_text();

/// Collective. The devices of every rank, in the order of its blocks, on rank 0: "0: NVIDIA H100 (0000:41:00.0)". Of no
/// rank where the backend has none, and nothing on other ranks.
[[nodiscard]] std::vector<std::vector<std::string>> device_names_of_ranks(Communicator const& communicator);

/// What ranks have to share that each should have for itself, devices and cores, in a sentence for each host with the
/// way out.
[[nodiscard]] std::vector<std::string> shared_hardware(std::vector<Placement> const& ranks);

/// "host 0, cores 0-3 (NUMA node 0), 4 threads, device 0000:41:00.0 (NUMA node 0)", or devices with commas between. The
/// nodes are those of the host that asks.
[[nodiscard]] std::string describe(Placement const& placement);

}  // namespace halocline
