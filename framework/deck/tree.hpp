#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/deck/location.hpp"

namespace halocline::deck {

struct Entry;

/// A deck as read, before it is judged: values that know where they stand.
struct Node {
  /// `reported` stands where a value was so wrong that its mistake is known already: nothing more is said about it.
  enum class Kind { nothing, scalar, list, section, reported };

  Kind kind = Kind::nothing;
  Location location;
  std::string text;            ///< of a scalar
  bool quoted = false;         ///< a scalar in quotes: a text, whatever it looks like
  std::vector<Node> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a section, in the order given; names may be there twice

  [[nodiscard]] Entry* find(std::string_view name);
  [[nodiscard]] Entry const* find(std::string_view name) const;
  /// Gives the section an entry, or its present entry of that name another value.
  Node& set(std::string name, Location const& at, Node value);
  /// The section `name` in this section, made if there is none.
  Node& section(std::string const& name, Location const& at);
};

struct Entry {
  std::string name;
  Location location;
  Node value;
};

/// How messages call a value: "'ten'", "the text \"ten\"", "a list", "a section", "nothing".
[[nodiscard]] std::string described(Node const& node);

/// Text from outside for a message: control characters replaced, cut at 60 characters.
[[nodiscard]] std::string printable(std::string_view text);

[[nodiscard]] Node scalar(std::string text, Location const& at);
[[nodiscard]] Node reported(Location const& at);
[[nodiscard]] Node list(std::vector<Node> items, Location const& at);

}  // namespace halocline::deck
