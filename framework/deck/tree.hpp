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

/// Finds entries of a section by name; copies start empty. Entries may be appended between two calls of find().
class EntryIndex {
 public:
  EntryIndex() = default;
  EntryIndex(EntryIndex const&) {}
  EntryIndex(EntryIndex&&) noexcept = default;
  EntryIndex& operator=(EntryIndex other) noexcept { return positions_.swap(other.positions_), *this; }

  /// Index of the first entry of this name; entries.size() if there is none.
  [[nodiscard]] std::size_t find(std::vector<Entry> const& entries, std::string_view name);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct Positions {
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> of_name;
    std::size_t entries = 0;  ///< number of entries indexed
  };
  std::unique_ptr<Positions> positions_;  ///< for large sections only
};

/// A parsed deck before validation: values with their locations.
struct Node {
  /// `reported` replaces a value whose mistake is already reported, so that no other is added.
  enum class Kind : std::uint8_t { nothing, scalar, list, section, reported };

  Kind kind = Kind::nothing;
  bool quoted = false;  ///< a quoted scalar: always a text
  Location location;
  std::string text;            ///< of a scalar
  std::vector<Node> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a section, in the given order; may have duplicate names

  [[nodiscard]] Entry* find(std::string_view name);
  [[nodiscard]] Entry const* find(std::string_view name) const;
  /// Adds an entry to the section, or replaces the value of its present entry of that name.
  Node& set(std::string name, Location const& at, Node value);
  /// Removes all entries of that name; returns whether there was one.
  bool remove(std::string_view name);
  /// The inner section `name`, created if it is missing.
  Node& section(std::string const& name, Location const& at);

 private:
  mutable EntryIndex index_;
};

struct Entry {
  std::string name;
  Location location;
  Node value;
};

/// Describes a value for messages: "'ten'", "the text \"ten\"", "a list", "a section", "nothing".
[[nodiscard]] std::string described(Node const& node);

/// Untrusted text for a message: control characters escaped, cut at 60 bytes or just before a multi-byte character.
[[nodiscard]] std::string printable(std::string_view text);
/// The whole text with control characters, which terminals may interpret, escaped.
[[nodiscard]] std::string in_one_line(std::string_view text);

[[nodiscard]] Node scalar(std::string text, Location const& at);
[[nodiscard]] Node reported(Location const& at);
[[nodiscard]] Node list(std::vector<Node> items, Location const& at);

}  // namespace halocline::deck
