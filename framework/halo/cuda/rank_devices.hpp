#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace halocline {

class Communicator;

/// The numbers that a group of MPI gives to the ranks of a communicator; MPI_UNDEFINED where it has none.
[[nodiscard]] std::vector<int> ranks_of(Communicator const& communicator, MPI_Group group);

namespace cuda {

/// Collective. Two ranks that have the same current device ("ranks 0 and 1 share a GPU"); empty: each has its own.
[[nodiscard]] std::string ranks_on_one_device(Communicator const& communicator);

}  // namespace cuda
}  // namespace halocline
