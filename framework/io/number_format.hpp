#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace halocline {

/// Storage format of numbers in a file.
struct NumberFormat {
  enum class Kind { real, integer, unsigned_integer };
  Kind kind = Kind::real;
  std::size_t bytes = 8;  ///< 4 or 8 for reals; 1, 2, 4 or 8 for integers
  bool big_endian = false;
  friend bool operator==(NumberFormat const&, NumberFormat const&) = default;
};

/// The format named "float32", "float64", "int8" … "uint64"; nothing for any other name.
[[nodiscard]] std::optional<NumberFormat> number_format(std::string const& name, bool big_endian);
/// "float32, big-endian"
[[nodiscard]] std::string to_string(NumberFormat const& format);

/// Converts `count` numbers, `distance` bytes apart from `from` on, to doubles. 64-bit integers are rounded.
void decode(NumberFormat const& format, std::byte const* from, std::size_t distance, std::size_t count, double* to);

}  // namespace halocline
