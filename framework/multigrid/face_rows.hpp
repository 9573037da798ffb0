#pragma once

#include "framework/field/block_view.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/multigrid/rows.hpp"

namespace halocline {

/// FaceDiffusion on one block.
template <class RealType, int DimensionCount>
struct FaceStencil {
  using Real = RealType;
  static constexpr int dimensions = DimensionCount;
  /// Values that one unknown's relaxation reads besides x and b.
  static constexpr int coefficients = 1 + dimensions;
  static constexpr int colours = 2;
  using Around = VectorRows<Real, dimensions>;

  BlockView<Real const> d;
  BlockView<Real const> t[3];
  BlockView<Real const> s;

  /// Transmissibility of the face between an unknown and the one before it along `axis`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    return t[axis](i, j, k);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index i, Index j, Index k) const { return s(i, j, k); }
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real coupling(Index i, Index j, Index k) const {
    constexpr auto next = along<Axis, 1>;
    return t[Axis](i + next.x, j + next.y, k + next.z);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i, Index j, Index k) const { return d(i, j, k); }

  /// Whether the row at (j, k) equals that of any other (j, k) for which this is true.
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

}  // namespace halocline
