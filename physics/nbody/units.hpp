#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "framework/runtime/host_device.hpp"
#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// Units in which the cubes of distances and the squares of speeds stay within the range of a precision, as exponents
/// of two: one unit of length is 2^length. Conversion is exact, so that runs whose numbers stay in range anyway have
/// the same bits in any units.
struct Units {
  int length = 0;
  int mass = 0;
  int speed = 0;  ///< only for sums over bodies, which are made in double precision

  /// The unit of accelerations where the gravitational constant is 1, and of potentials.
  [[nodiscard]] int acceleration() const { return mass - 2 * length; }
  [[nodiscard]] int potential() const { return mass - length; }
};

/// Units from the largest coordinate, mass and speed, or that of bodies that fall over the largest distance. The
/// largest mass becomes about 1. The largest coordinate becomes about 2^(e/6), where 2^e is the largest number of the
/// precision: its cube, by which masses are divided, uses half of the range, and bodies may come together to 2^(-e/3),
/// where the inverse cube ends at 2^e. A larger softening length becomes 2^(-e/6), so that distances far below it still
/// attract.
template <class Real>
[[nodiscard]] Units units_of(std::vector<Body> const& bodies, double softening, double gravity);

/// A factor that may itself be too large or too small for the precision, as a product of two.
template <class Real>
struct Factor {
  Real first = 1, second = 1;

  /// value 2^exponent
  [[nodiscard]] static Factor of(double value, int exponent = 0) {
    int own = 0;
    double const fraction = std::frexp(value, &own);
    int const all = own + exponent;
    // The usual factor is one number, which is rounded once.
    constexpr int usual = std::numeric_limits<Real>::max_exponent / 2;
    int const half = std::abs(all) < usual ? 0 : all / 2;
    return {static_cast<Real>(std::ldexp(1, half)), static_cast<Real>(std::ldexp(fraction, all - half))};
  }
  HALOCLINE_HOST_DEVICE Real operator*(Real number) const { return number * first * second; }
};

extern template Units units_of<float>(std::vector<Body> const&, double, double);
extern template Units units_of<double>(std::vector<Body> const&, double, double);

}  // namespace halocline::nbody
