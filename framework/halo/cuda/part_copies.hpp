#pragma once

#include <cuda_runtime.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/halo/box_copy.hpp"
#include "framework/halo/cuda/part_launch.hpp"

namespace halocline::cuda {

/// Data of some boxes that a kernel needs.
struct PartWork {
  std::vector<PartedBox> boxes;
  int parts = 0;
  Kokkos::View<PartedBox*, Kokkos::CudaSpace> on_device;  ///< if there are too many for launch arguments
  Kokkos::View<int*, Kokkos::CudaSpace> order;            ///< of the parts, if it differs from that of the boxes
};

/// Boxes divided into parts that thread blocks copy independently, so that a receiver can unpack one part while the
/// next is in flight.
class PartCopies {
 public:
  PartCopies(std::vector<BoxCopy> const& copies, std::vector<MessageBuffer> const& messages);

  void run(cudaStream_t stream, BoxBuffers& buffers) const;
  /// `incoming` waits for parts with flags while `outgoing` is still being packed. A part is awaited only after the
  /// outgoing part of the same number: if all blocks are resident on their device, ranks cannot deadlock.
  static void run(cudaStream_t stream, BoxBuffers& buffers, PartCopies const& outgoing, PartCopies const& incoming);
  /// Whether buffers and boxes of both lists fit into launch arguments, together as well as apart.
  [[nodiscard]] static bool travel(BoxBuffers const& buffers, PartCopies const& outgoing, PartCopies const& incoming);

 private:
  static PartWork work_of(std::vector<PartedBox> boxes, std::vector<int> const& order);
  static void launch(cudaStream_t stream, BoxBuffers& buffers, PartWork const& work, int threads);

  std::vector<PartedBox> boxes_;
  std::size_t messages_ = 0;
  PartWork work_;
  /// Work of the last call with an incoming list, which is usually the same in the next call.
  struct Both {
    PartCopies const* incoming = nullptr;
    PartWork work;
  };
  mutable Both both_;
};

}  // namespace halocline::cuda
