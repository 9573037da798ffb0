#pragma once

#include "framework/plugin/physics.hpp"

namespace halocline::wave {

/// What `method: weighted_sum` runs: repeatedly a weighted sum over each cell's star. It reads the options `weights`,
/// `initial`, `boundary`, `exact` and `receivers`.
[[nodiscard]] PhysicsEntry weighted_sum();

}  // namespace halocline::wave
