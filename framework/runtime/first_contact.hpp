#pragma once

#include <mpi.h>

#include <string>

#include "framework/runtime/launcher.hpp"

namespace halocline {

/// Seconds that ranks wait for each other's first message: the variable HALOCLINE_START_SECONDS, or 60. Throws
/// InputError where that is no number above 0.
[[nodiscard]] double first_contact_limit(Variables const& variables = variable_of_environment);

/// Collective. Returns when all ranks have heard of each other: MPI may have started without a way for its messages,
/// where a rank had no memory for it or a network lets none pass, and would wait for ever.
/// \param limit in seconds
/// \return what is wrong where that takes longer, after which MPI can do nothing but abort; empty: nothing
[[nodiscard]] std::string obstacle_to_first_contact(MPI_Comm ranks, double limit);

}  // namespace halocline
