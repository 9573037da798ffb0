#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "framework/runtime/index.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

/// NaN and infinity become texts: JSON does not have them, and its writer would write null.
[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return shortest_text(value);
}
/// The reverse conversion.
[[nodiscard]] inline double number_of(nlohmann::ordered_json const& json) {
  return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}
/// A number of things: an integer from 0 up to 2^53, below which sums of such numbers cannot overflow. Throws
/// std::runtime_error for anything else.
[[nodiscard]] inline Index count_of(nlohmann::ordered_json const& json) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53U;
  if (json.is_number_integer() && json >= 0 && json <= most) return json.get<Index>();
  throw std::runtime_error("a count is not an integer from 0 to 2^53: " + json.dump().substr(0, 40));
}
/// A finite number. Throws std::runtime_error for anything else.
[[nodiscard]] inline double finite_number_of(nlohmann::ordered_json const& json) {
  if (json.is_number() && std::isfinite(json.get<double>())) return json.get<double>();
  throw std::runtime_error("a number is not finite: " + json.dump().substr(0, 40));
}

}  // namespace halocline
