#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace halocline::deck {

/// Nesting limit of lists and sections, in a deck and in the path of a `--set`.
constexpr std::size_t deepest_nesting = 64;

/// A position in a YAML text, counted from 0.
struct YamlPlace {
  int line = 0;
  int column = 0;
  [[nodiscard]] friend bool operator==(YamlPlace const&, YamlPlace const&) = default;
};

/// One event of a YAML text.
struct YamlEvent {
  enum class Kind : std::uint8_t { nothing, scalar, alias, list, section, end };

  Kind kind;
  bool quoted = false;       ///< a quoted scalar, or one tagged as text
  std::uint32_t anchor = 0;  ///< of an alias or an anchored value; 0: none
  YamlPlace at;
  std::string text;  ///< of a scalar
};

/// Why a text is not YAML, or uses a feature of YAML that decks do not support.
class RefusedYaml : public std::runtime_error {
 public:
  RefusedYaml(YamlPlace where, std::string const& why) : std::runtime_error(why), at(where) {}
  YamlPlace at;
};

/// The events of the single document of a text, none if it has none. Throws RefusedYaml if the text is not YAML, has a
/// second document, is nested deeper than `deepest_nesting` or has more than 500,000 values.
[[nodiscard]] std::vector<YamlEvent> yaml_events(std::string const& text);

}  // namespace halocline::deck
