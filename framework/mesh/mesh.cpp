#include "framework/mesh/mesh.hpp"

#include <utility>

#include "framework/mesh/box_difference.hpp"

namespace halocline {

std::string to_string(Centring centring) {
  switch (centring) {
    case Centring::cell:
      return "cell";
    case Centring::node:
      return "node";
    case Centring::face_x:
      return "face x";
    case Centring::face_y:
      return "face y";
    default:
      return "face z";
  }
}

Mesh::Mesh(int dimensions, std::shared_ptr<Communicator> communicator)
    : dimensions_(dimensions), communicator_(std::move(communicator)) {}

IndexRange Mesh::owned(Block const& block, Centring centring) const {
  return {{0, 0, 0}, global_owned(block.id, centring).extents()};
}

IndexRange Mesh::with_ghosts(Block const& block, Centring centring, int width) const {
  IndexRange range = owned(block, centring);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions_); ++axis) {
    range.begin[axis] -= width;
    range.end[axis] += width;
  }
  return range;
}

IndexRange Mesh::interior(Block const& block, Centring centring, int width) const {
  IndexRange range = owned(block, centring);
  for (int axis = 0; axis < dimensions_; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    if (block.neighbour(axis, -1)) range.begin[a] += width;
    if (block.neighbour(axis, 1)) range.end[a] -= width;
  }
  return range.empty() ? IndexRange{} : range;
}

std::vector<IndexRange> Mesh::shell(Block const& block, Centring centring, int width) const {
  return without(owned(block, centring), interior(block, centring, width));
}

}  // namespace halocline
