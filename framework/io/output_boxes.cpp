#include "framework/io/output_boxes.hpp"

#include <algorithm>

#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

Extents output_extents(Mesh const& mesh, Centring centring) {
  if (as_points(mesh) != nullptr) return mesh.extents(centring);
  Extents extents = mesh.extents(Centring::cell);
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    if (on_edges(centring, axis)) ++extents[static_cast<std::size_t>(axis)];
  }
  return extents;
}

bool is_uniform(StructuredMesh const& mesh) {
  return std::ranges::all_of(mesh.axes(), [](Axis const& axis) { return axis.is_uniform(); });
}

std::vector<OutputBox> output_boxes(Mesh const& mesh, Block const& block, Centring centring) {
  IndexRange const owned = mesh.global_owned(block.id, centring);
  if (owned.empty()) return {};
  std::vector<OutputBox> boxes{{mesh.owned(block, centring), owned.begin}};
  if (as_points(mesh) != nullptr) return boxes;
  StructuredMesh const& grid = structured(mesh);
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    if (!grid.periodic(axis) || !on_edges(centring, axis) || owned.begin[a] != 0) continue;
    std::size_t const count = boxes.size();
    for (std::size_t n = 0; n < count; ++n) {
      OutputBox copy = boxes[n];
      copy.local.begin[a] = 0;
      copy.local.end[a] = 1;
      copy.place[a] = mesh.extents(Centring::cell)[a];
      boxes.push_back(copy);
    }
  }
  return boxes;
}

}  // namespace halocline
