#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace halocline {

/// Reads JSON that anybody may have written. All that comes from files is read here: deeper nesting than 100 would
/// overflow the stack of functions that follow it. Returns a discarded value for a text that is not JSON, or too deep.
[[nodiscard]] nlohmann::ordered_json json_of(std::string_view text);

}  // namespace halocline
