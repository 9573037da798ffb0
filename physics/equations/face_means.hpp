#pragma once

#include "framework/runtime/host_device.hpp"

// What a face between two unknowns takes from them, right over the whole range of the type: no product or sum on the
// way leaves the range if the result does not.

namespace halocline {

/// 2 a b / (a + b) for a and b of at least 0, to within two units of the last place: the conductivity of two layers of
/// the same thickness in series. Zero if one of them is zero, a if they are equal, NaN if one is NaN.
template <class Real>
[[nodiscard]] HALOCLINE_HOST_DEVICE constexpr Real harmonic_mean(Real a, Real b) {
  Real const least = a < b ? a : b;
  Real const most = a < b ? b : a;
  if (most == 0) return 0;
  return least * (2 / (1 + least / most));
}

/// (a + b) / 2 for a and b of at least 0.
template <class Real>
[[nodiscard]] HALOCLINE_HOST_DEVICE constexpr Real arithmetic_mean(Real a, Real b) {
  // Halves of large numbers are exact, sums of small ones do not overflow.
  return a > 1 || b > 1 ? a / 2 + b / 2 : (a + b) / 2;
}

/// The conductivity at a wall `reach` gaps beyond an entry, from that and the next one inwards. Extrapolated only if
/// they differ by at most a factor of two, which is taken to mean that they are of one material.
template <class Real>
[[nodiscard]] HALOCLINE_HOST_DEVICE constexpr Real wall_conductivity(Real inside, Real next, Real reach) {
  bool const smooth = next / 2 <= inside && inside / 2 <= next;
  return smooth ? inside + reach * (inside - next) : inside;
}

/// a b c for factors of at least 0 that are normal numbers: the largest is first multiplied by the smallest.
template <class Real>
[[nodiscard]] HALOCLINE_HOST_DEVICE constexpr Real product_in_range(Real a, Real b, Real c) {
  Real const least = a < b ? a : b;
  Real const most = a < b ? b : a;
  if (c < least) return most * c * least;
  return c < most ? most * least * c : c * least * most;
}

}  // namespace halocline
