#include "framework/operator/block_geometry.hpp"

#include <vector>

#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

template <class Real>
BlockGeometry<Real>::BlockGeometry(Mesh const& mesh, Block const& block, Centring centring) {
  IndexRange const owned = mesh.global_owned(block.id, centring);
  for (std::size_t axis = 0; axis < 3; ++axis) geometry_.first[axis] = owned.begin[axis];
  auto const* structured = dynamic_cast<StructuredMesh const*>(&mesh);
  if (structured == nullptr) return;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    auto const at = static_cast<std::size_t>(axis);
    geometry_.origin[at] = static_cast<Real>(structured->coordinate(axis, centring, 0));
    geometry_.spacing[at] = static_cast<Real>(structured->cell_width(axis, 0));
    if (structured->axis(axis).is_uniform()) continue;
    std::vector<double> const values = structured->coordinates(block, axis, centring, 0);
    coordinates_[at] = Kokkos::View<Real*, Memory>("coordinates", values.size());
    auto const host = Kokkos::create_mirror_view(coordinates_[at]);
    for (std::size_t n = 0; n < values.size(); ++n) host(n) = static_cast<Real>(values[n]);
    Kokkos::deep_copy(coordinates_[at], host);
    geometry_.coordinates[at] = coordinates_[at].data();
  }
}

template class BlockGeometry<float>;
template class BlockGeometry<double>;

}  // namespace halocline
