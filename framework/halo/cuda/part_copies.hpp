#pragma once

#include <cuda_runtime.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/halo/box.hpp"
#include "framework/halo/box_copy.hpp"

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
  int message = -1;    ///< slot of the message that it comes from or goes to; -1: there is none

  [[nodiscard]] int parts() const { return static_cast<int>((entries + entries_a_part - 1) / entries_a_part); }
};

/// Boxes cut into parts that blocks of threads copy on their own, so that a receiver may take a part while the next
/// is on its way.
class PartCopies {
 public:
  PartCopies(std::vector<BoxCopy> const& copies, std::vector<MessageSlot> const& messages);

  void run(cudaStream_t stream, BoxSlots& slots) const;
  /// `incoming` waits for parts with flags while `outgoing` still goes out. No part that is awaited comes before one of
  /// the same number that goes out: where all blocks find a place on their device, ranks never wait in a circle.
  static void run(cudaStream_t stream, BoxSlots& slots, PartCopies const& outgoing, PartCopies const& incoming);
  /// Whether slots and boxes of both travel with a launch, together as apart.
  [[nodiscard]] static bool travel(BoxSlots const& slots, PartCopies const& outgoing, PartCopies const& incoming);

 private:
  /// All that a kernel needs to know of some boxes.
  struct Work {
    std::vector<PartedBox> boxes;
    int parts = 0;
    Kokkos::View<PartedBox*, Kokkos::CudaSpace> on_device;  ///< where they are too many to travel with a launch
    Kokkos::View<int*, Kokkos::CudaSpace> order;            ///< of the parts, if another than that of the boxes
  };
  static Work work_of(std::vector<PartedBox> boxes, std::vector<int> const& order);
  static void launch(cudaStream_t stream, BoxSlots& slots, Work const& work, int threads);

  std::vector<PartedBox> boxes_;
  std::size_t messages_ = 0;
  Work work_;
  /// Of the last call with another list, which as a rule is the same again.
  struct Both {
    PartCopies const* incoming = nullptr;
    Work work;
  };
  mutable Both both_;
};

}  // namespace halocline::cuda
