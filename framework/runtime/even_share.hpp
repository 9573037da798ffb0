#pragma once

#include <algorithm>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Where part `part` of `parts` begins when `count` things in a row are shared out evenly; the first parts have one
/// more where the count does not divide. Part `parts` begins at the end.
[[nodiscard]] constexpr Index even_share_begin(Index count, Index parts, Index part) {
  return count / parts * part + std::min(count % parts, part);
}

/// How many that part has.
[[nodiscard]] constexpr Index even_share(Index count, Index parts, Index part) {
  return even_share_begin(count, parts, part + 1) - even_share_begin(count, parts, part);
}

}  // namespace halocline
