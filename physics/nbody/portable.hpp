#pragma once

#include "physics/nbody/attraction.hpp"

namespace halocline::nbody::portable {

template <class Real>
void attract(Execution const& execution, Attraction<Real> const& attraction);

}  // namespace halocline::nbody::portable
