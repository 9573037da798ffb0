#pragma once

#include "framework/runtime/index.hpp"

namespace halocline {

/// The smallest multiple that is not below n; both above 0, or n is 0.
[[nodiscard]] constexpr Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace halocline
