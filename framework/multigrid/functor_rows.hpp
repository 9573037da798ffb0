#pragma once

#include <cstddef>
#include <utility>

#include "framework/kernel/views.hpp"
#include "framework/multigrid/rows.hpp"
#include "framework/operator/stencil_functors.hpp"

namespace halocline {

/// Reads as a vector whose entry at the point itself is zero.
template <class Real, class Vector>
struct NeighboursOf {
  Vector vector;
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION Real operator[](Offset<I, J, K> offset) const {
    if constexpr (I == 0 && J == 0 && K == 0) {
      return Real{0};
    } else {
      return vector[offset];
    }
  }
};

template <class RealType, class Functor, class CoefficientPositions>
class FunctorRowsAt;

/// The rows (rows.hpp) of any linear functor of radius 1 on one block. Neighbours are the functor's value for a vector
/// whose entry at the point itself is zero; the diagonal is its value for the unit vector. So its formula exists once.
/// Device code indexes its coefficients by position.
template <class RealType, class Functor, std::size_t... Position>
class FunctorRowsAt<RealType, Functor, std::index_sequence<Position...>> {
 public:
  using Real = RealType;
  static constexpr int dimensions = Functor::shape.dimensions();
  static constexpr int coefficients = sizeof...(Position);
  static constexpr int colours = stencil_functor::ColourRelaxation<Real, Functor>::colours;
  static_assert(Functor::shape.radius == 1 && Functor::shape.axes == (1 << dimensions) - 1,
                "multigrid is for stencils of radius 1 along all axes");

  template <std::size_t>
  using RealOf = Real;
  using Coefficients = kernel::Inputs<RealOf<Position>...>;

  Functor functor;
  Geometry<Real> geometry;
  Coefficients inputs;

  /// The values of a vector that a row reads.
  struct Around {
    BlockView<Real const> x;
    Real const* centre;
    KOKKOS_FORCEINLINE_FUNCTION Around(BlockView<Real const> const& vector, Index j, Index k)
        : x(vector), centre(vector.at(0, j, k)) {}
  };

  class Row {
   public:
    Row() = default;
    KOKKOS_FORCEINLINE_FUNCTION Row(FunctorRowsAt const& rows, Index j, Index k) : rows_(&rows), j_(j), k_(k) {}
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real neighbours(Around const& x, Index i) const {
      using VectorReader = Reader<Real, InputShape<Functor, 0>>;
      NeighboursOf<Real, VectorReader> const around{{x.x.at(i, j_, k_), x.x.row, x.x.plane}};
      return -rows_->evaluate(around, i, j_, k_);
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i) const { return rows_->diagonal(i, j_, k_); }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse(Index i) const { return inverse_or_zero(diagonal(i)); }

   private:
    FunctorRowsAt const* rows_ = nullptr;
    Index j_ = 0;
    Index k_ = 0;
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(Index j, Index k) const { return Row(*this, j, k); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real diagonal(Index i, Index j, Index k) const {
    return stencil_functor::diagonal_of<Real>(functor, Point<Real>(geometry, i, j, k), reader<Position>(i, j, k)...);
  }
  [[nodiscard]] static constexpr bool is_inner_row(Index, Index) { return false; }

  /// The functor's value for a vector.
  template <class U>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real evaluate(U const& u, Index i, Index j, Index k) const {
    return functor(Point<Real>(geometry, i, j, k), u, reader<Position>(i, j, k)...);
  }
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real coupling(Index i, Index j, Index k) const {
    constexpr auto next = along<Axis, 1>;
    Real const entry = evaluate(stencil_functor::Unit<Real, next.x, next.y, next.z>{}, i, j, k);
    return entry < Real{0} ? -entry : entry;
  }

 private:
  template <std::size_t N>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto reader(Index i, Index j, Index k) const {
    using In = InputShape<Functor, static_cast<int>(N) + 1>;
    BlockView<Real const> const& view = kernel::input_at<N>(inputs);
    return Reader<Real, In>{view.at(i, j, k), view.row, view.plane};
  }
};

template <class Real, class Functor, std::size_t CoefficientCount>
using FunctorRows = FunctorRowsAt<Real, Functor, std::make_index_sequence<CoefficientCount>>;

}  // namespace halocline
