#pragma once

#include "framework/field/block_view.hpp"
#include "physics/diffusion/constant_diffusion.hpp"

namespace halocline {

// The operators of this room as the smoothers and transfers see them: row by row, the diagonal and the coupled
// neighbours apart. A stencil is made for one block; a row of it at (j, k) is asked by local index i.

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

/// Zero where the diagonal is: an unknown that nothing holds (the last one of a pure Neumann problem) stays at zero.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_or_zero(Real diagonal) {
  return diagonal > Real{0} ? Real{1} / diagonal : Real{0};
}

/// FaceDiffusion on one block.
template <class RealType, int DimensionCount>
struct FaceStencil {
  using Real = RealType;
  static constexpr int dimensions = DimensionCount;
  /// Vectors that one unknown's update reads beside x.
  static constexpr int coefficients = 1 + dimensions;

  BlockView<Real const> d;
  BlockView<Real const> t[3];
  BlockView<Real const> s;

  /// Transmissibility of the face between an unknown and the one before it along `axis`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    return t[axis](i, j, k);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index i, Index j, Index k) const { return s(i, j, k); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i, Index j, Index k) const { return d(i, j, k); }

  /// Whether the row at (j, k) is that of any other (j, k) of which this holds.
  [[nodiscard]] static constexpr bool is_inner_row(Index, Index) { return false; }

  struct Row {
    Real const* d;
    Real const* x_face;
    Real const* face[4];

    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(VectorRows<Real, dimensions> const& x, Index i) const {
      Real sum = x_face[i] * x.centre[i - 1] + x_face[i + 1] * x.centre[i + 1];
      if constexpr (dimensions > 1) sum += face[0][i] * x.side[0][i] + face[1][i] * x.side[1][i];
      if constexpr (dimensions > 2) sum += face[2][i] * x.side[2][i] + face[3][i] * x.side[3][i];
      return sum;
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(int i) const { return d[i]; }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse(int i) const { return inverse_or_zero(d[i]); }
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(Index j, Index k) const {
    Row row{d.at(0, j, k), t[0].at(0, j, k), {}};
    if constexpr (dimensions > 1) {
      row.face[0] = t[1].at(0, j, k);
      row.face[1] = t[1].at(0, j + 1, k);
    }
    if constexpr (dimensions > 2) {
      row.face[2] = t[2].at(0, j, k);
      row.face[3] = t[2].at(0, j, k + 1);
    }
    return row;
  }
};

/// ConstantDiffusion on one block.
template <class RealType, int DimensionCount>
struct ConstantStencil {
  using Real = RealType;
  static constexpr int dimensions = DimensionCount;
  static constexpr int coefficients = 0;

  ConstantDiffusion<Real, dimensions> functor;
  Index first[3];  ///< global index of the block's entry (0, 0, 0)

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    Index const local[3] = {i, j, k};
    Index const index = first[axis] + local[axis];
    if (index == functor.first[axis]) return functor.wall[axis][0];
    return index == functor.last[axis] + 1 ? functor.wall[axis][1] : functor.coupling[axis];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index, Index, Index) const { return functor.shift; }

  /// Whether the row at (j, k) is that of any other (j, k) of which this holds: not beside a wall.
  [[nodiscard]] bool is_inner_row(Index j, Index k) const {
    Index const at[3] = {0, first[1] + j, first[2] + k};
    bool inner = true;
    for (int axis = 1; axis < dimensions; ++axis) {
      inner = inner && at[axis] != functor.first[axis] && at[axis] != functor.last[axis];
    }
    return inner;
  }

  struct Row {
    Real coupling[3];
    Real diagonals[3];  ///< beside the lower wall, inside, beside the upper wall
    Real inverses[3];
    int lower;  ///< local index of the unknown beside the lower wall …
    int upper;  ///< … and beside the upper one; either is no unknown's where the block is not at that wall

    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(VectorRows<Real, dimensions> const& x, Index i) const {
      Real sum = coupling[0] * (x.centre[i - 1] + x.centre[i + 1]);
      if constexpr (dimensions > 1) sum += coupling[1] * (x.side[0][i] + x.side[1][i]);
      if constexpr (dimensions > 2) sum += coupling[2] * (x.side[2][i] + x.side[3][i]);
      return sum;
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real at(Real const (&values)[3], int i) const {
      Real const low = select(i == lower, values[0], values[1]);
      return select(i == upper, values[2], low);
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(int i) const { return at(diagonals, i); }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse(int i) const { return at(inverses, i); }
  };

  /// Diagonal at local index (i, j, k).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i, Index j, Index k) const {
    Real sum = functor.shift + functor.axis_term(0, first[0] + i);
    if constexpr (dimensions > 1) sum += functor.axis_term(1, first[1] + j);
    if constexpr (dimensions > 2) sum += functor.axis_term(2, first[2] + k);
    return sum;
  }

  /// Local index of the unknown at a global index of the first axis; that of no unknown if it is in another block.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int local(Index global) const {
    Index const at = global - first[0];
    constexpr Index highest = (Index{1} << 31) - 1;
    return static_cast<int>(at < -1 ? -1 : at > highest ? highest : at);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(Index j, Index k) const {
    Row row{{functor.coupling[0], functor.coupling[1], functor.coupling[2]},
            {},
            {},
            local(functor.first[0]),
            local(functor.last[0])};
    // A row of one or two unknowns has no inside; whatever stands there is not used.
    Index const begin = functor.first[0] - first[0];
    Index const where[3] = {begin, begin + 1, functor.last[0] - first[0]};
    for (int n = 0; n < 3; ++n) {
      row.diagonals[n] = diagonal(where[n], j, k);
      row.inverses[n] = inverse_or_zero(row.diagonals[n]);
    }
    return row;
  }
};

/// The rows of a stencil one after the other, on a host: inner ones are made once.
template <class Stencil>
class RowsInTurn {
 public:
  explicit RowsInTurn(Stencil const& stencil) : stencil_(stencil) {}
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
