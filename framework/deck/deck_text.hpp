#pragma once

#include <string>

#include "framework/deck/mistakes.hpp"

namespace halocline::deck {

/// Bytes; people write decks, so a larger file is not one.
constexpr std::size_t largest_deck = 16 * 1024 * 1024;

/// The text of a file. Throws InputError if it cannot be read, is a folder, or is too large for a deck.
[[nodiscard]] std::string file_text(std::string const& path);

/// Adds a mistake, with its location, if the text is empty or is not UTF-8. Removes a byte order mark at its start.
void check_text(std::string const& name, std::string& text, Mistakes& mistakes);

}  // namespace halocline::deck
