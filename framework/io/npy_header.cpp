#include "framework/io/npy_header.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include "framework/deck/tree.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

constexpr std::size_t longest = 1U << 20U;

/// The text after the name of an entry in the header's dictionary; empty if there is no such entry.
std::string_view value_of(std::string_view text, std::string_view name) {
  std::size_t const at = text.find("'" + std::string(name) + "':");
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + name.size() + 3);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

/// "<f8" from "'<f8', …". Empty for records, which are lists.
std::string quoted(std::string_view value) {
  if (!value.starts_with("'")) return "";
  std::size_t const end = value.find('\'', 1);
  return end == std::string_view::npos ? "" : std::string(value.substr(1, end - 1));
}

std::string name_of(std::string const& type) {
  if (type.size() < 2) return "records or unknown numbers";
  switch (type[1]) {
    case 'b':
      return "booleans";
    case 'c':
      return "complex numbers";
    case 'S':
    case 'U':
      return "text";
    case 'O':
      return "Python objects";
    case 'M':
    case 'm':
      return "dates or times";
    default:
      return "numbers of type '" + deck::printable(type) + "'";
  }
}

NumberFormat numbers_of(std::string const& type) {
  std::string const kinds = "fiu";
  std::size_t const kind = type.size() == 3 ? kinds.find(type[1]) : std::string::npos;
  if (kind != std::string::npos && std::string("<>|=").find(type[0]) != std::string::npos && type[2] >= '1' &&
      type[2] <= '8') {
    std::string const name = std::string(kind == 0   ? "float"
                                         : kind == 1 ? "int"
                                                     : "uint") +
                             std::to_string(8 * (type[2] - '0'));
    if (auto const format = number_format(name, type[0] == '>')) return *format;
  }
  throw InputError("holds " + name_of(type) + ", not float32, float64 or integers");
}

/// Parses "(3, 4)", "(3,)" and "()".
std::optional<std::vector<Index>> shape_of(std::string_view text) {
  if (!text.starts_with("(")) return std::nullopt;
  std::vector<Index> shape;
  text.remove_prefix(1);
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.starts_with(")")) return shape;
    Index extent = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(",")) {
      text.remove_prefix(1);
    } else if (!text.starts_with(")")) {
      return std::nullopt;
    }
  }
}

}  // namespace

NpyHeader read_npy_header(std::function<std::string(std::size_t bytes)> const& next) {
  std::string const start = next(8);
  if (start.size() < 8 || start.compare(0, 6, "\x93NUMPY") != 0) throw InputError("is not an .npy file");
  std::string const size = next(start[6] == 1 ? 2 : 4);
  std::size_t length = 0;
  for (std::size_t n = 0; n < size.size(); ++n) {
    length += static_cast<std::size_t>(static_cast<unsigned char>(size[n])) << (8 * n);
  }
  if (start[6] < 1 || start[6] > 3 || length > longest) throw InputError("is not an .npy file of version 1, 2 or 3");
  std::string const text = next(length);
  if (size.size() < 2 || text.size() < length) throw InputError("ends within its header");
  NpyHeader header;
  header.numbers = numbers_of(quoted(value_of(text, "descr")));
  header.fortran_order = value_of(text, "fortran_order").starts_with("True");
  auto shape = shape_of(value_of(text, "shape"));
  if (!shape) throw InputError("has a header without a shape");
  header.shape = std::move(*shape);
  header.begin = static_cast<Index>(start.size() + size.size() + text.size());
  return header;
}

}  // namespace halocline
