#pragma once

// All that a declared physics needs: the point, the declaration, and the macro that makes a plugin of it.

#include "framework/kernel/values.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/equations.hpp"
