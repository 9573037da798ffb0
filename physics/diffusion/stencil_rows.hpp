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
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i) const { return d[i]; }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse(Index i) const { return inverse_or_zero(d[i]); }
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

  struct Row {
    Real coupling[3];
    Real diagonals[3];  ///< beside the lower wall, inside, beside the upper wall
    Real inverses[3];
    Index lower;  ///< local index of the unknown beside the lower wall …
    Index upper;  ///< … and beside the upper one

    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(VectorRows<Real, dimensions> const& x, Index i) const {
      Real sum = coupling[0] * (x.centre[i - 1] + x.centre[i + 1]);
      if constexpr (dimensions > 1) sum += coupling[1] * (x.side[0][i] + x.side[1][i]);
      if constexpr (dimensions > 2) sum += coupling[2] * (x.side[2][i] + x.side[3][i]);
      return sum;
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real at(Real const (&values)[3], Index i) const {
      Real const low = select(i == lower, values[0], values[1]);
      return select(i == upper, values[2], low);
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i) const { return at(diagonals, i); }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse(Index i) const { return at(inverses, i); }
  };

  /// Diagonal at local index (i, j, k).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i, Index j, Index k) const {
    Real sum = functor.shift + functor.axis_term(0, first[0] + i);
    if constexpr (dimensions > 1) sum += functor.axis_term(1, first[1] + j);
    if constexpr (dimensions > 2) sum += functor.axis_term(2, first[2] + k);
    return sum;
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(Index j, Index k) const {
    Row row{{functor.coupling[0], functor.coupling[1], functor.coupling[2]},
            {},
            {},
            functor.first[0] - first[0],
            functor.last[0] - first[0]};
    // A row of one or two unknowns has no inside; whatever stands there is not used.
    Index const where[3] = {row.lower, row.lower + 1, row.upper};
    for (int n = 0; n < 3; ++n) {
      row.diagonals[n] = diagonal(where[n], j, k);
      row.inverses[n] = inverse_or_zero(row.diagonals[n]);
    }
    return row;
  }
};

}  // namespace halocline
