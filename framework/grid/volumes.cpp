#include "framework/grid/volumes.hpp"

#include <vector>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/execution.hpp"

namespace halocline {
namespace {

template <class Real>
struct Volume {
  Index begin[3];
  Real const* width[3];
  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    return width[0][i - begin[0]] * width[1][j - begin[1]] * width[2][k - begin[2]];
  }
};

}  // namespace

template <class Real>
BlockWidths<Real>::BlockWidths(ControlVolumeGrid const& grid, Block const& block) {
  Extents const first = grid.first_unknown(block);
  IndexRange const unknowns = grid.unknowns(block);
  for (std::size_t a = 0; a < 3; ++a) {
    auto const from = grid.volumes[a].width.begin() + first[a];
    along[a] = on_device<Real>(std::vector<double>(from, from + unknowns.extent(static_cast<int>(a))));
  }
}

template <class Real>
void fill_volumes(ControlVolumeGrid const& grid, Field<Real>& volumes) {
  for (Block const& block : grid.mesh->blocks()) {
    BlockWidths<Real> const widths(grid, block);
    IndexRange const unknowns = grid.unknowns(block);
    Volume<Real> volume{};
    for (std::size_t a = 0; a < 3; ++a) {
      volume.begin[a] = unknowns.begin[a];
      volume.width[a] = widths.along[a].data();
    }
    set_values(execution(block), unknowns, volumes.view(block), volume);
    execution(block).fence();
  }
}

template struct BlockWidths<float>;
template struct BlockWidths<double>;
template void fill_volumes(ControlVolumeGrid const&, Field<float>&);
template void fill_volumes(ControlVolumeGrid const&, Field<double>&);

}  // namespace halocline
