#include "framework/deck/number_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace halocline::deck {
namespace {

std::string_view without_plus(std::string_view text) {
  bool const plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return plus ? text.substr(1) : text;
}

/// Whether the text is nan, inf or infinity, in the notation of YAML or C.
bool names_no_finite_number(std::string_view text) {
  std::string word;
  for (char const c : text) {
    if (c != '+' && c != '-' && c != '.') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word == "nan" || word == "inf" || word == "infinity";
}

}  // namespace

std::variant<std::int64_t, NotANumber> integer_from(std::string_view text) {
  std::string_view const digits = without_plus(text);
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return NotANumber{};
  if (error == std::errc::result_out_of_range) return NotANumber{"it does not fit in 64 bits"};
  return value;
}

std::variant<double, NotANumber> real_from(std::string_view text) {
  std::string_view const digits = without_plus(text);
  if (names_no_finite_number(digits)) return NotANumber{"it is not finite"};
  double value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return NotANumber{};
  if (error == std::errc::result_out_of_range) return NotANumber{"it does not fit in a 64-bit real"};
  return value;
}

}  // namespace halocline::deck
