#pragma once

#include "framework/runtime/index.hpp"

namespace halocline {

/// The smallest multiple of `multiple` (above 0) that is at least n (0 or above).
[[nodiscard]] constexpr Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace halocline
