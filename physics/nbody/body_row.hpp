#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "physics/nbody/bodies.hpp"

namespace halocline::nbody {

/// The columns of a file of bodies.
inline constexpr std::array column_names{"x", "y", "z", "vx", "vy", "vz", "mass"};
using Row = std::array<double, column_names.size()>;

/// Throws InputError, which begins with `place`, for a number that is not finite and for a mass below 0.
[[nodiscard]] Body body_of(Row const& row, std::string const& place);

}  // namespace halocline::nbody
