#pragma once

#include <string>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/sweep_values.hpp"

namespace halocline {

/// Validates the decks of all runs of a sweep as `check` does, and returns what changes the deck for each run:
/// "gray-scott.F=0.02", one for each option of the sweep, by its full name.
///
/// \param ranks of each run; 0: not given
/// Throws a single InputError with each mistake once, and the runs that it affects: an unknown name, two names of one
/// option, an option that `--set` gives as well, and all mistakes of the decks.
[[nodiscard]] std::vector<std::vector<std::string>> changes_of_sweep(RunCommand const& command, int ranks,
                                                                     std::vector<SweptOption> const& options,
                                                                     std::vector<SweptRun> const& runs);

}  // namespace halocline
