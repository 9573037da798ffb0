#pragma once

#include <cstddef>

namespace halocline {

/// Starts Kokkos with one thread and without tools, in a process that has not started it and never finalises it.
void start_kokkos_for_tally();

/// Counts the bytes of memory for arrays, on the heap or, if fields are there, on devices. Updated when Kokkos or a
/// list allocates, before Kokkos frees, and on request. Only one may exist at a time. On the heap it is exact in a
/// process of one thread that maps no separate pages for arrays (M_MMAP_THRESHOLD).
class MemoryTally {
 public:
  MemoryTally();
  ~MemoryTally();
  MemoryTally(MemoryTally const&) = delete;
  MemoryTally& operator=(MemoryTally const&) = delete;

  /// Bytes allocated now minus those at the start.
  [[nodiscard]] double bytes() const;
  /// The maximum of these bytes so far.
  [[nodiscard]] double peak() const;
};

/// For operator new: also counts lists that are freed before Kokkos allocates the next time.
void see_list(std::size_t bytes);

}  // namespace halocline
