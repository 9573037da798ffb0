#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/operator/stencil_functors.hpp"

namespace halocline {

template <class RealType, class Functor, class CoefficientPositions>
class FunctorRowsAt;

/// The rows of any linear functor of radius 1 on one block, as relaxation and transfers use them where they do not
/// sweep the block: rows of a wavefront on a host, points of resident levels on a device. What they compute of a row is
/// written once, for sweeps too (stencil_functors.hpp).
///
/// A functor of a star may declare `has_equal_rows`: the rows of all unknowns away from walls are alike, where `first`
/// and `last` are the global indices of the unknowns beside walls. `inside()` then returns a functor for those, with
/// `neighbours` and `inverse_diagonal`.
template <class RealType, class Functor, std::size_t... Position>
class FunctorRowsAt<RealType, Functor, std::index_sequence<Position...>> {
  template <std::size_t>
  using RealOf = RealType;

 public:
  using Real = RealType;
  using FunctorType = Functor;
  using Coefficients = kernel::Inputs<RealOf<Position>...>;
  static constexpr int dimensions = Functor::shape.dimensions();
  static constexpr int coefficients = sizeof...(Position);
  static constexpr int colours = stencil_functor::ColourRelaxation<Real, Functor>::colours;
  static constexpr bool has_equal_rows = requires { requires Functor::has_equal_rows; };
  static_assert(Functor::shape.radius == 1 && Functor::shape.axes == (1 << dimensions) - 1,
                "multigrid is for stencils of radius 1 along all axes");

  Functor functor;
  Geometry<Real> geometry;
  Coefficients inputs;

