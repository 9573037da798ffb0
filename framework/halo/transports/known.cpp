#include <Kokkos_Core.hpp>
#include <array>

#include "framework/halo/transport.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

std::span<TransportEntry const> known_transports() {
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
  static std::array<TransportEntry, 2> const known{
      {{.name = "mpi-host",
        .sentence = "MPI messages from and to host memory",
        .across_hosts = true,
        .obstacle = "",
        .make = mpi_host_transport},
       {.name = "shared-memory",
        .sentence = "ranks of one host pack into each other's memory",
        .across_hosts = false,
        .obstacle = on_host ? "" : "fields are in the memory of a device, not of the host",
        .make = shared_memory_transport}}};
  return known;
}

}  // namespace halocline
