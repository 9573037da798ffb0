#pragma once

#include <functional>
#include <span>
#include <string>

#include "framework/deck/location.hpp"

namespace halocline::heat {

/// A word of a tea.in, in lower case, and where it stands.
struct TeaWord {
  std::string text;
  Location location;
};

/// True if a line of the text begins with `*tea`: then it is an input of the TeaLeaf benchmark, whatever its name.
[[nodiscard]] bool is_tea(std::string const& text);

/// Calls `read` with the words of each line between `*tea` and `*endtea`, those of `name=value` as two; lines without
/// words are left out. No calls at all if nothing says `*tea`.
void for_each_tea_line(SourceName const& name, std::string const& text,
                       std::function<void(std::span<TeaWord const>)> const& read);

}  // namespace halocline::heat
