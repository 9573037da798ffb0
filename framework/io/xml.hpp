#pragma once

#include <string>

namespace halocline {

/// Escapes a text for an attribute or between tags of XML.
[[nodiscard]] inline std::string xml_text(std::string const& text) {
  std::string safe;
  for (char const letter : text) {
    safe += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : letter == '"' ? "&quot;" : std::string(1, letter);
  }
  return safe;
}

}  // namespace halocline
