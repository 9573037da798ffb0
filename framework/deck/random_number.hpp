#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halocline {

/// A number from 0 to below 1, uniform, that depends on the seed and the bits of the position alone: XXH64 (Y. Collet,
/// xxHash 0.8, github.com/Cyan4973/xxHash) of the 24 bytes of x, y and z, little-endian, -0 taken as 0, with that seed;
/// its upper 53 bits times 2^-53.
[[nodiscard]] double random_number(std::uint64_t seed, double x, double y, double z);

namespace deck {

/// An expression in which each `random(seed)` has become a variable, named by `random_variable`.
struct RandomCalls {
  std::string text;
  std::vector<std::uint64_t> seeds;  ///< in the order of their first call, each once
};

/// Throws InputError, saying why, for a seed that is no integer from 0 to 2^64 - 1 written in digits.
[[nodiscard]] RandomCalls replace_random_calls(std::string const& expression);

/// The variable that stands for `random(seed)`; no deck can name it.
[[nodiscard]] std::string random_variable(std::uint64_t seed);

/// `text` with the variables of these seeds as the calls that they stand for: for messages.
[[nodiscard]] std::string with_random_calls(std::string text, std::vector<std::uint64_t> const& seeds);

}  // namespace deck
}  // namespace halocline
