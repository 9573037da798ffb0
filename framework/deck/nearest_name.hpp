#pragma once

#include <span>
#include <string>
#include <string_view>

namespace halocline {

/// The candidate that `word` most likely means: fewest edits (a character left out, added, changed, or two neighbours
/// swapped), letter case ignored; empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view word, std::span<std::string const> candidates);

/// "did you mean `iterations`?"; if no candidate is near, "known: a, b, c".
[[nodiscard]] std::string advice_for(std::string_view word, std::span<std::string const> candidates);

}  // namespace halocline
