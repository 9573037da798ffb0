#include <halocline/physics.hpp>

#include "physics/euler/euler.hpp"

HALOCLINE_PLUGIN(halocline::euler_physics);
