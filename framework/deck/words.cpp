#include "framework/deck/words.hpp"

#include <array>

#include "framework/runtime/shortest_text.hpp"

namespace halocline::deck {

std::string joined_name(std::string const& section, std::string_view name) {
  return section.empty() ? std::string(name) : section + "." + std::string(name);
}

std::string joined(std::vector<std::string> const& words, std::string const& between) {
  std::string all;
  for (std::string const& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

namespace {

/// Words for a value of an option, singular and plural.
struct Wanted {
  char const* one;
  char const* several;
};
Wanted wanted(OptionKind kind) {
  constexpr std::array<Wanted, 8> by_kind{
      {{"an integer", "integers"},
       {"a number", "numbers"},
       {"true or false", "values true or false"},
       {"a text", "texts"},
       {"a name, of which none is known", "names"},
       {"a path", "paths"},
       {"a number or an expression of x, y, z and t", "numbers or expressions of x, y, z and t"},
       {"a number, an expression of x, y, z and t or a file", "numbers, expressions of x, y, z and t or files"}}};
  return by_kind[static_cast<std::size_t>(kind)];
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
  std::vector<std::string> const names = option.names();
  if (option.kind() == OptionKind::choice && !names.empty()) return "one of " + joined(names);
  return option.takes_list() ? "a text or a list" : wanted(option.kind()).one;
}

std::string expected(Option const& option) {
  if (!option.is_vector()) return expected_entry(option);
  std::string const least = std::to_string(option.minimum_entries());
  std::string const most = std::to_string(option.maximum_entries());
  return (least == most ? least : least + " to " + most) + " " + wanted(option.kind()).several;
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
