#include <halocline/physics.hpp>

#include "physics/shallow-water/shallow_water.hpp"

HALOCLINE_PLUGIN(halocline::shallow_water_physics);
