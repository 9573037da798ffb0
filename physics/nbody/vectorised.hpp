#pragma once

#include "physics/nbody/attraction.hpp"

namespace halocline::nbody::vectorised {

/// Targets in the lanes of vector registers, tiles of targets on the threads. Only where kernels run on the host.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);

}  // namespace halocline::nbody::vectorised
