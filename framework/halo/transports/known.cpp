#include <Kokkos_Core.hpp>
#include <array>

#include "framework/halo/transport.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/gpu_aware_mpi.hpp"

namespace halocline {

namespace {

std::string gpu_aware_mpi_of_host(Communicator const& communicator) {
  return communicator.local_rank() == 0 ? gpu_aware_mpi_obstacle() : "";
}

}  // namespace

std::span<TransportEntry const> known_transports() {
#if defined(KOKKOS_ENABLE_CUDA)
  constexpr bool has_cuda = true;
#else
  constexpr bool has_cuda = false;
#endif
  static std::array<TransportEntry, 4> const known{
      {{.name = "mpi-host",
        .sentence = "MPI messages from and to host memory",
        .across_hosts = true,
        .obstacle = "",
        .make = mpi_host_transport},
       {.name = "mpi-device",
        .sentence = "MPI messages from and to device memory, where a trial shows that MPI takes it",
        .across_hosts = true,
        .obstacle = memory_on_host ? "fields are in the memory of the host, where mpi-host does the same" : "",
        .make = mpi_device_transport,
        .probe = gpu_aware_mpi_of_host},
       {.name = "shared-memory",
        .sentence = "ranks of one host pack into each other's memory",
        .across_hosts = false,
        .obstacle = memory_on_host ? "" : "fields are in the memory of a device, not of the host",
        .make = shared_memory_transport},
       {.name = "cuda-ipc",
        .sentence = "kernels of ranks of one host pack into each other's device memory",
        .across_hosts = false,
        .obstacle = has_cuda ? "" : "fields are in the memory of the host, not of a CUDA device",
        .make = cuda_ipc_transport}}};
  return known;
}

}  // namespace halocline
