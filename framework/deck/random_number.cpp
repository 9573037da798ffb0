#include "framework/deck/random_number.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "framework/deck/tree.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::deck {
namespace {

constexpr std::string_view random_name = "random";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_a_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

std::size_t after_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\n\r", at), text.size());
}

/// Position of the parenthesis that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  throw InputError("a parenthesis is not closed");
}

std::uint64_t seed_of(std::string_view argument) {
  std::uint64_t seed = 0;
  std::size_t const begin = after_blanks(argument, 0);
  auto const [end, error] = std::from_chars(argument.data() + begin, argument.data() + argument.size(), seed);
  auto const read = static_cast<std::size_t>(end - argument.data());
  if (error == std::errc() && after_blanks(argument, read) == argument.size()) return seed;
  throw InputError("the seed of `random(" + printable(std::string(argument)) + ")` is not an integer from 0 to " +
                   std::to_string(std::numeric_limits<std::uint64_t>::max()) + ", written in digits");
}

}  // namespace

RandomCalls replace_random_calls(std::string const& expression) {
  RandomCalls calls;
  std::string_view const text = expression;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_of_a_name(text[end]) && !is_digit(text[at])) ++end;
    if (text.substr(at, end - at) == random_name) {
      std::size_t const open = after_blanks(text, end);
      if (open == text.size() || text[open] != '(') throw InputError("`random` needs a seed: random(1)");
      std::size_t const close = closing(text, open);
      std::uint64_t const seed = seed_of(text.substr(open + 1, close - open - 1));
      if (std::find(calls.seeds.begin(), calls.seeds.end(), seed) == calls.seeds.end()) calls.seeds.push_back(seed);
      calls.text += random_variable(seed);
      at = close + 1;
    } else {
      end = std::max(end, at + 1);
      calls.text += text.substr(at, end - at);
      at = end;
    }
  }
  return calls;
}

std::string random_variable(std::uint64_t seed) { return "random\x01" + std::to_string(seed) + "\x01"; }

std::string with_random_calls(std::string text, std::vector<std::uint64_t> const& seeds) {
  for (std::uint64_t const seed : seeds) {
    std::string const variable = random_variable(seed);
    for (std::size_t at = text.find(variable); at != std::string::npos; at = text.find(variable, at)) {
      text.replace(at, variable.size(), "random(" + std::to_string(seed) + ")");
    }
  }
  return text;
}

}  // namespace halocline::deck
