#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/halo/cuda/part_launch.hpp"

namespace halocline::nvshmem {

using Signal = std::uint64_t;  // as NVSHMEM has them

/// Where the parts of one message go.
struct Put {
  std::byte* memory;  ///< the receiver's, at its place on this rank's symmetric heap
  Signal* signals;    ///< the receiver's, likewise; one for each part
  int peer;
};

/// Packs the parts of messages and puts each with its signal; waits for signals, clears them and unpacks. The flags of
/// a message that is sent lead to its Put, those of one that is received are its signals (PartFlags::of_launcher).
class PutLauncher final : public cuda::PartLauncher {
 public:
  void launch(cuda::PartLaunch const& launch) const override;
};

}  // namespace halocline::nvshmem
