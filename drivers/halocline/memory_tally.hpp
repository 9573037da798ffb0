#pragma once

#include <cstddef>

namespace halocline {

/// Starts Kokkos with one thread, without any tools, in a process that has not started it and never ends it.
void start_kokkos_for_tally();

/// While it lives, counts the bytes of memory that hold what is computed on: of the heap, or of the devices where
/// fields live there. It looks whenever Kokkos or a list allocates, before Kokkos frees, and when it is asked. One at a
/// time; on the heap it counts exactly in a process of one thread that maps no arrays of their own (M_MMAP_THRESHOLD).
class MemoryTally {
 public:
  MemoryTally();
  ~MemoryTally();
  MemoryTally(MemoryTally const&) = delete;
  MemoryTally& operator=(MemoryTally const&) = delete;

  /// Bytes that are held beside those that were held at first.
  [[nodiscard]] double bytes() const;
  /// The most of them so far.
  [[nodiscard]] double peak() const;
};

/// For operator new: lists that are gone before Kokkos allocates the next time are seen as they grow.
void see_list(std::size_t bytes);

}  // namespace halocline
