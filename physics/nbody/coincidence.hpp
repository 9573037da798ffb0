#pragma once

#include <algorithm>
#include <limits>

namespace halocline::nbody {

/// Whether a source at the position of a target has a potential there, m / softening. A smaller softening counts as
/// none in this precision.
template <class Real>
[[nodiscard]] bool is_softened(Real softening) {
  return softening * softening >= std::numeric_limits<Real>::min();
}

/// A source at the position of a target adds its weight, m / softening^3, times zero, which is zero while the weight is
/// finite. All masses below the returned one have a finite weight; below 0: none has. Other sources must be detected.
template <class Real>
[[nodiscard]] Real safe_mass(Real softening) {
  constexpr double reserve = 1024;  // for the factors of the weight
  auto const length = static_cast<double>(softening);
  if (!(length * length > reserve * static_cast<double>(std::numeric_limits<Real>::min()))) return -1;
  constexpr auto most = static_cast<double>(std::numeric_limits<Real>::max());
  return static_cast<Real>(std::min(most, most / reserve * length * length * length));
}

}  // namespace halocline::nbody
