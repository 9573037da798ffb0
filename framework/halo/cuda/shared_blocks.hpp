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

/// What a process tells others of memory that it shares; each kind of memory uses a part of it.
struct BlockOffer {
  std::uint64_t mark = 0;  ///< told from all others by this
  cudaIpcMemHandle_t handle{};
  SegmentOffer segment;
};

/// A kind of memory that kernels of several processes of a host reach. What is allocated or opened stays as long as
/// the process.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  /// Memory that kernels of this process reach, and what others open it by. Throws InputOutputError.
  [[nodiscard]] virtual std::byte* allocate(Index bytes, BlockOffer& offer) = 0;
  /// The same memory in this process, of what another offers. Throws InputOutputError.
  [[nodiscard]] virtual std::byte* open(BlockOffer const& offer) = 0;
};

/// Small copies between host and device that no kernel holds up.
class SideStream {
 public:
  void copy(void* to, void const* from, Index bytes) const;
  void clear(void* memory, Index bytes) const;

 private:
  OwnStream stream_;
};

/// What a sender writes when its end of a connection is closed: nothing is on its way, and nothing will come any more.
inline constexpr std::uint32_t closed = 1;

/// Memory that other processes may open. It stays as long as the process, since they have it open as long, and serves
/// one channel after another.
struct SharedBlock {
  std::byte* memory = nullptr;
  Index bytes = 0;
  BlockOffer offer;
  std::size_t senders = 0;  ///< that have words at its beginning: what they have made of their ends
  bool in_use = false;
};

/// The blocks of one kind of memory.
class SharedBlocks {
 public:
  explicit SharedBlocks(std::unique_ptr<SharedMemory> kind) : kind_(std::move(kind)) {}

  /// A block of at least so many bytes, the first `cleared` of which are zero. Throws InputOutputError.
  [[nodiscard]] SharedBlock& take(Index bytes, Index cleared, std::size_t senders);
  void give_back(SharedBlock& block);
  /// The same memory in this process, of what another offers. Throws InputOutputError.
  [[nodiscard]] std::byte* opened(BlockOffer const& offer);
  [[nodiscard]] SideStream const& side() const { return side_; }

 private:
  /// Smaller allocations share pages with others.
  static constexpr Index smallest = Index{2} << 20;

  /// Whether nobody will write to a block that was given back.
  [[nodiscard]] bool all_closed(SharedBlock const& block) const;

  std::mutex mutex_;
  std::unique_ptr<SharedMemory> kind_;
  std::vector<std::unique_ptr<SharedBlock>> blocks_;
  std::map<std::uint64_t, std::byte*> opened_;
  SideStream side_;
};

/// Throws InputOutputError: memory of a kind ("device memory") cannot be shared, since a call of CUDA failed.
[[noreturn]] void refuse(std::string const& kind, std::string const& call, cudaError_t error);

}  // namespace halocline::cuda
