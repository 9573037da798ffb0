#pragma once

#include <vector>

#include "framework/halo/transports/module.hpp"

namespace halocline::nvshmem {

/// Collective. What NVSHMEM's own ways take on these ranks: a Jacobi sweep of a line of 2^22 points, cut among the
/// ranks, whose kernel reads the neighbour's point itself and adds up the norm of what changes with one atomic
/// operation for each block of threads; and the sum of one number over all ranks.
[[nodiscard]] std::vector<ReferenceTiming> references(Communicator const& communicator);

}  // namespace halocline::nvshmem
