#pragma once

#include "framework/field/block_view.hpp"

namespace halocline {

// The rows of an operator, as smoothers and transfers use them. A `Stencil` is made for one block and has
// - `Real` and `dimensions`; `coefficients`: vectors that one unknown's relaxation reads besides x and b;
// - `colours` of its Gauss-Seidel order: 2 (red-black), or two for each axis;
// - `Around(x, j, k)`: what a row reads of the vector x, with the pointer `centre` to the row itself;
// - `row(j, k)`: for the unknowns at (j, k), by local index i, the weighted sum of the `neighbours` (with its sign on
//   the right-hand side of an unknown's own equation), the `diagonal` and its `inverse`;
// - `diagonal(i, j, k)` of one unknown;
// - `is_inner_row(j, k)`: whether the row equals that of any other (j, k) for which this is true;
// and may have
// - `coupling<Axis>(i, j, k)`: the magnitude of the entry that couples an unknown with the next one along an axis; not
//   needed if the coupling along each axis is constant;
// - `inner_row(i, j, k)`, if all unknowns away from walls have the same row (InnerRow), called for one of them:
//   relaxation can then fuse both colours;
// - `face(axis, i, j, k)` and `shift(i, j, k)`, whose sum is the diagonal: the coupling across the face (or wall)
//   between an unknown and the one before it along `axis`, and the remainder. Full multigrid needs them.

/// Rows of the unknown vector that a star stencil reads around (j, k).
template <class Real, int Dimensions>
struct VectorRows {
  Real const* centre;
  Real const* side[4];

  KOKKOS_FORCEINLINE_FUNCTION VectorRows(BlockView<Real const> const& x, Index j, Index k) : centre(x.at(0, j, k)) {
    if constexpr (Dimensions > 1) {
      side[0] = x.at(0, j - 1, k);
      side[1] = x.at(0, j + 1, k);
    }
    if constexpr (Dimensions > 2) {
      side[2] = x.at(0, j, k - 1);
      side[3] = x.at(0, j, k + 1);
    }
  }
};

/// Zero if the diagonal is: an unknown that nothing determines (the last one of a pure Neumann problem) stays at zero.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_or_zero(Real diagonal) {
  return diagonal != Real{0} ? Real{1} / diagonal : Real{0};
}

/// The rows of a stencil in sequence, on a host; inner rows are computed once.
template <class Stencil>
class RowsInOrder {
 public:
  explicit RowsInOrder(Stencil const& stencil) : stencil_(stencil) {}
  [[nodiscard]] typename Stencil::Row const& operator()(Index j, Index k) {
    bool const inner = stencil_.is_inner_row(j, k);
    if (!inner || !is_inner_) row_ = stencil_.row(j, k);
    is_inner_ = inner;
    return row_;
  }

 private:
  Stencil const& stencil_;
  typename Stencil::Row row_{};
  bool is_inner_ = false;  ///< whether row_ is an inner row
};

}  // namespace halocline
