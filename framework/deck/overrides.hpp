#pragma once

#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline {

/// What the command line changes in a deck.
struct Override {
  std::string change;  ///< "a.b=value" or "a.b[0].c=value" with a YAML value
  std::string typed;   ///< what messages call it, printable: "--set a.b=value"
};
/// Those of some `--set`.
[[nodiscard]] std::vector<Override> overrides_by_set(std::vector<std::string> const& changes);

}  // namespace halocline

namespace halocline::deck {

/// Changes the tree as the command line says; later overrides win. Sections and entries one past the end of a list are
/// made where they are missing.
void apply_overrides(std::vector<Override> const& overrides, Node& root, Mistakes& mistakes);

}  // namespace halocline::deck
