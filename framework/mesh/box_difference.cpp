#include "framework/mesh/box_difference.hpp"

namespace halocline {

std::vector<IndexRange> without(IndexRange const& box, IndexRange const& inner) {
  if (inner.empty()) return {box};
  std::vector<IndexRange> boxes;
  IndexRange rest = box;
  for (std::size_t axis : {2u, 1u, 0u}) {
    IndexRange lower = rest;
    IndexRange upper = rest;
    lower.end[axis] = rest.begin[axis] = inner.begin[axis];
    upper.begin[axis] = rest.end[axis] = inner.end[axis];
    if (!lower.empty()) boxes.push_back(lower);
    if (!upper.empty()) boxes.push_back(upper);
  }
  return boxes;
}

}  // namespace halocline
