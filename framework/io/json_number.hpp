#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/runtime/shortest_text.hpp"

namespace halocline {

/// JSON has no NaN and no infinity, and its writer would make null of them: they are texts.
[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return shortest_text(value);
}
/// The way back.
[[nodiscard]] inline double number_of(nlohmann::ordered_json const& json) {
  return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}

}  // namespace halocline
