#pragma once

#include <string>
#include <string_view>

#include "framework/deck/section.hpp"

namespace halocline {

/// Describes one part of a deck as plain text: an option, or a section with all of its options.
///
/// \param path "solver.cg", "solver.cg.iterations"; empty for the whole deck. If it is unknown, throws InputError with
///             the nearest known one.
[[nodiscard]] std::string listing(Section const& root, std::string_view path);

/// One line for each option of a section, without those of inner sections.
[[nodiscard]] std::string own_options(Section const& section);

/// The reference page of all options in Markdown.
[[nodiscard]] std::string markdown(Section const& root);

/// JSON schema (draft 2020-12) of the decks that `root` declares.
[[nodiscard]] std::string json_schema(Section const& root);

}  // namespace halocline
