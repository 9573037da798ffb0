#pragma once

#include "framework/field/block_view.hpp"
#include "framework/multigrid/relaxation_sweeps.hpp"
#include "framework/multigrid/rows.hpp"
#include "physics/equations/constant_diffusion.hpp"

namespace halocline {

/// ConstantDiffusion on one block.
template <class RealType, int DimensionCount>
struct ConstantStencil {
  using Real = RealType;
  static constexpr int dimensions = DimensionCount;
  static constexpr int coefficients = 0;
  static constexpr int colours = 2;
  using Around = VectorRows<Real, dimensions>;

  ConstantDiffusion<Real, dimensions> functor;
  Index first[3];  ///< global index of the block's entry (0, 0, 0)

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    Index const local[3] = {i, j, k};
    Index const index = first[axis] + local[axis];
    if (index == functor.first[axis]) return functor.wall[axis][0];
    return index == functor.last[axis] + 1 ? functor.wall[axis][1] : functor.coupling[axis];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index, Index, Index) const { return functor.shift; }

  /// Whether the row at (j, k) is not beside a wall; all such rows are alike.
  [[nodiscard]] bool is_inner_row(Index j, Index k) const {
    Index const at[3] = {0, first[1] + j, first[2] + k};
    bool inner = true;
    for (int axis = 1; axis < dimensions; ++axis) {
      inner = inner && at[axis] != functor.first[axis] && at[axis] != functor.last[axis];
    }
    return inner;
  }

  /// The matrix row of all unknowns away from walls, of which (i, j, k) is one.
  [[nodiscard]] InnerRow<Real, dimensions> inner_row(Index i, Index j, Index k) const {
    InnerRow<Real, dimensions> row;
    for (int axis = 0; axis < dimensions; ++axis) row.coupling[axis] = functor.coupling[axis];
    row.inverse = inverse_or_zero(diagonal(i, j, k));
    return row;
  }

  struct Row {
    Real coupling[3];
    Real diagonals[3];  ///< beside the lower wall, inside, beside the upper wall
    Real inverses[3];
    int lower;  ///< local index of the unknown beside the lower wall …
    int upper;  ///< … and beside the upper one; out of range if the block is not at that wall

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

  /// Local index of the unknown at a global index of the first axis; out of range if it is in another block.
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
    // A row of one or two unknowns has no interior; the values there are not used.
    Index const begin = functor.first[0] - first[0];
    Index const where[3] = {begin, begin + 1, functor.last[0] - first[0]};
    for (int n = 0; n < 3; ++n) {
      row.diagonals[n] = diagonal(where[n], j, k);
      row.inverses[n] = inverse_or_zero(row.diagonals[n]);
    }
    return row;
  }
};

}  // namespace halocline
