#include "drivers/halocline/underflow.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "drivers/halocline/declaration.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

using Json = nlohmann::json;

/// A number, also if given as an expression.
std::optional<double> number_of(Json const& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  auto const& text = value.get_ref<std::string const&>();
  double number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_whole = end == text.data() + text.size();
  return error == std::errc() && is_whole ? std::optional(number) : std::nullopt;
}

/// "/regions/0/density" in the notation of deck paths.
std::string path_of(std::string const& physics, std::string const& pointer) {
  std::string path = physics;
  for (std::size_t at = 1; at < pointer.size();) {
    std::size_t const end = std::min(pointer.find('/', at), pointer.size());
    std::string const name = pointer.substr(at, end - at);
    bool const is_index = name.find_first_not_of("0123456789") == std::string::npos;
    path += is_index ? "[" + name + "]" : "." + name;
    at = end + 1;
  }
  return path;
}

}  // namespace

void warn_of_underflow(Options const& deck, std::string const& physics) {
  if (precision_of(deck) != Precision::single || !logs(LogLevel::warning)) return;
  constexpr double least = std::numeric_limits<float>::min();
  Json const options = Json::parse(deck.section(physics).json()).flatten();
  for (auto const& [pointer, value] : options.items()) {
    std::optional<double> const number = number_of(value);
    bool const is_lost = number && *number != 0 && std::abs(*number) < least;
    if (!is_lost) continue;
    log_warning("`" + path_of(physics, pointer) + "`: " + shortest_text(*number) +
                " is below the smallest number of single precision, " + shortest_text(least) +
                ": it becomes 0 or loses digits; scale the problem, or use `precision: double`");
  }
}

}  // namespace halocline
