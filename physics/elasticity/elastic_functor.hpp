#pragma once

#include <Kokkos_Macros.hpp>

#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "framework/operator/point_unknowns.hpp"

namespace halocline {

namespace elastic {

/// Of a cell along one axis. Divisions would take longer than all else.
template <class Real>
struct Width {
  Real sixth;    ///< of the width
  Real inverse;  ///< 1 / width
};

/// Integrals along one axis of a cell with a node's basis function (a) times a linear function given by its values at
/// the node (`here`) and at the cell's other node (`there`).
enum class Integral {
  mass,         ///< of a f
  stiffness,    ///< of a' f'
  value_slope,  ///< of a f'
  slope_value   ///< of a' f
};

/// \tparam Above whether the cell lies above the node
template <Integral Kind, bool Above, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real integral(Width<Real> const& cell, Real here, Real there) {
  if constexpr (Kind == Integral::mass) {
    return cell.sixth * (Real{2} * here + there);
  } else if constexpr (Kind == Integral::stiffness) {
    return cell.inverse * (here - there);
  } else if constexpr (Kind == Integral::value_slope) {
    return Real{0.5} * (Above ? there - here : here - there);
  } else {
    return Real{0.5} * (Above ? -(here + there) : here + there);
  }
}

}  // namespace elastic

/// The forces -div sigma of a linear elastic body on its nodes, sigma = lambda div(u) 1 + mu (grad u + grad u^T), by
/// (bi-, tri-)linear finite elements (Hughes, The Finite Element Method, chapters 2 and 3). Inputs: the displacements,
/// then lambda and mu of the cells, zero where there is no material. A component that a wall holds is returned as read.
template <class Real, int Axes>
struct ElasticForces {
  static constexpr Shape shape = box<1, Axes>;
  static constexpr int unknowns = Axes;
  static constexpr bool is_long = true;
  /// Of the widths of cells, at n + 1 for the one with global index n: from that below the first to that above the
  /// last.
  Real const* sixth[3];
  Real const* inverse[3];
  Index last[3];        ///< global index of the last node along each axis
  unsigned held[3][2];  ///< components that the lower and the upper wall of an axis hold, as bits

  /// Bounds the sum of the magnitudes of a row's entries: adds those of the integrals.
  template <class P, class K>
  KOKKOS_FUNCTION Real row_sum(P const& at, K const& lambda, K const& mu) const {
    Real largest[Axes] = {};
    add_magnitudes<-1, -1, -1>(largest, at, lambda, mu);
    add_magnitudes<0, -1, -1>(largest, at, lambda, mu);
    add_magnitudes<-1, 0, -1>(largest, at, lambda, mu);
    add_magnitudes<0, 0, -1>(largest, at, lambda, mu);
    if constexpr (Axes == 3) {
      add_magnitudes<-1, -1, 0>(largest, at, lambda, mu);
      add_magnitudes<0, -1, 0>(largest, at, lambda, mu);
      add_magnitudes<-1, 0, 0>(largest, at, lambda, mu);
      add_magnitudes<0, 0, 0>(largest, at, lambda, mu);
    }
    Real sum = 1;  // of a held component
    for (int p = 0; p < Axes; ++p) sum = select(largest[p] > sum, largest[p], sum);
    return sum;
  }

  /// The block of a node.
  template <class P, class K>
  KOKKOS_FUNCTION stencil_functor::PointBlock<Real, Axes> diagonal(P const& at, K const& lambda, K const& mu) const {
    stencil_functor::PointBlock<Real, Axes> block{};
    add_to_block<-1, -1, -1>(block, at, lambda, mu);
    add_to_block<0, -1, -1>(block, at, lambda, mu);
    add_to_block<-1, 0, -1>(block, at, lambda, mu);
    add_to_block<0, 0, -1>(block, at, lambda, mu);
    if constexpr (Axes == 3) {
      add_to_block<-1, -1, 0>(block, at, lambda, mu);
      add_to_block<0, -1, 0>(block, at, lambda, mu);
      add_to_block<-1, 0, 0>(block, at, lambda, mu);
      add_to_block<0, 0, 0>(block, at, lambda, mu);
    }
    unsigned const fixed = held_at(at);
    for (int row = 0; row < Axes; ++row) {
      for (int column = 0; column < Axes; ++column) {
        bool const is_held = ((fixed >> row | fixed >> column) & 1U) != 0;
        block.entry[row][column] = select(is_held, row == column ? Real{1} : Real{0}, block.entry[row][column]);
      }
    }
    return block;
  }

