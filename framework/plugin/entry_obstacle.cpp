#include "framework/plugin/entry_obstacle.hpp"

#include <algorithm>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Whether a deck can contain `name` without quotes, and a path of options can contain it.
bool is_plain(std::string const& name) {
  return std::all_of(name.begin(), name.end(), [](char const c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// Reads a deck without the section, which reveals a default that its own option refuses.
std::string mistaken_default(Section const& options) {
  Section root("", "");
  root.section(options).optional();
  try {
    static_cast<void>(Deck("defaults", "{}").read(root));
  } catch (DefectError const& error) {
    return error.what();
  }
  return "";
}

/// The missing part of a deck format that it provides; empty if there is none.
std::string missing_of_formats(std::vector<DeckFormat> const& formats) {
  for (DeckFormat const& format : formats) {
    if (format.name.empty()) return "brings a deck format without a name";
    std::string const missing = !format.recognises ? "recognises" : !format.read ? "read" : "";
    if (!missing.empty()) return "brings the deck format `" + format.name + "` without its function `" + missing + "`";
  }
  return "";
}

}  // namespace

std::string entry_obstacle(PhysicsEntry const& entry) {
  if (entry.name.empty()) return "its physics has no name";
  std::string const physics = "its physics `" + entry.name + "` ";
  if (!is_plain(entry.name)) return physics + "has a name that is not made of letters, digits, _ and -";
  if (entry.options.name() != entry.name) {
    return physics + "has its options in a section `" + entry.options.name() + "`; give both one name";
  }
  if (!entry.create) return physics + "has no function `create` to make it";
  if (entry.precisions.empty()) return physics + "is built for no precision; leave `precisions` out or name one";
  auto const is_possible = [](int const axes) { return axes >= 1 && axes <= 3; };
  if (entry.dimensions.empty() || !std::all_of(entry.dimensions.begin(), entry.dimensions.end(), is_possible)) {
    return physics + "has no dimensions or impossible ones; name some of 1, 2 and 3 in `dimensions`";
  }
  if (entry.meshes.empty()) return physics + "supports no kind of mesh; leave `meshes` out or name one";
  if (std::string const missing = missing_of_formats(entry.deck_formats); !missing.empty()) return physics + missing;
  std::string const mistake = mistaken_default(entry.options);
  return mistake.empty() ? "" : physics + "has options that are wrong: " + mistake;
}

}  // namespace halocline
