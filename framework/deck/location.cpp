#include "framework/deck/location.hpp"

#include <tuple>

#include "framework/runtime/shown_text.hpp"

namespace halocline {

std::string Location::text() const {
  if (is_default()) return "default";
  std::string const name = shown(source.text());
  if (column == 0) return name;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

bool Location::before(Location const& other) const {
  auto const key = [](Location const& at) { return std::tuple(at.column == 0, at.line, at.column); };
  return key(*this) < key(other);
}

}  // namespace halocline