  template <class P, class U, class K>
  KOKKOS_FUNCTION Values<Real, Axes> operator()(P const& at, U const& u, K const& lambda, K const& mu) const {
    Values<Real, Axes> const here_u = u[here];
    Values<Real, Axes> force{};
    add_cell<-1, -1, -1>(force, at, u, lambda, mu);
    add_cell<0, -1, -1>(force, at, u, lambda, mu);
    add_cell<-1, 0, -1>(force, at, u, lambda, mu);
    add_cell<0, 0, -1>(force, at, u, lambda, mu);
    if constexpr (Axes == 3) {
      add_cell<-1, -1, 0>(force, at, u, lambda, mu);
      add_cell<0, -1, 0>(force, at, u, lambda, mu);
      add_cell<-1, 0, 0>(force, at, u, lambda, mu);
      add_cell<0, 0, 0>(force, at, u, lambda, mu);
    }
    unsigned const fixed = held_at(at);
    for (int c = 0; c < Axes; ++c) force[c] = select((fixed >> c & 1U) != 0, here_u[c], force[c]);
    return force;
  }

 private:
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned held_at(P const& at) const {
    unsigned fixed = 0;
    for (int axis = 0; axis < Axes; ++axis) {
      fixed |= at.index(axis) == 0 ? held[axis][0] : 0U;
      fixed |= at.index(axis) == last[axis] ? held[axis][1] : 0U;
    }
    return fixed;
  }

  struct Widths {
    elastic::Width<Real> along[Axes];
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION elastic::Width<Real> width_at(int axis, Index n) const {
    return {sixth[axis][n], inverse[axis][n]};
  }
  /// Of the cell at an offset from the node.
  template <int I, int J, int K, class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Widths widths_at(P const& at) const {
    Widths result{};
    result.along[0] = width_at(0, at.index(0) + I + 1);
    result.along[1] = width_at(1, at.index(1) + J + 1);
    if constexpr (Axes == 3) result.along[2] = width_at(2, at.index(2) + K + 1);
    return result;
  }

  /// Displacements at the nodes of a cell; index 0 along an axis is the node itself.
  struct Corners {
    Real value[Axes][2][2][2];  ///< by component, z, y, x
  };

  template <elastic::Integral X, elastic::Integral Y, elastic::Integral Z, int I, int J, int K>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real tensor(Corners const& u, int component, Widths const& size) {
    Real along_y[2];
    for (int x = 0; x < 2; ++x) {
      Real along_z[2];
      for (int y = 0; y < 2; ++y) {
        if constexpr (Axes == 3) {
          along_z[y] =
              elastic::integral<Z, K == 0>(size.along[2], u.value[component][0][y][x], u.value[component][1][y][x]);
        } else {
          along_z[y] = u.value[component][0][y][x];
        }
      }
      along_y[x] = elastic::integral<Y, J == 0>(size.along[1], along_z[0], along_z[1]);
    }
    return elastic::integral<X, I == 0>(size.along[0], along_y[0], along_y[1]);
  }

  /// The integral of d_P a d_Q u over a cell, u being a component.
  template <int P, int Q, int I, int J, int K>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real product(Corners const& u, int component, Widths const& size) {
    using elastic::Integral;
    constexpr auto kind = [](int axis) {
      if (axis == P && axis == Q) return Integral::stiffness;
      if (axis == P) return Integral::slope_value;
      if (axis == Q) return Integral::value_slope;
      return Integral::mass;
    };
    constexpr Integral x = kind(0);
    constexpr Integral y = kind(1);
    constexpr Integral z = kind(2);
    return tensor<x, y, z, I, J, K>(u, component, size);
  }

  /// Adds what the cell at an offset from the node contributes.
  template <int I, int J, int K, class P, class U, class C>
  KOKKOS_FORCEINLINE_FUNCTION void add_cell(Values<Real, Axes>& force, P const& at, U const& u, C const& lambda,
                                            C const& mu) const {
    constexpr int k = Axes == 3 ? K : 0;
    constexpr int x = I == 0 ? 1 : -1;
    constexpr int y = J == 0 ? 1 : -1;
    constexpr int z = Axes == 3 ? (K == 0 ? 1 : -1) : 0;
    Real const l = lambda[Offset<I, J, k>()];
    Real const m = mu[Offset<I, J, k>()];
    Widths const size = widths_at<I, J, K>(at);
    Corners corners;
    take<0, 0, 0>(corners, u[here]);
    take<1, 0, 0>(corners, u[Offset<x>()]);
    take<0, 1, 0>(corners, u[Offset<0, y>()]);
    take<1, 1, 0>(corners, u[Offset<x, y>()]);
    if constexpr (Axes == 3) {
      take<0, 0, 1>(corners, u[Offset<0, 0, z>()]);
      take<1, 0, 1>(corners, u[Offset<x, 0, z>()]);
      take<0, 1, 1>(corners, u[Offset<0, y, z>()]);
      take<1, 1, 1>(corners, u[Offset<x, y, z>()]);
    }
    add_row<0, I, J, K>(force, corners, size, l, m);
    add_row<1, I, J, K>(force, corners, size, l, m);
    if constexpr (Axes == 3) add_row<2, I, J, K>(force, corners, size, l, m);
  }

