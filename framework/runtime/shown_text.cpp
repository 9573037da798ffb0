#include "framework/runtime/shown_text.hpp"

#include <cstddef>

namespace halocline {
namespace {

void add_escaped(unsigned char letter, std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (letter) {
    case '\n':
      text += "\\n";
      return;
    case '\r':
      text += "\\r";
      return;
    case '\t':
      text += "\\t";
      return;
    default:
      text += "\\x";
      text += digits[letter / 16U];
      text += digits[letter % 16U];
  }
}

std::string escaped(std::string_view text, std::string_view staying) {
  std::string shown;
  for (std::size_t n = 0; n < text.size(); ++n) {
    auto const letter = static_cast<unsigned char>(text[n]);
    // U+0080 to U+009F are control characters as well: in UTF-8 the bytes C2 80 to C2 9F.
    bool const is_long =
        letter == 0xC2U && n + 1 < text.size() && (static_cast<unsigned char>(text[n + 1]) & 0xE0U) == 0x80U;
    bool const is_control = letter < 0x20U || letter == 0x7FU;
    if (is_long) {
      add_escaped(static_cast<unsigned char>(text[++n]), shown);
    } else if (is_control && staying.find(text[n]) == std::string_view::npos) {
      add_escaped(letter, shown);
    } else {
      shown += text[n];
    }
  }
  return shown;
}

}  // namespace

std::string shown(std::string_view text) { return escaped(text, ""); }
std::string shown_lines(std::string_view text) { return escaped(text, "\n\t"); }

}  // namespace halocline
