#include "framework/multigrid/cell_transfers.hpp"

#include <utility>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/level_views.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// The cells of a block that are parts of each coarse one.
struct Parts {
  Index begin[3];
  Index end[3];
  Index factor[3];

  Parts(IndexRange const& cells, int dimensions) {
    for (std::size_t a = 0; a < 3; ++a) {
      begin[a] = cells.begin[a];
      end[a] = cells.end[a];
      factor[a] = static_cast<int>(a) < dimensions ? 2 : 1;
    }
  }
};

template <class Real>
struct SumOfParts {
  Parts parts;
  BlockView<Real const> fine;
  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    Real sum = 0;
    for_children(parts, i, j, k, [&](Index a, Index b, Index c) { sum += fine(a, b, c); });
    return sum;
  }
};

template <class Real>
struct WithWhole {
  Parts parts;
  BlockView<Real const> coarse;
  BlockView<Real const> fine;
  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    return fine(i, j, k) + coarse(whole(0, i), whole(1, j), whole(2, k));
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index whole(int axis, Index n) const {
    // A division would take a device longer than all else.
    return (n - parts.begin[axis]) >> (parts.factor[axis] >> 1);
  }
};

}  // namespace

ComponentBoxes all_cells(StructuredMesh const& mesh, int components) {
  std::vector<IndexRange> of_blocks;
  for (Block const& block : mesh.blocks()) of_blocks.push_back(mesh.owned(block, Centring::cell));
  return ComponentBoxes(static_cast<std::size_t>(components), of_blocks);
}

template <class Real>
CellTransfers<Real>::CellTransfers(std::shared_ptr<StructuredMesh const> fine, PairedCells const& coarse,
                                   ComponentBoxes const& fine_unknowns, ComponentBoxes const& coarse_unknowns)
    : fine_(std::move(fine)), coarse_(coarse.mesh) {
  if (fine_unknowns.size() != coarse_unknowns.size()) throw DefectError("levels with different components");
}

template <class Real>
void CellTransfers<Real>::restrict_to(Field<Real> const& fine, Field<Real>& coarse) const {
  for (Block const& block : fine_->blocks()) {
    Block const& coarse_block = coarse_->blocks()[block.local];
    Parts const parts(fine.owned(block), fine_->dimensions());
    IndexRange const box = coarse.owned(coarse_block);
    for (int c = 0; c < fine.components(); ++c) {
      set_values(execution(block), box, coarse.view(coarse_block, c), SumOfParts<Real>{parts, fine.view(block, c)});
    }
  }
}

template <class Real>
void CellTransfers<Real>::prolong_add(Field<Real> const& coarse, Field<Real>& fine) const {
  for (Block const& block : fine_->blocks()) {
    Block const& coarse_block = coarse_->blocks()[block.local];
    IndexRange const box = fine.owned(block);
    Parts const parts(box, fine_->dimensions());
    for (int c = 0; c < fine.components(); ++c) {
      set_values(execution(block), box, fine.view(block, c),
                 WithWhole<Real>{parts, coarse.view(coarse_block, c), std::as_const(fine).view(block, c)});
    }
  }
}

template class CellTransfers<float>;
template class CellTransfers<double>;

}  // namespace halocline
