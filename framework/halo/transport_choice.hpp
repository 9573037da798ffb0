#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/halo/transport.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// What one exchange of equal messages with all neighbours on the host, or on other hosts, took.
struct TransportTimings {
  bool across_hosts = false;
  Index bytes = 0;  ///< of each message; those of a run count to the smallest class that they fit into
  std::vector<double>
      seconds;  ///< on the slowest rank, by candidate; infinite for one that does not reach so far, or has no memory
  std::size_t chosen = 0;  ///< among the candidates
};

/// The transport of a run, and why.
struct TransportChoice {
  std::shared_ptr<Transport const> transport;
  std::vector<std::string> candidates;    ///< what was measured
  std::vector<TransportTimings> timings;  ///< by reach, then bytes; empty where there was nothing to choose from
  std::vector<std::string> left_out;      ///< "shared-memory: why"
  /// Names of the transports that carry messages; "none" where no rank has neighbours.
  std::string names;
};

/// Collective over the ranks of the mesh. `wanted` is the name of a transport, or "auto": then those that this build
/// has a use for and that pass a trial are measured with messages of the sizes that neighbours on this mesh send each
/// other, some milliseconds each, and each message goes by the fastest for its size and its host. Those that take
/// seconds to start are left out where an earlier run (cache_folder) has found that they carry nothing. All ranks come
/// to the same choice. Throws InputError, saying why, when the transport that is wanted cannot be used.
///
/// \param known those that there are to choose from, the first of which reaches every rank
[[nodiscard]] TransportChoice choose_transport(std::string const& wanted, Mesh const& mesh,
                                               std::span<TransportEntry const> known = known_transports());

}  // namespace halocline
