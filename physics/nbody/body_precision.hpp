#pragma once

#include <vector>

#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// Checks that bodies, given in double precision, survive conversion to the precision of a run. Throws InputError,
/// naming the body, if
///
///   - a number becomes infinite, or a mass that is not 0 becomes 0;
///   - two bodies, one of which has a mass, are at the same position and the softening squared is 0 in the run's units,
///     so that their attraction is infinite.
template <class Real>
void require_precision(std::vector<Body> const& bodies, double softening);

/// Warns of numbers that become 0 or lose digits because they are near the smallest number of the precision.
template <class Real>
void warn_of_lost_digits(std::vector<Body> const& bodies);

extern template void require_precision<float>(std::vector<Body> const&, double);
extern template void require_precision<double>(std::vector<Body> const&, double);
extern template void warn_of_lost_digits<float>(std::vector<Body> const&);
extern template void warn_of_lost_digits<double>(std::vector<Body> const&);

}  // namespace halocline::nbody
