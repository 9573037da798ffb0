#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace halocline::deck {

/// Why a text is not the number it should be, if there is more to say than that.
struct NotANumber {
  std::string why;  ///< "it does not fit in 64 bits"; empty if it just is no number
};

/// Decimal integers of 64 bits.
[[nodiscard]] std::variant<std::int64_t, NotANumber> integer_from(std::string_view text);

/// Finite decimal reals of 64 bits; an integer is one too.
[[nodiscard]] std::variant<double, NotANumber> real_from(std::string_view text);

}  // namespace halocline::deck
