#pragma once

#include <string>
#include <vector>

#include "framework/deck/location.hpp"

namespace halocline::deck {

/// A word of a tea.in, in lower case, and where it stands.
struct TeaWord {
  std::string text;
  Location location;
};

/// True if a line of the text begins with `*tea`: then it is an input of the TeaLeaf benchmark, whatever its name.
[[nodiscard]] bool is_tea(std::string const& text);

/// The words of each line between `*tea` and `*endtea`, those of `name=value` as two; lines without words left out.
/// No lines at all if nothing says `*tea`.
[[nodiscard]] std::vector<std::vector<TeaWord>> tea_lines(std::string const& name, std::string const& text);

}  // namespace halocline::deck
