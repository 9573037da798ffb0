#pragma once

#include <string>
#include <string_view>

namespace halocline {

/// Text from anybody for a message: each control character, which a terminal would interpret, becomes its escape
/// sequence, such as \x1b or \n. Other characters, also those that are not UTF-8, stay.
[[nodiscard]] std::string shown(std::string_view text);

/// The same for a whole message, whose line ends and tabs stay.
[[nodiscard]] std::string shown_lines(std::string_view text);

}  // namespace halocline
