#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace halocline::deck {

/// Lists and sections may stand in each other so deep, in a deck as in the path of a `--set`.
constexpr std::size_t deepest_nesting = 64;

/// A place in a YAML text, counted from 0.
struct YamlPlace {
  int line = 0;
  int column = 0;
  [[nodiscard]] friend bool operator==(YamlPlace const&, YamlPlace const&) = default;
};

/// What a YAML text says, piece by piece.
struct YamlEvent {
  enum class Kind : std::uint8_t { nothing, scalar, alias, list, section, end };

  Kind kind;
  bool quoted = false;       ///< a scalar in quotes, or said to be a text
  std::uint32_t anchor = 0;  ///< of an alias, and of what is anchored; 0: none
  YamlPlace at;
  std::string text;  ///< of a scalar
};

/// Why a text is not YAML, or which of YAML's liberties a deck does not have.
class RefusedYaml : public std::runtime_error {
 public:
  RefusedYaml(YamlPlace where, std::string const& why) : std::runtime_error(why), at(where) {}
  YamlPlace at;
};

/// The events of the one document of a text, none if it has none. Throws RefusedYaml if it is not YAML, has a second
/// document, is nested deeper than `deepest_nesting` or has more than 500,000 values.
[[nodiscard]] std::vector<YamlEvent> yaml_events(std::string const& text);

}  // namespace halocline::deck
