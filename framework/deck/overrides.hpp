#pragma once

#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline {

/// A change of a deck by the command line.
struct Override {
  std::string change;  ///< "a.b=value" or "a.b[0].c=value" with a YAML value; "a.b=" removes the entry
  std::string typed;   ///< its name in messages, printable: "--set a.b=value"
};
/// Converts the arguments of `--set`.
[[nodiscard]] std::vector<Override> overrides_by_set(std::vector<std::string> const& changes);

}  // namespace halocline

namespace halocline::deck {

/// Applies the overrides to the tree; later overrides win. Missing sections, and an entry one past the end of a list,
/// are created, but an entry that is removed must exist.
void apply_overrides(std::vector<Override> const& overrides, Node& root, Mistakes& mistakes);

}  // namespace halocline::deck