  /// What the cell at an offset contributes to the block of a node: integrals of the node's own basis function.
  template <int I, int J, int K, class P, class C>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_block(stencil_functor::PointBlock<Real, Axes>& block, P const& at,
                                                C const& lambda, C const& mu) const {
    constexpr int k = Axes == 3 ? K : 0;
    constexpr bool above[3] = {I == 0, J == 0, K == 0};
    Real const l = lambda[Offset<I, J, k>()];
    Real const m = mu[Offset<I, J, k>()];
    Widths const size = widths_at<I, J, K>(at);
    Real all = 1;  // of mass along all axes: a third of each width
    for (int p = 0; p < Axes; ++p) all *= Real{2} * size.along[p].sixth;
    Real stiffness[Axes];
    Real sum = 0;
    for (int p = 0; p < Axes; ++p) {
      stiffness[p] = Real{3} * all * size.along[p].inverse * size.along[p].inverse;
      sum += stiffness[p];
    }
    for (int p = 0; p < Axes; ++p) {
      block.entry[p][p] += (l + m) * stiffness[p] + m * sum;
      for (int q = 0; q < Axes; ++q) {
        if (q == p) continue;
        // Slopes of one sign along both axes on cells below both or above both.
        Real const sign = above[p] == above[q] ? Real{1} : Real{-1};
        Real const mixed = Real{2.25} * sign * all * size.along[p].inverse * size.along[q].inverse;
        block.entry[p][q] += (l + m) * mixed;
      }
    }
  }

  /// By row: the sum of |integrals| of a node's basis function with those of a cell's nodes. Along one axis these are
  /// width / 2 for masses, 2 / width for stiffnesses and 1 for the others.
  template <int I, int J, int K, class P, class C>
  KOKKOS_FORCEINLINE_FUNCTION void add_magnitudes(Real (&sums)[Axes], P const& at, C const& lambda, C const& mu) const {
    constexpr int k = Axes == 3 ? K : 0;
    Real const l = lambda[Offset<I, J, k>()];
    Real const m = mu[Offset<I, J, k>()];
    Widths const size = widths_at<I, J, K>(at);
    Real masses = 1;
    for (int p = 0; p < Axes; ++p) masses *= Real{3} * size.along[p].sixth;
    Real laplacian = 0;
    for (int p = 0; p < Axes; ++p) laplacian += Real{4} * masses * size.along[p].inverse * size.along[p].inverse;
    Real const modulus = (l < Real{0} ? -l : l) + m;
    for (int p = 0; p < Axes; ++p) {
      sums[p] += modulus * (Real{4} * masses * size.along[p].inverse * size.along[p].inverse) + m * laplacian;
      for (int q = 0; q < Axes; ++q) {
        if (q != p) sums[p] += modulus * (Real{4} * masses * size.along[p].inverse * size.along[q].inverse);
      }
    }
  }

  template <int X, int Y, int Z>
  KOKKOS_FORCEINLINE_FUNCTION static void take(Corners& corners, Values<Real, Axes> const& u) {
    for (int c = 0; c < Axes; ++c) corners.value[c][Z][Y][X] = u[c];
  }

  template <int P, int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION static void add_row(Values<Real, Axes>& force, Corners const& u, Widths const& size,
                                                  Real l, Real m) {
    Real sum = (l + m) * product<P, P, I, J, K>(u, P, size);
    sum += m * (product<0, 0, I, J, K>(u, P, size) + product<1, 1, I, J, K>(u, P, size));
    if constexpr (Axes == 3) sum += m * product<2, 2, I, J, K>(u, P, size);
    constexpr int q = (P + 1) % Axes;
    sum += l * product<P, q, I, J, K>(u, q, size) + m * product<q, P, I, J, K>(u, q, size);
    if constexpr (Axes == 3) {
      constexpr int r = (P + 2) % Axes;
      sum += l * product<P, r, I, J, K>(u, r, size) + m * product<r, P, I, J, K>(u, r, size);
    }
    // Beyond walls displacements are unknown.
    force[P] += select(m > Real{0}, sum, Real{0});
  }
};

}  // namespace halocline
