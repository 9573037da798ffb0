#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/halo/transports/segment.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/runtime/cuda_stream.hpp"

namespace halocline::cuda {

/// What a process sends to others to share memory; each kind of memory uses a part of it.
struct BlockOffer {
  std::uint64_t mark = 0;  ///< unique number of the memory
  cudaIpcMemHandle_t handle{};
  char device[16] = {};  ///< PCI address of the device that has the memory; empty: the host
  SegmentOffer segment;
};

/// A kind of memory that kernels of several processes of a host can access. Allocated or opened memory stays until the
/// process ends.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  /// Allocates memory for kernels of this process, and sets `offer` for others to open it. Throws InputOutputError.
  [[nodiscard]] virtual std::byte* allocate(Index bytes, BlockOffer& offer) = 0;
  /// Address in this process of memory that another process offers. Throws InputOutputError.
  [[nodiscard]] virtual std::byte* open(BlockOffer const& offer) = 0;
};

/// Small copies between host and device that do not wait for kernels on other streams.
class SideStream {
 public:
  void copy(void* to, void const* from, Index bytes) const;
  void clear(void* memory, Index bytes) const;

 private:
  OwnStream stream_;
};

/// A sender writes this when it closes its end of a connection: no message is in flight, and none will follow.
inline constexpr std::uint32_t closed = 1;

/// Memory that other processes may open. It stays until the process ends, because they keep it open as long, and is
/// reused by one channel after another.
struct SharedBlock {
  std::byte* memory = nullptr;
  Index bytes = 0;
  BlockOffer offer;
  std::size_t senders = 0;  ///< number of words at its beginning, in which senders report that their ends are closed
  bool in_use = false;
};

/// The blocks of one kind of memory.
class SharedBlocks {
 public:
  explicit SharedBlocks(std::unique_ptr<SharedMemory> kind) : kind_(std::move(kind)) {}

  /// A block of at least `bytes` bytes, the first `cleared` of which are zero. Throws InputOutputError.
  [[nodiscard]] SharedBlock& take(Index bytes, Index cleared, std::size_t senders);
  void give_back(SharedBlock& block);
  /// Address in this process of memory that another process offers. Throws InputOutputError.
  [[nodiscard]] std::byte* opened(BlockOffer const& offer);
  [[nodiscard]] SideStream const& side() const { return side_; }

 private:
  /// Smaller allocations would share pages with others.
  static constexpr Index smallest = Index{2} << 20;

  /// Whether no sender will write any more to a block that was given back.
  [[nodiscard]] bool all_closed(SharedBlock const& block) const;

  std::mutex mutex_;
  std::unique_ptr<SharedMemory> kind_;
  std::vector<std::unique_ptr<SharedBlock>> blocks_;
  std::map<std::uint64_t, std::byte*> opened_;
  SideStream side_;
};

/// Throws InputOutputError: memory of a kind ("device memory") cannot be shared, because a CUDA call failed.
[[noreturn]] void refuse(std::string const& kind, std::string const& call, cudaError_t error);

}  // namespace halocline::cuda
