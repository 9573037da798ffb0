#pragma once

#include <vector>

#include "framework/halo/transports/module.hpp"

namespace halocline::nvshmem {

/// Collective. Times of NVSHMEM's own operations on these ranks: a Jacobi sweep of a line of 2^22 points, divided among
/// the ranks, whose kernel reads the neighbour's point directly and adds up the norm of the change with one atomic
/// addition per thread block, then per thread; and the sum of one number over all ranks. Throws DefectError if an
/// iteration takes another course than the known one.
[[nodiscard]] std::vector<ReferenceTiming> references(Communicator const& communicator);

}  // namespace halocline::nvshmem
