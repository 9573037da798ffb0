#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/deck/location.hpp"

namespace halocline::deck {

struct Entry;

/// Finds the entries of a section by name; copies begin empty. Entries may be added at the end between two questions.
class EntryIndex {
 public:
  EntryIndex() = default;
  EntryIndex(EntryIndex const&) {}
  EntryIndex(EntryIndex&&) noexcept = default;
  EntryIndex& operator=(EntryIndex other) noexcept { return positions_.swap(other.positions_), *this; }

  /// Position of the first entry of this name, that of the end if there is none.
  [[nodiscard]] std::size_t find(std::vector<Entry> const& entries, std::string_view name);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct Positions {
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> of_name;
    std::size_t entries = 0;  ///< that are in it
  };
  std::unique_ptr<Positions> positions_;  ///< of large sections alone
};

/// A deck as read, before it is judged: values that know where they stand.
struct Node {
  /// `reported` stands where a value was so wrong that its mistake is known already: nothing more is said about it.
  enum class Kind : std::uint8_t { nothing, scalar, list, section, reported };

  Kind kind = Kind::nothing;
  bool quoted = false;  ///< a scalar in quotes: a text, whatever it looks like
  Location location;
  std::string text;            ///< of a scalar
  std::vector<Node> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a section, in the order given; names may be there twice

  [[nodiscard]] Entry* find(std::string_view name);
  [[nodiscard]] Entry const* find(std::string_view name) const;
  /// Gives the section an entry, or its present entry of that name another value.
  Node& set(std::string name, Location const& at, Node value);
  /// The section `name` in this section, made if there is none.
  Node& section(std::string const& name, Location const& at);

 private:
  mutable EntryIndex index_;
};

struct Entry {
  std::string name;
  Location location;
  Node value;
};

/// How messages call a value: "'ten'", "the text \"ten\"", "a list", "a section", "nothing".
[[nodiscard]] std::string described(Node const& node);

/// Text from outside for a message: control characters replaced, cut at 60 bytes, or just before a character of
/// several.
[[nodiscard]] std::string printable(std::string_view text);
/// All of it, without what terminals take for a command.
[[nodiscard]] std::string in_one_line(std::string_view text);

[[nodiscard]] Node scalar(std::string text, Location const& at);
[[nodiscard]] Node reported(Location const& at);
[[nodiscard]] Node list(std::vector<Node> items, Location const& at);

}  // namespace halocline::deck
