#pragma once

#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::deck {

/// Changes the tree as the command line says: each text is "a.b=value" or "a.b[0].c=value" with a YAML value; later
/// ones win. Sections and entries one past the end of a list are made where they are missing.
void apply_overrides(std::vector<std::string> const& overrides, Node& root, Mistakes& mistakes);

}  // namespace halocline::deck
