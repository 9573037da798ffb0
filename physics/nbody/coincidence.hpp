#pragma once

#include <algorithm>
#include <limits>

namespace halocline::nbody {

/// Whether a source in the place of a target has a potential there, m / softening. Below, softening is none in the
/// precision.
template <class Real>
[[nodiscard]] bool is_softened(Real softening) {
  return softening * softening >= std::numeric_limits<Real>::min();
}

/// A source where a target is adds its weight, m / softening^3, times zero: nothing, as long as the weight is finite.
/// Masses below this one have such a weight; below 0: none has. The others need to be told from the rest.
template <class Real>
[[nodiscard]] Real safe_mass(Real softening) {
  constexpr double reserve = 1024;  // for the factors of the weight
  auto const length = static_cast<double>(softening);
  if (!(length * length > reserve * static_cast<double>(std::numeric_limits<Real>::min()))) return -1;
  constexpr auto most = static_cast<double>(std::numeric_limits<Real>::max());
  return static_cast<Real>(std::min(most, most / reserve * length * length * length));
}

}  // namespace halocline::nbody
