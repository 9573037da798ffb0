#pragma once

#include <vector>

#include "physics/nbody/attraction.hpp"

namespace halocline::nbody::cuda {

/// How many targets a thread may have in its registers: each source that comes from shared memory serves all of them.
template <class Real>
[[nodiscard]] std::vector<int> blockings();

/// Only where kernels run on NVIDIA's GPUs. The order of sums also depends on the number of multiprocessors and on the
/// targets of a thread, which are one of the blockings.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction, int targets_of_thread);
/// With the blocking that is best for so many bodies.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);

}  // namespace halocline::nbody::cuda
