#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// A place in memory that holds a box of entries: `slot` says which memory, the rest is counted in entries.
struct BoxPlace {
  int slot = 0;
  Index first = 0;
  Index row = 0;
  Index plane = 0;
};

/// A box of entries of 4 or 8 bytes to be copied from one place to another.
struct BoxCopy {
  BoxPlace from;
  BoxPlace to;
  Index extents[3] = {1, 1, 1};  // no std::array: device code reads it
  int bytes_per_entry = 8;

  [[nodiscard]] Index entries() const { return extents[0] * extents[1] * extents[2]; }
};

/// The memory behind each slot. Cheap to set again: a device hears of it only when something has changed.
class BoxSlots {
 public:
  explicit BoxSlots(std::size_t count = 0);
  void set(std::size_t slot, void* memory);
  /// For kernels enqueued on `execution` from now on.
  [[nodiscard]] std::uintptr_t const* for_kernels(Execution const& execution);

 private:
  Kokkos::View<std::uintptr_t*, Memory> memory_;
  Kokkos::View<std::uintptr_t*, Memory>::HostMirror host_;
  bool changed_ = true;
};

/// A list of boxes that one kernel copies, whatever their number, shapes and precisions. Boxes must not overlap.
class BoxCopies {
 public:
  BoxCopies() = default;
  explicit BoxCopies(std::vector<BoxCopy> const& copies);

  [[nodiscard]] bool empty() const { return entries_ == 0; }
  /// Enqueues the copies.
  void run(Execution const& execution, BoxSlots& slots) const;

  /// Some of the rows of one box: what one host thread copies at a time, or, on a device, a whole box.
  struct Piece {
    BoxCopy copy;
    Index first_entry;  ///< entries of all pieces before this one
    Index first_row;    ///< of the box; rows are counted along y, then z
    Index rows;
  };
  struct Kernel;

 private:
  Kokkos::View<Piece*, Memory> pieces_;
  Index entries_ = 0;
};

}  // namespace halocline
