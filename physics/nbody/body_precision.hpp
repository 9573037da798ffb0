#pragma once

#include <vector>

#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// Bodies have to be in the precision of a run what they are in double precision, in which they are given. Throws
/// InputError, which names the body, where
///
///   - a number becomes infinite, or a mass that is not 0 becomes 0;
///   - two bodies, one of which has a mass, have one place and the softening squared is 0: their attraction is
///   infinite.
template <class Real>
void require_precision(std::vector<Body> const& bodies, double softening);

/// Warns of numbers that become 0 or lose digits since they are next to the least of the precision.
template <class Real>
void warn_of_lost_digits(std::vector<Body> const& bodies);

extern template void require_precision<float>(std::vector<Body> const&, double);
extern template void require_precision<double>(std::vector<Body> const&, double);
extern template void warn_of_lost_digits<float>(std::vector<Body> const&);
extern template void warn_of_lost_digits<double>(std::vector<Body> const&);

}  // namespace halocline::nbody
