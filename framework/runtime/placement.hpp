#pragma once

#include <string>
#include <vector>

namespace halocline {

class Communicator;

/// Where a rank runs.
struct Placement {
  int host = 0;              ///< as Communicator::host
  std::vector<int> cores{};  ///< logical cores that its threads may run on, in order
  int threads = 1;           ///< of the rank
  /// PCI addresses of its devices, in the order of its blocks; one may occur several times. Empty without devices.
  std::vector<std::string> devices{};
  bool takes_turns = true;  ///< on devices that it shares with other ranks
};

/// Collective. The placement of every rank, on rank 0; nothing elsewhere. After Kokkos has started.
[[nodiscard]] std::vector<Placement> find_placements(Communicator const& communicator);

/// Logical cores that this process may run on: "0-3,8"; empty if the system does not report them.
[[nodiscard]] std::string usable_cores_text();

/// Collective. The devices of every rank, in the order of its blocks, on rank 0: "0: NVIDIA H100 (0000:41:00.0)". Empty
/// lists without devices; nothing on other ranks.
[[nodiscard]] std::vector<std::vector<std::string>> device_names_of_ranks(Communicator const& communicator);

/// Devices and cores that ranks share although each rank should have its own: a sentence for each host, with the
/// remedy.
[[nodiscard]] std::vector<std::string> shared_hardware(std::vector<Placement> const& ranks);

/// "host 0, cores 0-3 (NUMA node 0), 4 threads, device 0000:41:00.0 (NUMA node 0)"; several devices are separated by
/// commas. The NUMA nodes are those of the calling host.
[[nodiscard]] std::string describe(Placement const& placement);

}  // namespace halocline
