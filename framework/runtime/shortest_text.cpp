#include "framework/runtime/shortest_text.hpp"

#include <fmt/core.h>

namespace halocline {

std::string shortest_text(double value) { return fmt::format("{}", value); }

}  // namespace halocline
