#include "physics/nbody/body_precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/nbody/body_file.hpp"
#include "physics/nbody/coincidence.hpp"
#include "physics/nbody/units.hpp"

namespace halocline::nbody {
namespace {

template <class Real>
constexpr bool is_single = sizeof(Real) == sizeof(float);

template <class Real>
std::string words() {
  return is_single<Real> ? "single precision" : "double precision";
}

template <class Real>
std::string advice() {
  return is_single<Real> ? "scale the problem, or use `precision: double`" : "scale the problem";
}

Row numbers_of(Body const& body) {
  return {body.position[0], body.position[1], body.position[2], body.velocity[0],
          body.velocity[1], body.velocity[2], body.mass};
}

/// Throws if a number of a body overflows or vanishes.
template <class Real>
void require_numbers(std::vector<Body> const& bodies) {
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    Row const row = numbers_of(bodies[n]);
    for (std::size_t column = 0; column < row.size(); ++column) {
      auto const number = static_cast<Real>(row[column]);
      bool const is_mass = column + 1 == row.size();
      bool const is_lost = is_mass && number == 0 && row[column] != 0;
      if (std::isfinite(number) && !is_lost) continue;
      throw InputError("body " + std::to_string(n) + ": " + column_names[column] + ", " + shortest_text(row[column]) +
                       ", is " + (is_lost ? "0" : "infinite") + " in " + words<Real>() + "; " + advice<Real>());
    }
  }
}

/// The position of a body in the run's precision, and its index.
template <class Real>
struct Place {
  std::array<Real, 3> position;
  std::size_t body;
  bool operator<(Place const& other) const {
    return position != other.position ? position < other.position : body < other.body;
  }
};

template <class Real>
void require_apart(std::vector<Body> const& bodies) {
  std::vector<Place<Real>> places;
  places.reserve(bodies.size());
  for (Body const& body : bodies) {
    auto const& at = body.position;
    places.push_back({{static_cast<Real>(at[0]), static_cast<Real>(at[1]), static_cast<Real>(at[2])}, places.size()});
  }
  std::sort(places.begin(), places.end());
  auto const attract = [&](Place<Real> const& one, Place<Real> const& other) {
    return one.position == other.position && (bodies[one.body].mass > 0 || bodies[other.body].mass > 0);
  };
  auto const found = std::adjacent_find(places.begin(), places.end(), attract);
  if (found == places.end()) return;
  std::array<double, 3> const& a = bodies[found->body].position;
  std::array<double, 3> const& b = bodies[(found + 1)->body].position;
  throw InputError("bodies " + std::to_string(found->body) + " and " + std::to_string((found + 1)->body) +
                   " are at the same position" + (a == b ? "" : " in " + words<Real>()) + ", (" + shortest_text(a[0]) +
                   ", " + shortest_text(a[1]) + ", " + shortest_text(a[2]) +
                   "), where their attraction is infinite without softening; give `nbody.softening`" +
                   (a == b ? ", or other positions" : ", or use `precision: double`"));
}

}  // namespace

template <class Real>
void require_precision(std::vector<Body> const& bodies, double softening) {
  require_numbers<Real>(bodies);
  Units const units = units_of<Real>(bodies, softening, 1);
  if (!is_softened(static_cast<Real>(std::ldexp(softening, -units.length)))) require_apart<Real>(bodies);
}

template <class Real>
void warn_of_lost_digits(std::vector<Body> const& bodies) {
  if (!logs(LogLevel::warning)) return;
  constexpr auto least = static_cast<double>(std::numeric_limits<Real>::min());
  Index poor = 0;
  for (Body const& body : bodies) {
    Row const row = numbers_of(body);
    poor += std::count_if(row.begin(), row.end(), [](double one) { return one != 0 && std::abs(one) < least; });
  }
  if (poor == 0) return;
  log_warning("nbody: " + std::to_string(poor) + (poor == 1 ? " number" : " numbers") +
              " of the bodies, below the smallest number of " + words<Real>() + ", " + shortest_text(least) +
              ", become 0 or lose digits; " + advice<Real>());
}

template void require_precision<float>(std::vector<Body> const&, double);
template void require_precision<double>(std::vector<Body> const&, double);
template void warn_of_lost_digits<float>(std::vector<Body> const&);
template void warn_of_lost_digits<double>(std::vector<Body> const&);

}  // namespace halocline::nbody
