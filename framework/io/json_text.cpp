#include "framework/io/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace halocline {
namespace {

/// Brackets that are open at the same time, outside of texts.
std::size_t nesting_of(std::string_view text) {
  std::size_t open = 0;
  std::size_t most = 0;
  bool quoted = false;
  for (std::size_t n = 0; n < text.size(); ++n) {
    char const letter = text[n];
    if (quoted && letter == '\\') {
      ++n;
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (!quoted && (letter == '[' || letter == '{')) {
      most = std::max(most, ++open);
    } else if (!quoted && (letter == ']' || letter == '}') && open > 0) {
      --open;
    }
  }
  return most;
}

}  // namespace

nlohmann::ordered_json json_of(std::string_view text) {
  constexpr std::size_t deepest = 100;
  if (nesting_of(text) > deepest) return nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

}  // namespace halocline
