#pragma once

#include <utility>

#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "framework/operator/point_unknowns.hpp"

namespace halocline {

/// m u + R u - D div grad u for several unknowns at each cell, integrated over cells: finite volumes of second order
/// with two-point fluxes. R is one matrix for all cells, m and D are a number for each unknown. Ghosts of u beyond the
/// walls are zero; the walls' effect is in the blocks of the cells beside them.
template <class Real, int Axes, int Count>
struct CoupledDiffusion {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int unknowns = Count;
  using Unknowns = Values<Real, Count>;

  // Along each axis, by global index of the cell. Divisions would take longer than all else.
  Real const* width[3];
  Real const* below[3];          ///< 1 / (width distance) to the unknown below; zero at walls
  Real const* above[3];          ///< to the unknown above
  Real const* own[3][Count];     ///< the sum of both for each unknown, walls included
  Real diffusivity[Count];       ///< D
  Matrix<Real, Count> reaction;  ///< R
  Real mass[Count];              ///< m, which the sum with a large R would round

  template <class P>
  [[nodiscard]] KOKKOS_FUNCTION stencil_functor::PointBlock<Real, Count> diagonal(P const& at) const {
    stencil_functor::PointBlock<Real, Count> block{};
    fill_rows(block, at, Each());
    return block;
  }

  template <class P, class U>
  [[nodiscard]] KOKKOS_FUNCTION Unknowns operator()(P const& at, U const& u) const {
    return rows(at, u, Each());
  }

 private:
  using Each = std::make_integer_sequence<int, Count>;

  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real volume(P const& at) const {
    Real size = width[0][at.index(0)];
    if constexpr (Axes > 1) size *= width[1][at.index(1)];
    if constexpr (Axes > 2) size *= width[2][at.index(2)];
    return size;
  }
  /// D times what diffuses out of the cell for each unit of an unknown.
  template <int Row, class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real outflow(P const& at) const {
    Real sum = own[0][Row][at.index(0)];
    if constexpr (Axes > 1) sum += own[1][Row][at.index(1)];
    if constexpr (Axes > 2) sum += own[2][Row][at.index(2)];
    return diffusivity[Row] * sum;
  }
  /// D times what diffuses in.
  template <int Row, class P, class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inflow(P const& at, U const& u) const {
    Real sum = below[0][at.index(0)] * u[west].value[Row] + above[0][at.index(0)] * u[east].value[Row];
    if constexpr (Axes > 1) {
      sum += below[1][at.index(1)] * u[south].value[Row] + above[1][at.index(1)] * u[north].value[Row];
    }
    if constexpr (Axes > 2) {
      sum += below[2][at.index(2)] * u[bottom].value[Row] + above[2][at.index(2)] * u[top].value[Row];
    }
    return diffusivity[Row] * sum;
  }

  // Packs instead of loops of loops, which compilers do not unroll, so that sweeps over points would not be vectorised.
  template <class P, class U, int... Row>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Unknowns rows(P const& at, U const& u,
                                                          std::integer_sequence<int, Row...>) const {
    Real const size = volume(at);
    Unknowns const mine = u[here];
    return {{(size * (mass[Row] * mine.value[Row] + reacted<Row>(mine, Each()) +
                      (outflow<Row>(at) * mine.value[Row] - inflow<Row>(at, u))))...}};
  }
  template <int Row, int... Column>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real reacted(Unknowns const& u,
                                                         std::integer_sequence<int, Column...>) const {
    return (... + (reaction.entry[Row][Column] * u.value[Column]));
  }
  template <class P, int... Row>
  KOKKOS_FORCEINLINE_FUNCTION void fill_rows(stencil_functor::PointBlock<Real, Count>& block, P const& at,
                                             std::integer_sequence<int, Row...>) const {
    (fill_row<Row>(block, at, Each()), ...);
  }
  template <int Row, class P, int... Column>
  KOKKOS_FORCEINLINE_FUNCTION void fill_row(stencil_functor::PointBlock<Real, Count>& block, P const& at,
                                            std::integer_sequence<int, Column...>) const {
    Real const size = volume(at);
    ((block.entry[Row][Column] = size * reaction.entry[Row][Column]), ...);
    block.entry[Row][Row] += size * (mass[Row] + outflow<Row>(at));
  }
};

}  // namespace halocline
