#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/halo/transport.hpp"

namespace halocline {

/// Bytes of device memory that each rank of a run by `nvshmem` takes for messages.
inline constexpr Index nvshmem_arena_bytes = Index{768} << 20;

/// What something that a library does itself takes, to compare with.
struct ReferenceTiming {
  std::string name;
  double seconds = 0;  ///< of one
  Index repetitions = 0;
  double value = 0;  ///< what came out, where that is known
};

/// A transport by a library that may be absent. It lies in a shared object of its own beside the library of halos
/// (lib/halocline/transports/NAME.so), which is loaded when a run asks for it.
struct TransportModule {
  std::string (*probe)(Communicator const&);  ///< collective; see TransportEntry
  std::shared_ptr<Transport const> (*make)();
  /// Collective, after a probe that found no obstacle; null where there are none.
  std::vector<ReferenceTiming> (*references)(Communicator const&) = nullptr;
};
/// The symbol of C by which a shared object returns its TransportModule.
inline constexpr char const* transport_module_symbol = "halocline_transport_module";

/// The module of that name; null, and why, where there is none. Loaded once, and kept.
[[nodiscard]] TransportModule const* transport_module(std::string const& name, std::string& why);

}  // namespace halocline
