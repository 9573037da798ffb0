#pragma once

#include <cuda_runtime.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/halo/box_copy.hpp"
#include "framework/halo/cuda/part_launch.hpp"

namespace halocline::cuda {

/// All that a kernel needs to know of some boxes.
struct PartWork {
  std::vector<PartedBox> boxes;
  int parts = 0;
  Kokkos::View<PartedBox*, Kokkos::CudaSpace> on_device;  ///< where they are too many to travel with a launch
  Kokkos::View<int*, Kokkos::CudaSpace> order;            ///< of the parts, if another than that of the boxes
};

/// Boxes cut into parts that blocks of threads copy on their own, so that a receiver may take a part while the next
/// is on its way.
class PartCopies {
 public:
  PartCopies(std::vector<BoxCopy> const& copies, std::vector<MessageBuffer> const& messages);

  void run(cudaStream_t stream, BoxBuffers& buffers) const;
  /// `incoming` waits for parts with flags while `outgoing` still goes out. No part that is awaited comes before one of
  /// the same number that goes out: where all blocks find a place on their device, ranks never wait in a circle.
  static void run(cudaStream_t stream, BoxBuffers& buffers, PartCopies const& outgoing, PartCopies const& incoming);
  /// Whether buffers and boxes of both travel with a launch, together as apart.
  [[nodiscard]] static bool travel(BoxBuffers const& buffers, PartCopies const& outgoing, PartCopies const& incoming);

 private:
  static PartWork work_of(std::vector<PartedBox> boxes, std::vector<int> const& order);
  static void launch(cudaStream_t stream, BoxBuffers& buffers, PartWork const& work, int threads);

  std::vector<PartedBox> boxes_;
  std::size_t messages_ = 0;
  PartWork work_;
  /// Of the last call with another list, which as a rule is the same again.
  struct Both {
    PartCopies const* incoming = nullptr;
    PartWork work;
  };
  mutable Both both_;
};

}  // namespace halocline::cuda
