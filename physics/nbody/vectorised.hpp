#pragma once

#include "physics/nbody/attraction.hpp"

namespace halocline::nbody::vectorised {

/// Targets in the lanes of vector registers, tiles of targets on the threads. Only where kernels run on the host.
template <class Real>
void attract(Execution const& execution, Attraction<Real> const& attraction);

}  // namespace halocline::nbody::vectorised
