#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/halo/cuda/part_launch.hpp"

namespace halocline::nvshmem {

using Signal = std::uint64_t;  // NVSHMEM's type

/// Destination of the parts of one message.
struct Put {
  std::byte* memory;  ///< of the receiver, at its address on this rank's symmetric heap
  Signal* signals;    ///< of the receiver, likewise; one for each part
  int peer;
};

/// Packs the parts of messages and puts each with its signal; waits for signals, clears them and unpacks. The flags of
/// a sent message point to its Put, those of a received message are its signals (PartFlags::of_launcher).
class PutLauncher final : public cuda::PartLauncher {
 public:
  void launch(cuda::PartLaunch const& launch) const override;
};

}  // namespace halocline::nvshmem
