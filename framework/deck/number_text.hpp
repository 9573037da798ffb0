#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace halocline::deck {

/// Why a text is not a number of the expected kind.
struct NotANumber {
  std::string why;  ///< "it does not fit in 64 bits"; empty if it is not a number at all
};

/// Reads a decimal 64-bit integer.
[[nodiscard]] std::variant<std::int64_t, NotANumber> integer_from(std::string_view text);

/// Reads a finite decimal 64-bit real number; integers are accepted.
[[nodiscard]] std::variant<double, NotANumber> real_from(std::string_view text);

}  // namespace halocline::deck
