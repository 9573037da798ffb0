#pragma once

namespace halocline {

/// Throws StoppedError "MPI_Call: what MPI says" when `code` is not MPI_SUCCESS.
void check_mpi(int code, char const* call);

}  // namespace halocline
