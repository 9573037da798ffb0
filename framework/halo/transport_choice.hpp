#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/halo/transport.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Times of one exchange of equal messages with all neighbours on the host, or on other hosts.
struct TransportTimings {
  bool across_hosts = false;
  Index bytes = 0;  ///< per message; a run's messages use the smallest class that they fit into
  std::vector<double>
      seconds;  ///< on the slowest rank, by candidate; infinite if it cannot reach these ranks or has no memory
  std::size_t chosen = 0;  ///< among the candidates
};

/// The transport of a run, and how it was chosen.
struct TransportChoice {
  std::shared_ptr<Transport const> transport;
  std::vector<std::string> candidates;    ///< those measured
  std::vector<TransportTimings> timings;  ///< by reach, then bytes; empty if there was nothing to choose from
  std::vector<std::string> left_out;      ///< "shared-memory: why"
  /// Names of the transports that carry messages; "none" where no rank has neighbours.
  std::string names;
};

/// Collective over the ranks of the mesh. `wanted` is the name of a transport, or "auto". Then all transports that this
/// build can use and that pass a trial are measured, some milliseconds each, with messages of the sizes that neighbours
/// on this mesh exchange; each message uses the fastest one for its size and host. Transports that take seconds to
/// start are left out if an earlier run (cache_folder) found that they carry no messages. All ranks make the same
/// choice. Throws InputError, with the reason, when the wanted transport cannot be used.
///
/// \param known the transports to choose from, the first of which reaches every rank
[[nodiscard]] TransportChoice choose_transport(std::string const& wanted, Mesh const& mesh,
                                               std::span<TransportEntry const> known = known_transports());

}  // namespace halocline
