#pragma once

#include <string>

namespace halocline {

class Communicator;

/// The lowest rank whose `mine` differs from rank 0's; 0 if all are equal. Collective.
[[nodiscard]] int first_that_differs(Communicator const& communicator, std::string const& mine);

/// "0.1.0 (Serial, 1a2b3c4)": version, backend and revision.
[[nodiscard]] std::string this_build();

/// Collective. Throws InputError on all ranks if they were started differently: with different commands or builds they
/// would wait for each other for ever. `command` is the typed command, `build` this rank's build.
void require_same_command(Communicator const& communicator, std::string const& command,
                          std::string const& build = this_build());

/// Collective. The same if the ranks have read different decks; `validated` is the validated deck, including all
/// defaults.
void require_same_deck(Communicator const& communicator, std::string const& validated);

}  // namespace halocline
