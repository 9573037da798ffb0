#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "framework/runtime/host_device.hpp"

namespace halocline {

/// A uniform number in [0, 1) that depends only on the seed and the bits of the position: XXH64 (Y. Collet, xxHash 0.8,
/// github.com/Cyan4973/xxHash) with that seed of the 24 bytes of x, y and z, little-endian, -0 taken as 0; its upper 53
/// bits times 2^-53. Bitwise equal on hosts and devices.
[[nodiscard]] HALOCLINE_HOST_DEVICE inline double random_number(std::uint64_t seed, double x, double y, double z) {
  // The five primes of XXH64, and its variant for inputs below 32 bytes that consist of 8-byte words.
  constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87U;
  constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4FU;
  constexpr std::uint64_t prime_3 = 0x165667B19E3779F9U;
  constexpr std::uint64_t prime_4 = 0x85EBCA77C2B2AE63U;
  constexpr std::uint64_t prime_5 = 0x27D4EB2F165667C5U;
  constexpr double positive_zero = 0;  // -0 + 0 is 0
  double const position[3] = {x + positive_zero, y + positive_zero, z + positive_zero};
  std::uint64_t hash = seed + prime_5 + sizeof(position);
  for (double const at : position) {
    std::uint64_t word = 0;
    std::memcpy(&word, &at, sizeof(word));
    word *= prime_2;
    word = (word << 31U | word >> 33U) * prime_1;
    hash ^= word;
    hash = (hash << 27U | hash >> 37U) * prime_1 + prime_4;
  }
  hash = (hash ^ hash >> 33U) * prime_2;
  hash = (hash ^ hash >> 29U) * prime_3;
  hash ^= hash >> 32U;
  return static_cast<double>(hash >> 11U) * 0x1p-53;
}

namespace deck {

/// An expression in which each `random(seed)` is replaced by a variable named `random_variable(seed)`.
struct RandomCalls {
  std::string text;
  std::vector<std::uint64_t> seeds;  ///< without duplicates, in the order of their first call
};

/// Throws InputError, with the reason, if a seed is not an integer from 0 to 2^64 - 1 written in digits.
[[nodiscard]] RandomCalls replace_random_calls(std::string const& expression);

/// The variable that replaces `random(seed)`; its name cannot occur in a deck.
[[nodiscard]] std::string random_variable(std::uint64_t seed);

/// Replaces the variables of these seeds in `text` by their calls again, for messages.
[[nodiscard]] std::string with_random_calls(std::string text, std::vector<std::uint64_t> const& seeds);

}  // namespace deck
}  // namespace halocline
