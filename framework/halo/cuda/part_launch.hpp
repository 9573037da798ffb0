#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "framework/halo/box.hpp"

// What is known of a launch of copies. Nothing here, or in part_kernel.hpp, includes Kokkos: a library whose device
// code is linked apart uses it too.

namespace halocline::cuda {

/// A box that is copied in parts, each by a block of threads.
struct PartedBox {
  BoxPlace from;
  BoxPlace to;
  Index entries = 0;
  int extents[2] = {1, 1};
  int bytes_per_entry = 8;  ///< 4, 8 or 16
  int entries_a_part = 0;
  int first_part = 0;  ///< counted over all boxes
  int first_flag = 0;  ///< counted over the boxes of a message
  int message = -1;    ///< buffer of the message that it comes from or goes to; -1: there is none

  [[nodiscard]] int parts() const { return static_cast<int>((entries + entries_a_part - 1) / entries_a_part); }
};

/// Copies to be enqueued.
struct PartLaunch {
  cudaStream_t stream = nullptr;
  std::vector<BoxBuffer> const& buffers;
  std::vector<PartedBox> const& boxes;
  BoxBuffer const* buffers_on_device = nullptr;  ///< where they and the boxes are too many to travel with a launch
  PartedBox const* boxes_on_device = nullptr;
  int const* order = nullptr;  ///< of the parts, on the device, if another than that of the boxes
  int parts = 0;
  Index patience = 0;
  int threads = 0;  ///< of a block: few_threads or many_threads
};

/// Enqueues copies to and from messages whose parts are told of in another way than by flags.
class PartLauncher {
 public:
  virtual ~PartLauncher() = default;
  virtual void launch(PartLaunch const& launch) const = 0;
};

}  // namespace halocline::cuda
