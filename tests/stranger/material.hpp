#pragma once

#include <string>

#include "framework/deck/options.hpp"

/// As expressions of position.
struct Material {
  std::string conductivity;
  std::string rate;
};

/// By a code that knows no deck and takes its parameters as packages of Trilinos do.
Material material_of(halocline::Options const& options);
