#pragma once

#include <string>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::deck {

/// Reads one YAML document, anchors and merge keys (`<<`) resolved, in time and memory linear in the text: how deep it
/// is nested, how many values it has and how much aliases repeat is bounded, and said where it is too much. What is not
/// YAML is one mistake, at its place, and an empty node; a name without a colon is a mistake beside others.
[[nodiscard]] Node read_yaml(std::string const& name, std::string const& text, Mistakes& mistakes);

/// Reads a value given on the command line: YAML, all of it located at `at`.
[[nodiscard]] Node read_yaml_value(std::string const& text, Location const& at, Mistakes& mistakes);

}  // namespace halocline::deck
