#pragma once

#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "framework/deck/option.hpp"

namespace halocline::deck {

using Json = nlohmann::ordered_json;

/// The value as JSON; `null` if there is none.
inline Json json_of(OptionValue const& value) {
  return std::visit(
      [](auto const& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

}  // namespace halocline::deck
