#pragma once

#include <mpi.h>

#include <string>

#include "framework/runtime/launcher.hpp"

namespace halocline {

/// Seconds that ranks wait for each other's first message: the variable HALOCLINE_START_SECONDS, or 60. Throws
/// InputError if its value is not a number above 0.
[[nodiscard]] double first_contact_limit(Variables const& variables = variable_of_environment);

/// Collective. Returns when all ranks have exchanged a message. MPI may have started without working communication,
/// since a rank lacks memory for it or a network drops messages, and would then wait for ever.
/// \param limit in seconds
/// \return an error message if that takes longer, after which the program can only abort MPI; empty: no error
[[nodiscard]] std::string obstacle_to_first_contact(MPI_Comm ranks, double limit);

}  // namespace halocline
