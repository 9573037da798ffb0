#pragma once

#include <span>
#include <string>
#include <string_view>

namespace halocline {

/// The candidate with the fewest edits to `word` (insert, delete or change a character, or swap two neighbours),
/// ignoring case; empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view word, std::span<std::string const> candidates);

/// "did you mean `iterations`?"; if no candidate is near, "known: a, b, c".
[[nodiscard]] std::string advice_for(std::string_view word, std::span<std::string const> candidates);

}  // namespace halocline