  /// Sweeps the block by a functor made from the rows' own; the coefficients follow its other inputs.
  template <class Execution, class Out, class Kernel, class... In>
  void sweep(Execution const& execution, IndexRange const& box, Out const& out, Kernel const& kernel,
             In const&... in) const {
    halocline::sweep(execution, box, geometry, out, kernel, in..., kernel::input_at<Position>(inputs)...);
  }
  /// The same for several disjoint boxes, in one launch.
  template <class Execution, class Out, class Kernel, class... In>
  void sweep_boxes(Execution const& execution, std::vector<IndexRange> const& boxes, Out const& out,
                   Kernel const& kernel, In const&... in) const {
    halocline::sweep_boxes(execution, boxes, geometry, out, kernel, in..., kernel::input_at<Position>(inputs)...);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i, Index j, Index k) const {
    return stencil_functor::diagonal_of<Real>(functor, point(i, j, k), reader<Position>(i, j, k)...);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real relaxed(BlockView<Real const> const& b, BlockView<Real const> const& x,
                                                         Index i, Index j, Index k) const {
    return stencil_functor::relaxed<Real>(functor, point(i, j, k), vector(b, i, j, k), vector(x, i, j, k),
                                          reader<Position>(i, j, k)...);
  }
  /// The same from x = 0.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real relaxed_from_zero(BlockView<Real const> const& b, Index i, Index j,
                                                                   Index k) const {
    return stencil_functor::solve_point<Real>(functor, point(i, j, k), b(i, j, k), reader<Position>(i, j, k)...);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real residual(BlockView<Real const> const& b,
                                                          BlockView<Real const> const& x, Index i, Index j,
                                                          Index k) const {
    Real const neighbours =
        stencil_functor::neighbours_of<Real>(functor, point(i, j, k), vector(x, i, j, k), reader<Position>(i, j, k)...);
    return b(i, j, k) + (neighbours - diagonal(i, j, k) * x(i, j, k));
  }
  /// The functor's value for a vector.
  template <class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real evaluate(U const& u, Index i, Index j, Index k) const {
    return functor(point(i, j, k), u, reader<Position>(i, j, k)...);
  }
  /// The magnitude of the entry that couples an unknown with the next one along an axis.
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real coupling(Index i, Index j, Index k) const {
    constexpr auto next = along<Axis, 1>;
    return stencil_functor::magnitude(evaluate(stencil_functor::Unit<Real, next.x, next.y, next.z>{}, i, j, k));
  }

  /// The different diagonal entries at one (j, k) of a functor that has equal rows.
  struct EqualDiagonals {
    Real diagonals[3] = {};  ///< beside the lower wall, inside, beside the upper wall
    Real inverses[3] = {};
    int lower = 0;  ///< local index of the unknown beside the lower wall …
    int upper = 0;  ///< … and beside the upper one; out of range if the block is not at that wall

    [[nodiscard]] Real at(Real const (&values)[3], int i) const {
      Real const low = select(i == lower, values[0], values[1]);
      return select(i == upper, values[2], low);
    }
  };

  /// The rows at one (j, k), on a host. What does not depend on i is found once.
  class Row {
   public:
    Row(FunctorRowsAt const& rows, EqualDiagonals const& equal, BlockView<Real const> const& x, Index j, Index k)
        : functor_{rows.functor},
          geometry_(rows.geometry),
          in_(kernel::as_inputs(x, kernel::input_at<Position>(rows.inputs)...).moved(0, j, k)),
          equal_(equal),
          j_(j),
          k_(k) {}

    [[nodiscard]] Real neighbours(Index i) const {
      return in_.template evaluate_moved<0, 0>(functor_, Point<Real>(geometry_, i, j_, k_), i);
    }
    [[nodiscard]] Real diagonal(int i) const {
      if constexpr (has_equal_rows) {
        return equal_.at(equal_.diagonals, i);
      } else {
        return in_.template evaluate_moved<0, 0>(stencil_functor::DiagonalBesideVector<Real, Functor>{functor_.a},
                                                 Point<Real>(geometry_, i, j_, k_), i);
      }
    }
    [[nodiscard]] Real inverse(int i) const {
      if constexpr (has_equal_rows) {
        return equal_.at(equal_.inverses, i);
      } else {
        return stencil_functor::inverse_or_zero(diagonal(i));
      }
    }

   private:
    stencil_functor::Neighbours<Real, Functor> functor_;
    Geometry<Real> geometry_;
    kernel::Inputs<Real, RealOf<Position>...> in_;
    EqualDiagonals equal_;
    Index j_;
    Index k_;
  };

  /// Whether the rows at (j, k) are equal to those at any other (j, k) for which this is true: not beside a wall.
  [[nodiscard]] bool is_inner(Index j, Index k) const {
    if constexpr (!has_equal_rows) return false;
    Index const at[3] = {0, geometry.first[1] + j, geometry.first[2] + k};
    bool inner = true;
    for (int axis = 1; axis < dimensions; ++axis) {
      inner = inner && at[axis] != functor.first[axis] && at[axis] != functor.last[axis];
    }
    return inner;
  }
  [[nodiscard]] EqualDiagonals equal_diagonals(Index j, Index k) const {
    EqualDiagonals equal;
    Index const lower = functor.first[0] - geometry.first[0];
    Index const upper = functor.last[0] - geometry.first[0];
    // A row of one or two unknowns has no interior; the values there are not used.
    Index const where[3] = {lower, lower + 1, upper};
    for (int n = 0; n < 3; ++n) {
      equal.diagonals[n] = diagonal(where[n], j, k);
      equal.inverses[n] = stencil_functor::inverse_or_zero(equal.diagonals[n]);
    }
    equal.lower = within_int(lower);
    equal.upper = within_int(upper);
    return equal;
  }

 private:
  [[nodiscard]] static int within_int(Index local) {
    constexpr Index highest = (Index{1} << 31) - 1;
    return static_cast<int>(local < -1 ? -1 : local > highest ? highest : local);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Point<Real> point(Index i, Index j, Index k) const {
    return Point<Real>(geometry, i, j, k);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static auto vector(BlockView<Real const> const& x, Index i, Index j,
                                                               Index k) {
    return Reader<Real, InputShape<Functor, 0>>{x.at(i, j, k), x.row, x.plane};
  }
  template <std::size_t N>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto reader(Index i, Index j, Index k) const {
    using In = InputShape<Functor, static_cast<int>(N) + 1>;
    BlockView<Real const> const& view = kernel::input_at<N>(inputs);
    return Reader<Real, In>{view.at(i, j, k), view.row, view.plane};
  }
};

template <class Real, class Functor, std::size_t CoefficientCount>
using FunctorRows = FunctorRowsAt<Real, Functor, std::make_index_sequence<CoefficientCount>>;

/// The rows of a block in sequence, on a host; equal ones are found once.
template <class Rows>
class RowsInOrder {
 public:
  RowsInOrder(Rows const& rows, BlockView<typename Rows::Real const> const& x) : rows_(rows), x_(x) {}
  [[nodiscard]] typename Rows::Row operator()(Index j, Index k) {
    if constexpr (Rows::has_equal_rows) {
      bool const inner = rows_.is_inner(j, k);
      if (!inner || !is_inner_) equal_ = rows_.equal_diagonals(j, k);
      is_inner_ = inner;
    }
    return typename Rows::Row(rows_, equal_, x_, j, k);
  }

 private:
  Rows const& rows_;
  BlockView<typename Rows::Real const> x_;
  typename Rows::EqualDiagonals equal_{};
  bool is_inner_ = false;  ///< whether equal_ is that of inner rows
};

}  // namespace halocline
