#pragma once

#include <cstdint>

namespace halocline {

/// Every index, extent and count of mesh entities and of bytes: always 64 bits.
using Index = std::int64_t;

}  // namespace halocline
