#pragma once

#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// `box`, which must not be empty, without `inner`, which lies inside it, as disjoint boxes: at most six, none empty, z
/// sides first, then y, then x. If `inner` is empty, the result is `box`.
[[nodiscard]] std::vector<IndexRange> without(IndexRange const& box, IndexRange const& inner);

}  // namespace halocline
