#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "framework/halo/box.hpp"

// Description of a launch of copies. Neither this file nor part_kernel.hpp includes Kokkos, because a library whose
// device code is linked separately uses them too.

namespace halocline::cuda {

/// A box that is copied in parts, each by one thread block.
struct PartedBox {
  BoxPlace from;
  BoxPlace to;
  Index entries = 0;
  int extents[2] = {1, 1};
  int bytes_per_entry = 8;  ///< 4, 8 or 16
  int entries_a_part = 0;
  int first_part = 0;  ///< index over the parts of all boxes
  int first_flag = 0;  ///< index over the flags of a message
  int message = -1;    ///< buffer of the message at either end; -1: none

  [[nodiscard]] int parts() const { return static_cast<int>((entries + entries_a_part - 1) / entries_a_part); }
};

/// Copies to enqueue.
struct PartLaunch {
  cudaStream_t stream = nullptr;
  std::vector<BoxBuffer> const& buffers;
  std::vector<PartedBox> const& boxes;
  BoxBuffer const* buffers_on_device = nullptr;  ///< if buffers and boxes are too many for launch arguments
  PartedBox const* boxes_on_device = nullptr;
  int const* order = nullptr;  ///< of the parts, on the device, if it differs from that of the boxes
  int parts = 0;
  Index timeout = 0;
  int threads = 0;  ///< of a block: few_threads or many_threads
};

/// Enqueues copies to and from messages whose parts are signalled by other means than flags.
class PartLauncher {
 public:
  virtual ~PartLauncher() = default;
  virtual void launch(PartLaunch const& launch) const = 0;
};

}  // namespace halocline::cuda
