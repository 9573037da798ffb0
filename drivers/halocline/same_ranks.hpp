#pragma once

#include <string>

namespace halocline {

class Communicator;

/// The lowest rank whose `mine` is not that of rank 0; 0 where all are equal. Collective.
[[nodiscard]] int first_that_differs(Communicator const& communicator, std::string const& mine);

/// "0.1.0 (Serial, 1a2b3c4)": version, backend and revision.
[[nodiscard]] std::string this_build();

/// Collective. Throws InputError on all ranks where they have not been started alike: another command or another build
/// would let them wait for each other for ever. `command` is what was typed, `build` names this rank's.
void require_same_command(Communicator const& communicator, std::string const& command,
                          std::string const& build = this_build());

/// Collective. The same where they have not read the same of the deck, `judged`, all defaults included.
void require_same_deck(Communicator const& communicator, std::string const& judged);

}  // namespace halocline
