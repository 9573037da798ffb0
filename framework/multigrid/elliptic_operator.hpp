#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/functor_name.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/coefficients.hpp"
#include "framework/multigrid/functor_rows.hpp"
#include "framework/multigrid/next_level.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// A linear elliptic equation on the unknowns of a grid that can also be discretised on coarser grids: everything that
/// multigrid needs.
///
/// The functor is A u at a point, integrated over its control volume, of radius 1, symmetric and positive definite (or
/// semidefinite). Ghosts of u beyond walls are zero; UniformFaces gives a functor the effect of a wall on the adjacent
/// unknown. Its coefficients are fields on the unknowns with one layer of ghosts; those beyond walls hold the value of
/// the adjacent unknown.
///
/// For a star, the couplings across faces are computed once and stored, so that the functor's cost does not matter, and
/// coarser levels are derived from them (face_operator.hpp). A functor that reads corners is evaluated in every pass,
/// and on coarser grids too, with averaged coefficients.
template <class Real, class Functor, std::size_t CoefficientCount>
struct EllipticEquation {
  using Coefficients = std::array<std::shared_ptr<Field<Real> const>, CoefficientCount>;
  ControlVolumeGrid grid;
  Coefficients coefficients{};
  std::function<Functor(ControlVolumeGrid const&)> functor_on;
  /// Makes the same operator in single precision, for functors that read corners; empty if there is none.
  std::function<std::unique_ptr<Operator>()> single_precision{};
  Regularity regularity = Regularity::regular;
};

/// The operator of an equation, with its own coarsening. Collective over the grid's communicator. Throws DefectError
/// for a coefficient without ghosts, and PhysicsError for an unsymmetric star.
///
/// A physics calls it in a separate .cpp, because it takes long to compile.
template <class Real, class Functor, std::size_t CoefficientCount>
[[nodiscard]] std::unique_ptr<Operator> make_elliptic_operator(
    EllipticEquation<Real, Functor, CoefficientCount> equation);

namespace elliptic {

/// The rows of an equation on all blocks of this rank, and their memory.
template <class Real, class Functor, std::size_t CoefficientCount>
class BlockRows {
 public:
  using Equation = EllipticEquation<Real, Functor, CoefficientCount>;
  using Rows = FunctorRows<Real, Functor, CoefficientCount>;

  explicit BlockRows(Equation const& equation) : coefficients_(equation.coefficients) {
    Functor const functor = equation.functor_on(equation.grid);
    geometry_.reserve(equation.grid.mesh->blocks().size());
    for (Block const& block : equation.grid.mesh->blocks()) {
      geometry_.emplace_back(*equation.grid.mesh, block, equation.grid.centring);
      rows.push_back(rows_of(functor, block, std::make_index_sequence<CoefficientCount>()));
    }
  }

  std::vector<Rows> rows;  ///< by Block::local

 private:
  template <std::size_t... Position>
  Rows rows_of(Functor const& functor, Block const& block, std::index_sequence<Position...>) const {
    return {functor, geometry_.back().geometry(), kernel::as_inputs(coefficients_[Position]->view(block)...)};
  }

  typename Equation::Coefficients coefficients_;
  std::vector<BlockGeometry<Real>> geometry_;
};

/// Reads as the vector that is one everywhere, beyond walls too.
template <class Real>
struct One {
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real operator[](Offset<I, J, K>) const {
    return Real{1};
  }
};

/// The couplings across the faces of one axis, walls included; and what remains of a row besides its differences.
template <class Rows, int Axis>
struct TakeFaces {
  using Real = typename Rows::Real;
  Rows rows;
  BlockView<Real> faces;
  Index last;  ///< local index of the block's last unknown along the axis
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    constexpr auto before = along<Axis, -1>;
    constexpr auto behind = along<Axis, 1>;
    Index const at[3] = {i, j, k};
    faces(i, j, k) = -rows.evaluate(stencil_functor::Unit<Real, before.x, before.y, before.z>{}, i, j, k);
    if (at[Axis] < last) return;
    faces(i + behind.x, j + behind.y, k + behind.z) =
        -rows.evaluate(stencil_functor::Unit<Real, behind.x, behind.y, behind.z>{}, i, j, k);
  }
};
template <class Rows>
struct TakeShift {
  Rows rows;
  BlockView<typename Rows::Real> shift;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    shift(i, j, k) = rows.evaluate(One<typename Rows::Real>{}, i, j, k);
  }
};

/// Counts the faces whose two rows have different couplings. Both come from the same numbers by a few operations.
template <class Rows, int Axis>
struct CountUnsymmetricFaces {
  using Real = typename Rows::Real;
  Rows rows;
  BlockView<Real const> faces;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k, double& count) const {
    constexpr auto behind = along<Axis, 1>;
    Real const mine = -rows.evaluate(stencil_functor::Unit<Real, behind.x, behind.y, behind.z>{}, i, j, k);
    Real const other = faces(i + behind.x, j + behind.y, k + behind.z);
    Real const magnitude = Kokkos::abs(mine) + Kokkos::abs(other);
    if (!(Kokkos::abs(mine - other) <= 100 * Kokkos::Experimental::epsilon_v<Real> * magnitude)) count += 1;
  }
};

