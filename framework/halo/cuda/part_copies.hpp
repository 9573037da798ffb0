#pragma once

#include <cuda_runtime.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/halo/box.hpp"
#include "framework/halo/box_copy.hpp"

namespace halocline::cuda {

/// Entries of one box that follow each other, row by row, plane by plane.
struct Run {
  BoxPlace from;
  BoxPlace to;
  int extents[2] = {1, 1};   ///< of the box
  int start[3] = {0, 0, 0};  ///< the first entry
  int entries = 0;
  int bytes_per_entry = 8;  ///< 4, 8 or 16
};

/// What one block of threads copies: a part of a message, or some entries between fields.
struct PartCopy {
  int first_run = 0;
  int runs = 0;
  int slot = -1;   ///< of the message; -1: none
  int number = 0;  ///< of the part in the message
};

/// Boxes cut into parts that blocks of threads copy on their own, so that a receiver may take a part while the next
/// is on its way.
class PartCopies {
 public:
  PartCopies(std::vector<BoxCopy> const& copies, std::vector<MessageSlot> const& messages);

  void run(cudaStream_t stream, BoxSlots& slots) const;
  /// `incoming` waits for parts with flags while `outgoing` still goes out. No part that is awaited comes, in the order
  /// of blocks, before one of the same number that goes out: whatever fits on a device, ranks never wait in a circle.
  static void run(cudaStream_t stream, BoxSlots& slots, PartCopies const& outgoing, PartCopies const& incoming);

 private:
  /// All that a kernel needs of several lists.
  struct Work {
    Kokkos::View<PartCopy*, Kokkos::CudaSpace> parts;
    Kokkos::View<Run*, Kokkos::CudaSpace> runs;
  };
  static Work upload(std::vector<PartCopy> const& parts, std::vector<Run> const& runs);
  static void launch(cudaStream_t stream, BoxSlots& slots, Work const& work);

  std::vector<PartCopy> parts_;
  std::vector<Run> runs_;
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
