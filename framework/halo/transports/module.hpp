#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/halo/transport.hpp"

namespace halocline {

/// Bytes of device memory that each rank of an `nvshmem` run reserves for messages.
inline constexpr Index nvshmem_arena_bytes = Index{768} << 20;

/// Time of an operation of the library itself, for comparison.
struct ReferenceTiming {
  std::string name;
  double seconds = 0;  ///< of one repetition
  Index repetitions = 0;
  double value = 0;               ///< the result, where there is one
  std::vector<double> history{};  ///< of an iteration: the result after the first repetition and each tenth one later
};

/// A transport by an optional library. It is a separate shared object beside the halo library
/// (lib/halocline/transports/NAME.so), loaded when a run requests it.
struct TransportModule {
  std::string (*probe)(Communicator const&);  ///< collective; see TransportEntry
  std::shared_ptr<Transport const> (*make)();
  /// Collective; call it after a probe that found no obstacle. Null if there are none.
  std::vector<ReferenceTiming> (*references)(Communicator const&) = nullptr;
};
/// The C symbol by which a shared object returns its TransportModule.
inline constexpr char const* transport_module_symbol = "halocline_transport_module";

/// The module of that name; null, with the reason in `why`, if there is none. Loaded once and kept.
[[nodiscard]] TransportModule const* transport_module(std::string const& name, std::string& why);

}  // namespace halocline
