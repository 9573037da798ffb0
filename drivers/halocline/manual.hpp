#pragma once

#include <string>

#include "drivers/halocline/command_description.hpp"
#include "framework/deck/section.hpp"

namespace halocline {

/// The manual page halocline(1) in roff: subcommands, their options, exit codes, environment and files.
[[nodiscard]] std::string manual_of_program(ProgramDescription const& program);

/// The manual page halocline-deck(5) in roff: every option of a deck.
[[nodiscard]] std::string manual_of_decks(Section const& deck);

}  // namespace halocline
