#include "framework/runtime/shortest_text.hpp"

#include <fmt/core.h>

#include <cmath>

namespace halocline {

std::string shortest_text(double value) {
  // The sign of a NaN has no meaning.
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

}  // namespace halocline
