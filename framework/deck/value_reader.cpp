#include "framework/deck/value_reader.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "framework/deck/number_text.hpp"
#include "framework/deck/words.hpp"

namespace halocline::deck {
namespace {

std::optional<bool> boolean_from(std::string const& text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

/// Reads scalars of one option and reports those that it cannot read.
class ScalarReader {
 public:
  ScalarReader(Option const& option, std::string full_name, Mistakes& mistakes)
      : option_(option), full_name_(std::move(full_name)), mistakes_(mistakes) {}

  std::optional<std::int64_t> integer(Node const& node) { return number<std::int64_t>(node, integer_from); }
  std::optional<double> real(Node const& node) { return number<double>(node, real_from); }

  std::optional<bool> boolean(Node const& node) {
    auto const value = plain(node) ? boolean_from(node.text) : std::nullopt;
    if (!value) refuse(node, "");
    return value;
  }

  std::optional<std::string> text(Node const& node) {
    if (node.kind == Node::Kind::scalar) return node.text;
    if (node.kind == Node::Kind::list && option_.takes_list()) return list(node);
    refuse(node, "");
    return std::nullopt;
  }

 private:
  /// Formats a list as text: "[0, 1]".
  std::optional<std::string> list(Node const& node) {
    std::vector<std::string> entries;
    for (Node const& item : node.items) {
      if (item.kind == Node::Kind::scalar) {
        entries.push_back(item.text);
      } else {
        refuse(item, "");
        return std::nullopt;
      }
    }
    return "[" + joined(entries) + "]";
  }

  static bool plain(Node const& node) { return node.kind == Node::Kind::scalar && !node.quoted; }

  template <class Number, class Read>
  std::optional<Number> number(Node const& node, Read read) {
    std::variant<Number, NotANumber> const value = plain(node) ? read(node.text) : NotANumber{};
    if (auto const* const good = std::get_if<Number>(&value)) return *good;
    refuse(node, std::get<NotANumber>(value).why);
    return std::nullopt;
  }

  void refuse(Node const& node, std::string const& why) {
    if (node.kind == Node::Kind::reported) return;
    std::string const what = "expected " + expected_entry(option_) + ", got " + described(node);
    mistakes_.add(node.location, full_name_, why.empty() ? what : what + ": " + why);
  }

  Option const& option_;
  std::string full_name_;
  Mistakes& mistakes_;
};

/// Applies `read_one` to every entry; a single scalar is a vector of length one.
template <class Entry>
OptionValue read_vector(Option const& option, Node const& node, std::string const& full_name, Mistakes& mistakes,
                        std::optional<Entry> (ScalarReader::*read_one)(Node const&)) {
  bool const is_list = node.kind == Node::Kind::list;
  if (node.kind == Node::Kind::section || node.kind == Node::Kind::nothing) {
    mistakes.add(node.location, full_name, "expected " + expected(option) + ", got " + described(node));
    return {};
  }
  std::span<Node const> const nodes = is_list ? std::span(node.items) : std::span(&node, 1);
  if (nodes.size() > static_cast<std::size_t>(option.maximum_entries())) {
    mistakes.add(node.location, full_name, "expected " + expected(option) + ", got " + std::to_string(nodes.size()));
    return {};
  }
  std::vector<Entry> values;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    ScalarReader reader(option, is_list ? full_name + "[" + std::to_string(n) + "]" : full_name, mistakes);
    if (auto value = (reader.*read_one)(nodes[n])) values.push_back(std::move(*value));
  }
  if (values.size() != nodes.size()) return {};
  return values;
}

template <class Entry>
OptionValue read_with(Option const& option, Node const& node, std::string const& full_name, Mistakes& mistakes,
                      std::optional<Entry> (ScalarReader::*read_one)(Node const&)) {
  if (option.is_vector()) return read_vector<Entry>(option, node, full_name, mistakes, read_one);
  ScalarReader reader(option, full_name, mistakes);
  auto value = (reader.*read_one)(node);
  return value ? OptionValue(std::move(*value)) : OptionValue();
}

}  // namespace

OptionValue read_value(Option const& option, Node const& node, std::string const& full_name, Mistakes& mistakes) {
  switch (option.kind()) {
    case OptionKind::integer:
      return read_with<std::int64_t>(option, node, full_name, mistakes, &ScalarReader::integer);
    case OptionKind::real:
      return read_with<double>(option, node, full_name, mistakes, &ScalarReader::real);
    case OptionKind::boolean:
      return read_with<bool>(option, node, full_name, mistakes, &ScalarReader::boolean);
    default:
      return read_with<std::string>(option, node, full_name, mistakes, &ScalarReader::text);
  }
}

}  // namespace halocline::deck
