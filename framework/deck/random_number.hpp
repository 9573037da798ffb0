#pragma once

#include <cstdint>

namespace halocline {

/// A number from 0 to below 1, uniform, that depends on the seed and the bits of the position alone: XXH64 (Y. Collet,
/// xxHash 0.8, github.com/Cyan4973/xxHash) of the 24 bytes of x, y and z, little-endian, -0 taken as 0, with that seed;
/// its upper 53 bits times 2^-53.
[[nodiscard]] double random_number(std::uint64_t seed, double x, double y, double z);

}  // namespace halocline
