#include "physics/nbody/units.hpp"

#include <algorithm>

namespace halocline::nbody {
namespace {

/// The exponent of the power of two just below a number above 0; otherwise that of 1.
int exponent_of(double number) { return number > 0 && std::isfinite(number) ? std::ilogb(number) : 0; }

double largest(std::array<double, 3> const& numbers) {
  return std::max({std::abs(numbers[0]), std::abs(numbers[1]), std::abs(numbers[2])});
}

}  // namespace

template <class Real>
Units units_of(std::vector<Body> const& bodies, double softening, double gravity) {
  double length = 0;
  double mass = 0;
  double speed = 0;
  for (Body const& body : bodies) {
    length = std::max(length, largest(body.position));
    mass = std::max(mass, body.mass);
    speed = std::max(speed, largest(body.velocity));
  }
  constexpr int sixth = std::numeric_limits<Real>::max_exponent / 6;
  int const distance = exponent_of(std::max(length, softening));
  Units units{distance + (softening > length ? sixth : -sixth), exponent_of(mass), exponent_of(speed)};
  if (mass > 0) {
    int const falling = (exponent_of(gravity) + units.mass - distance) / 2;
    units.speed = speed > 0 ? std::max(units.speed, falling) : falling;
  }
  return units;
}

template Units units_of<float>(std::vector<Body> const&, double, double);
template Units units_of<double>(std::vector<Body> const&, double, double);

}  // namespace halocline::nbody
