#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace halocline {

/// How a file stores a number.
struct NumberFormat {
  enum class Kind { real, integer, unsigned_integer };
  Kind kind = Kind::real;
  std::size_t bytes = 8;  ///< 4 and 8 of reals; 1, 2, 4 and 8 of integers
  bool big_endian = false;
  friend bool operator==(NumberFormat const&, NumberFormat const&) = default;
};

/// Of "float32", "float64", "int8" … "uint64"; nothing for any other name.
[[nodiscard]] std::optional<NumberFormat> number_format(std::string const& name, bool big_endian);
/// "float32, big-endian"
[[nodiscard]] std::string to_string(NumberFormat const& format);

/// `count` numbers, one every `distance` bytes from `from` on, as doubles. Integers of 64 bits are rounded.
void decode(NumberFormat const& format, std::byte const* from, std::size_t distance, std::size_t count, double* to);

}  // namespace halocline