/// Face coefficients of a star's functor.
template <class Real, class Functor, std::size_t CoefficientCount>
[[nodiscard]] FaceCoefficients<Real> faces_of(EllipticEquation<Real, Functor, CoefficientCount> const& equation) {
  using Rows = FunctorRows<Real, Functor, CoefficientCount>;
  ControlVolumeGrid const& grid = equation.grid;
  FaceCoefficients<Real> all(grid);
  BlockRows<Real, Functor, CoefficientCount> const block_rows(equation);
  double unsymmetric = 0;
  for (Block const& block : grid.mesh->blocks()) {
    Rows const& rows = block_rows.rows[block.local];
    IndexRange const unknowns = grid.unknowns(block);
    for_box(execution(block), unknowns, TakeShift<Rows>{rows, all.shift->view(block)});
    auto const take = [&]<int Axis>(std::integral_constant<int, Axis>) {
      if constexpr (Axis < Rows::dimensions) {
        for_box(execution(block), unknowns,
                TakeFaces<Rows, Axis>{rows, all.faces[Axis]->view(block), unknowns.end[Axis] - 1});
        unsymmetric +=
            sum_over_box(execution(block), unknowns,
                         CountUnsymmetricFaces<Rows, Axis>{rows, std::as_const(*all.faces[Axis]).view(block)});
      }
    };
    take(std::integral_constant<int, 0>());
    take(std::integral_constant<int, 1>());
    take(std::integral_constant<int, 2>());
    execution(block).fence();
  }
  if (grid.mesh->communicator().sum(unsymmetric) > 0) {
    throw PhysicsError("`" + kernel::functor_name<Functor>() +
                       "` is not symmetric, or an entry is not a number: multigrid for elliptic equations needs equal "
                       "couplings between two neighbours in both directions");
  }
  sum_diagonal(grid, all);
  return all;
}

template <class Real, class Functor, std::size_t CoefficientCount>
[[nodiscard]] std::unique_ptr<Coarsening> coarsen(EllipticEquation<Real, Functor, CoefficientCount> const& equation,
                                                  Operator const& fine) {
  using Equation = EllipticEquation<Real, Functor, CoefficientCount>;
  ControlVolumeGrid const& grid = equation.grid;
  auto const block_rows = std::make_shared<BlockRows<Real, Functor, CoefficientCount> const>(equation);
  auto const make_coarse = [&](ControlVolumeGrid const& coarse_grid, auto const& of) {
    Equation coarse{.grid = coarse_grid, .functor_on = equation.functor_on};
    std::transform(equation.coefficients.begin(), equation.coefficients.end(), coarse.coefficients.begin(), of);
    return make_elliptic_operator(std::move(coarse));
  };
  return next_level(
      grid, mean_couplings(grid, block_rows->rows), fine, block_rows->rows, block_rows,
      [&](Agglomeration<Real> const& agglomeration) {
        return make_coarse(agglomeration.whole(), [&](auto const& k) { return agglomerated(agglomeration, *k); });
      },
      [&](ControlVolumeGrid const& coarse, std::array<Index, 3> const& factor) {
        return make_coarse(coarse, [&](auto const& k) { return coarse_means(grid, coarse, factor, *k); });
      });
}

/// The operator of a functor that is evaluated in every pass.
template <class Real, class Functor, std::size_t CoefficientCount>
[[nodiscard]] std::unique_ptr<Operator> make_evaluated_operator(
    EllipticEquation<Real, Functor, CoefficientCount> equation) {
  using Made = StencilOperator<Real, Functor, CoefficientCount>;
  auto const shared = std::make_shared<EllipticEquation<Real, Functor, CoefficientCount> const>(std::move(equation));
  auto description = description_on<Real, Functor, CoefficientCount>(shared->grid, shared->regularity,
                                                                     shared->functor_on(shared->grid));
  description.coefficients = shared->coefficients;
  description.single_precision = shared->single_precision;
  description.coarsening = [shared](Made const& fine) { return elliptic::coarsen(*shared, fine); };
  return std::make_unique<Made>(std::move(description));
}

}  // namespace elliptic

template <class Real, class Functor, std::size_t CoefficientCount>
std::unique_ptr<Operator> make_elliptic_operator(EllipticEquation<Real, Functor, CoefficientCount> equation) {
  if constexpr (Functor::shape.kind == ShapeKind::star) {
    return make_face_operator<Real, Functor::shape.dimensions()>(equation.grid, elliptic::faces_of(equation),
                                                                 equation.regularity);
  } else {
    return elliptic::make_evaluated_operator(std::move(equation));
  }
}

}  // namespace halocline
