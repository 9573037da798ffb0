#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace halocline {

class Communicator;

/// The ranks in an MPI group of all ranks of a communicator; MPI_UNDEFINED for those that are not in it.
[[nodiscard]] std::vector<int> ranks_of(Communicator const& communicator, MPI_Group group);

namespace cuda {

/// Collective. Names two ranks with the same current device ("ranks 0 and 1 share a GPU"); empty if there are none.
[[nodiscard]] std::string ranks_on_one_device(Communicator const& communicator);

}  // namespace cuda
}  // namespace halocline
