#include "framework/plugin/physics.hpp"

#include <limits>

namespace halocline {

double Physics::stable_step() const { return std::numeric_limits<double>::infinity(); }

double Physics::suggested_step() const { return std::numeric_limits<double>::infinity(); }

bool evolves(PhysicsEntry const& entry, Options const& deck) {
  if (entry.time_dependence == TimeDependence::by_deck) return deck.given("time");
  return entry.time_dependence == TimeDependence::evolving;
}

}  // namespace halocline
