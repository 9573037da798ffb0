#include "framework/io/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "framework/deck/tree.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

constexpr std::size_t longest = 1U << 20U;

[[noreturn]] void refuse_header(std::string const& why) { throw InputError("has a malformed header: " + why); }

/// Reads the header's text, a literal of Python: a dictionary of texts, truth values, tuples of integers and, for
/// records, lists.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  /// Takes `sign` if it comes next, after spaces.
  bool takes(char sign) {
    skip_spaces();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void require(char sign) {
    if (!takes(sign)) refuse_header(std::string("`") + sign + "` is missing" + before());
  }

  /// "<f8" from "'<f8', …".
  std::string quoted() {
    char const mark = takes('"') ? '"' : '\'';
    if (mark == '\'') require('\'');
    std::size_t const end = text_.find(mark);
    if (end == std::string_view::npos) refuse_header("a text does not end");
    std::string const text(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return text;
  }

  bool truth() {
    skip_spaces();
    for (auto const& [word, value] :
         {std::pair(std::string_view("True"), true), std::pair(std::string_view("False"), false)}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    refuse_header("`fortran_order` is neither True nor False");
  }

  /// Parses "(3, 4)", "(3,)" and "()".
  std::vector<Index> tuple() {
    require('(');
    std::vector<Index> numbers;
    bool has_comma = true;
    while (!takes(')')) {
      if (!has_comma) refuse_header("`,` is missing" + before());
      Index number = 0;
      auto const [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (error != std::errc() || number < 0) refuse_header("its shape is not a list of numbers from 0 up");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      // Python 2 wrote some as 3L.
      if (text_.starts_with('L')) text_.remove_prefix(1);
      numbers.push_back(number);
      has_comma = takes(',');
    }
    if (numbers.size() == 1 && !has_comma) refuse_header("its shape is a number, not a tuple");
    return numbers;
  }

  /// Whether a list comes next, which is the type of records.
  bool has_list() { return takes('['); }

  void require_end() {
    if (text_.find_first_not_of(" \n") != std::string_view::npos) refuse_header("more follows" + before());
  }

 private:
  void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  [[nodiscard]] std::string before() const {
    return text_.empty() ? " at its end" : " before `" + deck::printable(text_) + "`";
  }

  std::string_view text_;
};

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

/// The entries that NumPy's format demands, each once, and no other.
NpyHeader header_of(HeaderText text) {
  std::optional<std::string> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<Index>> shape;
  text.require('{');
  while (!text.takes('}')) {
    std::string const name = text.quoted();
    text.require(':');
    if (name == "descr" && !type) {
      if (text.has_list()) throw InputError("holds records or unknown numbers, not float32, float64 or integers");
      type = text.quoted();
    } else if (name == "fortran_order" && !fortran_order) {
      fortran_order = text.truth();
    } else if (name == "shape" && !shape) {
      shape = text.tuple();
    } else {
      refuse_header("`" + deck::printable(name) + "` is unknown, or given twice");
    }
    if (text.takes(',')) continue;
    text.require('}');
    break;
  }
  text.require_end();
  if (!type || !fortran_order || !shape) refuse_header("it lacks `descr`, `fortran_order` or `shape`");
  return {.numbers = numbers_of(*type), .shape = *shape, .fortran_order = *fortran_order};
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
  NpyHeader header = header_of(HeaderText(text));
  header.begin = static_cast<Index>(start.size() + size.size() + text.size());
  return header;
}

}  // namespace halocline
