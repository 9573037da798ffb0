#include "framework/deck/random_number.hpp"

#include <xxhash.h>

#include <array>
#include <bit>

namespace halocline {

double random_number(std::uint64_t seed, double x, double y, double z) {
  static_assert(std::endian::native == std::endian::little);
  constexpr double positive_zero = 0;  // -0 + 0 is 0
  std::array<double, 3> const position{x + positive_zero, y + positive_zero, z + positive_zero};
  return static_cast<double>(XXH64(position.data(), sizeof(position), seed) >> 11U) * 0x1p-53;
}

}  // namespace halocline
