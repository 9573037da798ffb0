#include <Kokkos_Core.hpp>
#include <memory>
#include <string>

#include "framework/halo/cuda/flagged_channel.hpp"
#include "framework/halo/cuda/shared_blocks.hpp"

namespace halocline {
namespace {

/// Device memory that other processes open by a handle.
class DeviceMemory final : public cuda::SharedMemory {
 public:
  std::byte* allocate(Index bytes, cuda::BlockOffer& offer) override {
    void* memory = nullptr;
    cudaError_t const error = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
    if (error != cudaSuccess) refuse("cudaMalloc of " + std::to_string(bytes) + " bytes", error);
    auto const require = [&](char const* call, cudaError_t result) {
      if (result == cudaSuccess) return;
      (void)cudaFree(memory);
      refuse(call, result);
    };
    require("cudaIpcGetMemHandle", cudaIpcGetMemHandle(&offer.handle, memory));
    int device = 0;
    require("cudaGetDevice", cudaGetDevice(&device));
    require("cudaDeviceGetPCIBusId", cudaDeviceGetPCIBusId(offer.device, sizeof offer.device, device));
    return static_cast<std::byte*>(memory);
  }

  std::byte* open(cuda::BlockOffer const& offer) override {
    void* address = nullptr;
    cudaError_t const error = cudaIpcOpenMemHandle(&address, offer.handle, cudaIpcMemLazyEnablePeerAccess);
    if (error != cudaSuccess) refuse("cudaIpcOpenMemHandle", error);
    return static_cast<std::byte*>(address);
  }

 private:
  [[noreturn]] static void refuse(std::string const& call, cudaError_t error) {
    cuda::refuse("device memory", call, error);
  }
};

/// Kept until the process ends, beyond the end of the device, because others may keep it open as long.
cuda::SharedBlocks& blocks() {
  static auto* const blocks = new cuda::SharedBlocks(std::make_unique<DeviceMemory>());
  return *blocks;
}

}  // namespace

std::shared_ptr<Transport const> cuda_ipc_transport() {
  return std::make_shared<TransportBy<cuda::FlaggedChannel, cuda::SharedBlocks&>>("cuda-ipc", blocks());
}

}  // namespace halocline
