#include <Kokkos_Core.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "framework/deck/registry.hpp"
#include "framework/halo/transport_registry.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/gpu_aware_mpi.hpp"

namespace halocline {

namespace {

/// Collective. Calls the module's own probe only if all ranks have loaded it.
std::string probed_module(std::string const& name, Communicator const& communicator) {
  std::string why;
  TransportModule const* const module = transport_module(name, why);
  bool const all_have_it = communicator.all(module != nullptr);
  return all_have_it && module != nullptr ? module->probe(communicator) : why;
}
std::shared_ptr<Transport const> made_by_module(std::string const& name) {
  std::string why;
  TransportModule const* const module = transport_module(name, why);
  if (module == nullptr) throw DefectError(name + ": " + why);
  return module->make();
}

std::string gpu_aware_mpi_of_host(Communicator const& communicator) {
  return communicator.local_rank() == 0 ? gpu_aware_mpi_obstacle() : "";
}

std::vector<TransportEntry>& all_transports() {
#if defined(KOKKOS_ENABLE_CUDA)
  constexpr bool has_cuda = true;
  constexpr auto cuda_ipc = cuda_ipc_transport;
#else
  constexpr bool has_cuda = false;
  constexpr std::shared_ptr<Transport const> (*cuda_ipc)() = nullptr;
#endif
  static std::vector<TransportEntry> known{
      {.name = "mpi-host",
       .sentence = "MPI messages from and to host memory",
       .across_hosts = true,
       .obstacle = "",
       .make = mpi_host_transport},
      {.name = "mpi-device",
       .sentence = "MPI messages from and to device memory, if a trial shows that MPI supports it",
       .across_hosts = true,
       .obstacle = memory_on_host ? "fields are in the memory of the host, where mpi-host does the same" : "",
       .make = mpi_device_transport,
       .probe = gpu_aware_mpi_of_host},
      {.name = "shared-memory",
       .sentence = "ranks of one host pack messages into host memory that they share",
       .across_hosts = false,
       .obstacle = memory_on_host || has_cuda ? "" : "fields are in the memory of a device that is not CUDA's",
       .make = shared_memory_transport},
      {.name = "cuda-ipc",
       .sentence = "kernels of ranks of one host pack messages into each other's device memory",
       .across_hosts = false,
       .obstacle = has_cuda ? "" : "fields are in the memory of the host, not of a CUDA device",
       .make = cuda_ipc},
      {.name = "nccl",
       .sentence = "NVIDIA's collective library, with one GPU per rank",
       .across_hosts = false,  // a failed rank ends the waits of others through shared memory
       .obstacle = has_cuda ? "" : "fields are in the memory of the host, not of a CUDA device",
       .make = nccl_transport,
       .probe = [](Communicator const& communicator) { return probed_module("nccl", communicator); },
       .starts_slowly = true},
      {.name = "nvshmem",
       .sentence = "kernels put messages into each other's device memory with NVSHMEM, with one GPU per rank",
       .across_hosts = true,
       .obstacle = has_cuda ? "" : "fields are in the memory of the host, not of a CUDA device",
       .make = nvshmem_transport,
       .probe = [](Communicator const& communicator) { return probed_module("nvshmem", communicator); },
       .starts_slowly = true}};
  return known;
}

}  // namespace

std::shared_ptr<Transport const> nccl_transport() { return made_by_module("nccl"); }
std::shared_ptr<Transport const> nvshmem_transport() { return made_by_module("nvshmem"); }

std::span<TransportEntry const> known_transports() { return all_transports(); }

void add_transport(TransportEntry entry) {
  std::vector<TransportEntry>& all = all_transports();
  auto const has_its_name = [&](TransportEntry const& other) { return other.name == entry.name; };
  if (entry.name == "auto" || std::any_of(all.begin(), all.end(), has_its_name))
    throw_name_taken("transport", entry.name);
  all.push_back(std::move(entry));
}

}  // namespace halocline
