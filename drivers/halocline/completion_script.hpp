#pragma once

#include <string>
#include <vector>

#include "drivers/halocline/command_description.hpp"
#include "drivers/halocline/completion_words.hpp"

namespace halocline {

/// The shells for which a script can be written.
[[nodiscard]] std::vector<std::string> completion_shells();

/// The script with which a shell completes subcommands, options and their values, and options of decks.
///
/// \param shell one of `completion_shells()`
[[nodiscard]] std::string completion_script(std::string const& shell, ProgramDescription const& program,
                                            CompletionWords const& words);

/// How a shell completes a value: with files, known names, or nothing.
[[nodiscard]] ValueKind kind_of_value(std::string const& command, CommandOption const& option,
                                      CompletionWords const& words);

}  // namespace halocline
