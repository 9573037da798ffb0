#pragma once

#include "physics/nbody/attraction.hpp"

namespace halocline::nbody::portable {

template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);

}  // namespace halocline::nbody::portable
