#include <Kokkos_Core.hpp>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "framework/halo/cuda/flagged_channel.hpp"
#include "framework/halo/cuda/shared_blocks.hpp"
#include "framework/halo/transports/segment.hpp"

namespace halocline {
namespace {

/// Pinned host memory that several processes map and their kernels read and write.
class PinnedMemory final : public cuda::SharedMemory {
 public:
  std::byte* allocate(Index bytes, cuda::BlockOffer& offer) override {
    OwnSegment segment(OwnSegment::header + bytes);
    std::byte* const memory = pinned(segment.memory(), segment.offer().bytes);
    offer.segment = segment.offer();
    own_.push_back(std::move(segment));
    return memory;
  }

  std::byte* open(cuda::BlockOffer const& offer) override {
    Segment segment = open_offered(offer.segment);
    std::byte* const memory = pinned(segment, offer.segment.bytes);
    others_.push_back(std::move(segment));
    return memory;
  }

 private:
  /// Device address of the memory behind the header.
  static std::byte* pinned(Segment const& segment, Index bytes) {
    void* address = segment.at(0);
    cudaError_t error =
        cudaHostRegister(address, static_cast<std::size_t>(bytes), cudaHostRegisterPortable | cudaHostRegisterMapped);
    if (error != cudaSuccess) refuse("cudaHostRegister of " + std::to_string(bytes) + " bytes", error);
    error = cudaHostGetDevicePointer(&address, address, 0);
    if (error != cudaSuccess) {
      (void)cudaHostUnregister(segment.at(0));
      refuse("cudaHostGetDevicePointer", error);
    }
    return static_cast<std::byte*>(address) + OwnSegment::header;
  }
  [[noreturn]] static void refuse(std::string const& call, cudaError_t error) { cuda::refuse("memory", call, error); }

  std::deque<OwnSegment> own_;
  std::deque<Segment> others_;
};

/// Kept until the process ends, beyond the end of the device, because others may keep it open as long.
cuda::SharedBlocks& blocks() {
  static auto* const blocks = new cuda::SharedBlocks(std::make_unique<PinnedMemory>());
  return *blocks;
}

}  // namespace

std::shared_ptr<Transport const> shared_memory_transport() {
  return std::make_shared<TransportBy<cuda::FlaggedChannel, cuda::SharedBlocks&>>("shared-memory", blocks());
}

}  // namespace halocline
