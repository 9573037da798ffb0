#pragma once

#include <cstdint>

#include "framework/halo/transport.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// Position of a box of entries in memory: `buffer` selects the memory, everything else counts entries.
struct BoxPlace {
  int buffer = 0;
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

/// Memory of a buffer and, for a message that kernels signal to each other, the flags of its parts.
struct BoxBuffer {
  std::uintptr_t memory = 0;
  PartFlags flags;
};

/// A buffer whose memory is a message of `bytes` bytes.
struct MessageBuffer {
  int buffer = 0;
  Index bytes = 0;
};

}  // namespace halocline
