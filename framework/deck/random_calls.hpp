#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halocline::deck {

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

}  // namespace halocline::deck
