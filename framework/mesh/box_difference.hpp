#pragma once

#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// `box`, which is not empty, without `inner`, which lies inside of it, as disjoint boxes: at most six, none empty, z
/// sides first, then y, then x. All of `box` where `inner` is empty.
[[nodiscard]] std::vector<IndexRange> without(IndexRange const& box, IndexRange const& inner);

}  // namespace halocline
