#pragma once

#include <vector>

#include "physics/nbody/attraction.hpp"

namespace halocline::nbody::cuda {

/// The possible numbers of targets that a thread keeps in registers: a source from shared memory is used for all of
/// them.
template <class Real>
[[nodiscard]] std::vector<int> blockings();

/// Only where kernels run on NVIDIA's GPUs. The order of summation also depends on the number of multiprocessors and on
/// the targets per thread, which are one of the blockings.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction, int targets_of_thread);
/// With the best blocking for this number of bodies.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);

}  // namespace halocline::nbody::cuda
