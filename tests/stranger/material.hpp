#pragma once

#include <string>

#include "framework/deck/options.hpp"

/// Expressions of position.
struct Material {
  std::string conductivity;
  std::string rate;
};

/// Read by code that knows no decks and takes its parameters as packages of Trilinos do.
Material material_of(halocline::Options const& options);
