#include "framework/deck/words.hpp"

#include "framework/deck/number_text.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline::deck {

std::string joined(std::vector<std::string> const& words, std::string const& between) {
  std::string all;
  for (std::string const& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

namespace {

std::string plural(OptionKind kind) {
  switch (kind) {
    case OptionKind::integer:
      return "integers";
    case OptionKind::real:
      return "numbers";
    case OptionKind::boolean:
      return "values true or false";
    case OptionKind::choice:
      return "names";
    case OptionKind::path:
      return "paths";
    case OptionKind::expression:
      return "numbers or expressions of x, y, z and t";
    case OptionKind::field:
      return "numbers, expressions of x, y, z and t or files";
    case OptionKind::text:
      return "texts";
  }
  return "";
}

std::string written_entry(bool value) { return value ? "true" : "false"; }
std::string written_entry(std::int64_t value) { return std::to_string(value); }
std::string written_entry(double value) { return shortest_text(value); }
std::string written_entry(std::string const& value) { return value.empty() ? "\"\"" : value; }
std::string written_entry(std::monostate) { return ""; }

template <class Value>
std::string written_entry(std::vector<Value> const& values) {
  std::vector<std::string> entries;
  for (auto const& entry : values) entries.push_back(written_entry(entry));
  return "[" + joined(entries) + "]";
}

}  // namespace

std::string expected_entry(Option const& option) {
  switch (option.kind()) {
    case OptionKind::integer:
      return "an integer";
    case OptionKind::real:
      return "a number";
    case OptionKind::boolean:
      return "true or false";
    case OptionKind::choice:
      return option.names().empty() ? "a name, of which none is known" : "one of " + joined(option.names());
    case OptionKind::path:
      return "a path";
    case OptionKind::expression:
      return "a number or an expression of x, y, z and t";
    case OptionKind::field:
      return "a number, an expression of x, y, z and t or a file";
    case OptionKind::text:
      return option.takes_list() ? "a text or a list" : "a text";
  }
  return "";
}

std::string expected(Option const& option) {
  if (!option.is_vector()) return expected_entry(option);
  std::string const least = std::to_string(option.minimum_entries());
  std::string const most = std::to_string(option.maximum_entries());
  return (least == most ? least : least + " to " + most) + " " + plural(option.kind());
}

std::string allowed_range(Option const& option) {
  std::string range;
  if (option.lower())
    range = (option.lower()->inclusive ? "at least " : "above ") + shortest_text(option.lower()->value);
  if (option.upper()) {
    if (!range.empty()) range += " and ";
    range += (option.upper()->inclusive ? "at most " : "below ") + shortest_text(option.upper()->value);
  }
  return range.empty() || option.unit().empty() ? range : range + " " + option.unit();
}

std::string described(Option const& option) {
  std::string text = expected(option);
  std::string const range = allowed_range(option);
  if (!range.empty()) text += ", " + range;
  if (range.empty() && !option.unit().empty()) text += ", in " + option.unit();
  if (option.is_required()) return text + "; required";
  std::string const value = written(option.default_value());
  return text + (value.empty() ? "; optional" : "; default " + value);
}

std::string written(OptionValue const& value) {
  return std::visit([](auto const& held) { return written_entry(held); }, value);
}

}  // namespace halocline::deck
