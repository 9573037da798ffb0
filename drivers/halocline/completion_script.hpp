#pragma once

#include <string>
#include <vector>

#include "drivers/halocline/command_description.hpp"
#include "drivers/halocline/completion_words.hpp"

namespace halocline {

/// The shells that a script can be written for.
[[nodiscard]] std::vector<std::string> completion_shells();

/// The script by which such a shell completes what is typed: subcommands, options and their values, options of decks.
///
/// \param shell one of `completion_shells()`
[[nodiscard]] std::string completion_script(std::string const& shell, ProgramDescription const& program,
                                            CompletionWords const& words);

/// How a shell may complete a value: files, names that are known, or nothing.
[[nodiscard]] ValueKind kind_of_value(std::string const& command, CommandOption const& option,
                                      CompletionWords const& words);

}  // namespace halocline
