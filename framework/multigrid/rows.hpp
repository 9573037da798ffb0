#pragma once

#include "framework/field/block_view.hpp"

namespace halocline {

// An operator as smoothers and transfers see it, by its rows. A `Stencil` is made for one block and has
// - `Real` and `dimensions`; `coefficients`: vectors that one unknown's relaxation reads beside x and b;
// - `colours` of its Gauss-Seidel order: 2, red and black, or two for each axis;
// - `Around(x, j, k)`: what a row reads of the vector x, with the pointer `centre` to the row itself;
// - `row(j, k)`: of the unknowns at (j, k), asked by local index i, the weighted sum of the `neighbours` (with the sign
//   that it has on the right-hand side of an unknown's own equation), the `diagonal` and its `inverse`;
// - `diagonal(i, j, k)` of one unknown;
// - `is_inner_row(j, k)`: whether the row is that of any other (j, k) of which this holds;
// and may have
// - `coupling<Axis>(i, j, k)`: the magnitude of the entry that couples an unknown with the next one along an axis; what
//   has one coupling along each axis does without;
// - `inner_row(i, j, k)`, where all unknowns away from walls have one row (InnerRow), asked at one of them: relaxation
//   can then fuse both colours;
// - `face(axis, i, j, k)` and `shift(i, j, k)`, of whose sum a diagonal is made: the coupling across the face between
//   an unknown and the one before it along `axis`, or the wall there, and what is left. Full multigrid needs them.

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

/// Zero where the diagonal is: an unknown that nothing fixes (the last one of a pure Neumann problem) stays at zero.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_or_zero(Real diagonal) {
  return diagonal != Real{0} ? Real{1} / diagonal : Real{0};
}

/// The rows of a stencil one after the other, on a host: inner ones are made once.
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
  bool is_inner_ = false;  ///< what row_ is
};

}  // namespace halocline
