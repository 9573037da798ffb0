#include "framework/operator/cell_coarsening.hpp"

#include <Kokkos_Core.hpp>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"

namespace halocline {
namespace {

using Points = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                     Kokkos::IndexType<Index>>;

[[nodiscard]] Points points(Block const& block, Extents const& cells) {
  return {execution(block), {0, 0, 0}, {cells[0], cells[1], cells[2]}};
}

template <class Real>
struct AddChildren {
  BlockView<Real const> fine;
  BlockView<Real> coarse;
  Index end[3];  ///< of the fine cells
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Real sum = 0;
    for (Index c = 2 * k; c < Kokkos::min(2 * k + 2, end[2]); ++c) {
      for (Index b = 2 * j; b < Kokkos::min(2 * j + 2, end[1]); ++b) {
        for (Index a = 2 * i; a < Kokkos::min(2 * i + 2, end[0]); ++a) sum += fine(a, b, c);
      }
    }
    coarse(i, j, k) = sum;
  }
};

template <class Real>
struct AddToChildren {
  BlockView<Real const> coarse;
  BlockView<Real> fine;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const { fine(i, j, k) += coarse(i / 2, j / 2, k / 2); }
};

}  // namespace

template <class Real>
CellCoarsening<Real>::CellCoarsening(std::shared_ptr<StructuredMesh const> mesh, Operator const& fine,
                                     std::unique_ptr<Operator> coarse)
    : mesh_(std::move(mesh)), fine_(fine), coarse_(std::move(coarse)), residual_(fine.create_vector()) {}

template <class Real>
void CellCoarsening<Real>::residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const {
  static_cast<void>(fine_.residual(b, x, *residual_));
  restrict_to(*residual_, coarse_b);
}

template <class Real>
void CellCoarsening<Real>::restrict_to(Vector const& fine, Vector& coarse) const {
  Field<Real> const& from = as_field_vector<Real>(fine).field();
  Field<Real>& to = as_field_vector<Real>(coarse).field();
  for (Block const& block : mesh_->blocks()) {
    Block const& coarse_block = to.mesh().blocks()[block.local];
    Extents const cells = from.owned(block).extents();
    Kokkos::parallel_for("restrict", points(block, to.owned(coarse_block).extents()),
                         AddChildren<Real>{from.view(block), to.view(coarse_block), {cells[0], cells[1], cells[2]}});
    to.mark_written(coarse_block, to.owned(coarse_block), "restriction");
  }
}

template <class Real>
void CellCoarsening<Real>::prolong_add(Vector const& coarse_x, Vector& x) const {
  Field<Real> const& from = as_field_vector<Real>(coarse_x).field();
  Field<Real>& to = as_field_vector<Real>(x).field();
  for (Block const& block : mesh_->blocks()) {
    Block const& coarse_block = from.mesh().blocks()[block.local];
    Kokkos::parallel_for("prolong", points(block, to.owned(block).extents()),
                         AddToChildren<Real>{from.view(coarse_block), to.view(block)});
    to.mark_written(block, to.owned(block), "prolongation");
  }
}

template class CellCoarsening<float>;
template class CellCoarsening<double>;

}  // namespace halocline
