#pragma once

#include "framework/runtime/index.hpp"

namespace halocline::benchmarking {

/// 0: unknown.
[[nodiscard]] Index second_level_cache_bytes();

}  // namespace halocline::benchmarking
