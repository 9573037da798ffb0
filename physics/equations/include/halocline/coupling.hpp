#pragma once

// For declared physics whose fields are coupled linearly, by `coupling()`: what solves for them together.

#include "physics/equations/coupled_rate.hpp"
