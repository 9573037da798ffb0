#pragma once

#include <functional>
#include <span>
#include <string>

#include "framework/deck/location.hpp"

namespace halocline::heat {

/// A word of a tea.in, in lower case, with its location.
struct TeaWord {
  std::string text;
  Location location;
};

/// Whether a line of the text begins with `*tea`: then it is an input of the TeaLeaf benchmark, whatever its file name.
[[nodiscard]] bool is_tea(std::string const& text);

/// Calls `read` with the words of each line between `*tea` and `*endtea`; `name=value` counts as two words, and empty
/// lines are skipped. Without `*tea` there are no calls.
void for_each_tea_line(SourceName const& name, std::string const& text,
                       std::function<void(std::span<TeaWord const>)> const& read);

}  // namespace halocline::heat
