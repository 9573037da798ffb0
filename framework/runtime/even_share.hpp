#pragma once

#include <algorithm>

#include "framework/runtime/index.hpp"

namespace halocline {

/// First index of part `part` when `count` items in a row are divided evenly into `parts`; if the count does not
/// divide, the first parts have one more. Part `parts` begins at `count`.
[[nodiscard]] constexpr Index even_share_begin(Index count, Index parts, Index part) {
  return count / parts * part + std::min(count % parts, part);
}

/// Number of items in that part.
[[nodiscard]] constexpr Index even_share(Index count, Index parts, Index part) {
  return even_share_begin(count, parts, part + 1) - even_share_begin(count, parts, part);
}

}  // namespace halocline
