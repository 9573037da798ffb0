#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace halocline
