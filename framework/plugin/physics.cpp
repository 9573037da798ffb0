#include "framework/plugin/physics.hpp"

#include <limits>

namespace halocline {

double Physics::stable_step() const { return std::numeric_limits<double>::infinity(); }

double Physics::suggested_step() const { return std::numeric_limits<double>::infinity(); }

}  // namespace halocline
