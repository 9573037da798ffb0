#pragma once

#include <vector>

#include "framework/deck/options.hpp"
#include "framework/operator/vector.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Adds error_2 and error_maximum of u at `time` if the section `own` gives an `exact` solution. Collective.
template <class Real>
void add_errors(Options const& own, Vector const& u, double time, Vector const& volume, std::vector<Quantity>& all);

}  // namespace halocline
