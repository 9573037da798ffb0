#include "framework/io/number_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace halocline {
namespace {

using Kind = NumberFormat::Kind;

constexpr std::array<std::pair<char const*, Kind>, 3> prefixes{
    {{"float", Kind::real}, {"int", Kind::integer}, {"uint", Kind::unsigned_integer}}};

template <class Number>
void decode_as(bool swapped, std::byte const* from, std::size_t distance, std::size_t count, double* to) {
  for (std::size_t n = 0; n < count; ++n) {
    std::array<std::byte, sizeof(Number)> bytes;
    std::memcpy(bytes.data(), from + n * distance, sizeof(Number));
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    to[n] = static_cast<double>(std::bit_cast<Number>(bytes));
  }
}

}  // namespace

std::optional<NumberFormat> number_format(std::string const& name, bool big_endian) {
  for (auto const& [prefix, kind] : prefixes) {
    for (std::size_t const bytes : {1U, 2U, 4U, 8U}) {
      bool const exists = kind != Kind::real || bytes >= sizeof(float);
      if (exists && name == prefix + std::to_string(8 * bytes)) return NumberFormat{kind, bytes, big_endian};
    }
  }
  return std::nullopt;
}

std::string to_string(NumberFormat const& format) {
  std::string const name = prefixes[static_cast<std::size_t>(format.kind)].first + std::to_string(8 * format.bytes);
  return format.big_endian ? name + ", big-endian" : name;
}

void decode(NumberFormat const& format, std::byte const* from, std::size_t distance, std::size_t count, double* to) {
  bool const swapped = format.big_endian != (std::endian::native == std::endian::big);
  auto const as = [&](auto example) { decode_as<decltype(example)>(swapped, from, distance, count, to); };
  bool const has_sign = format.kind == Kind::integer;
  if (format.kind == Kind::real) return format.bytes == sizeof(float) ? as(float{}) : as(double{});
  switch (format.bytes) {
    case 1:
      return has_sign ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return has_sign ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return has_sign ? as(std::int32_t{}) : as(std::uint32_t{});
    default:
      return has_sign ? as(std::int64_t{}) : as(std::uint64_t{});
  }
}

}  // namespace halocline
