#pragma once

#include <string>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::deck {

/// Reads one YAML document and resolves anchors and merge keys (`<<`), in time and memory linear in the text: nesting,
/// number of values and repetition by aliases are limited, and messages name an exceeded limit. Invalid YAML gives one
/// mistake, with its location, and an empty node; a name without a colon is one mistake among others.
[[nodiscard]] Node read_yaml(std::string const& name, std::string const& text, Mistakes& mistakes);

/// Reads a value given on the command line: YAML, with all locations equal to `at`. A text with a colon, like
/// `x < 1 ? 2 : 3`, is a text, not a section: that needs braces.
[[nodiscard]] Node read_yaml_value(std::string const& text, Location const& at, Mistakes& mistakes);

}  // namespace halocline::deck
