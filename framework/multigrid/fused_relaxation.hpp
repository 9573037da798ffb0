#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/box_difference.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/relaxation.hpp"
#include "framework/multigrid/relaxation_sweeps.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

// Stages on devices: one unknown per work item.

/// One colour from x = 0: sets the other colours to zero and does not read x.
template <class Stencil>
struct RelaxZeroPoint {
  LevelViews<Stencil> views;
  int colour;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    bool const mine = views.has_colour(colour, i, j, k);
    views.x(i, j, k) = mine ? views.b(i, j, k) * inverse_at(views, i, j, k) : 0;
  }
};
template <class Stencil>
struct RelaxPoint {
  LevelViews<Stencil> views;
  int colour;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    if (views.has_colour(colour, i, j, k)) views.x(i, j, k) = relaxed(views, i, j, k);
  }
};
/// The same into another vector, with a copy of the other colour, which is read across an odd periodic axis.
template <class Stencil>
struct RelaxPointTo {
  LevelViews<Stencil> views;
  BlockView<typename Stencil::Real> to;
  int colour;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    bool const mine = views.has_colour(colour, i, j, k);
    to(i, j, k) = mine ? relaxed(views, i, j, k) : views.x(i, j, k);
  }
};

/// Red-black Gauss-Seidel relaxations on devices in one pass over memory for both colours, from one vector to another:
/// 3 values per unknown instead of 6 for two half-sweeps. For large blocks with constant coefficients. The shell is
/// relaxed one colour after the other: unknowns beside walls (with other diagonals) and beside other blocks (which need
/// ghosts of the first colour).
template <class Stencil>
class FusedRelaxation {
 public:
  using Real = typename Stencil::Real;
  static constexpr int dimensions = Stencil::dimensions;
  static constexpr bool possible = !kernel::is_host<Execution> && dimensions > 1 && Stencil::colours == 2 &&
                                   requires(Stencil const& stencil) {
    stencil.inner_row(0, 0, 0);
  };
  /// With fewer unknowns per block, launches take longer than memory accesses.
  static constexpr Index fewest_unknowns = Index{1} << 20U;

  /// Collective. `maps`: by Block::local. `exchange`: null if no block has a neighbour.
  FusedRelaxation(ControlVolumeGrid const& grid, std::vector<LevelViews<Stencil>> const& maps, Exchange* exchange)
      : grid_(grid), exchange_(exchange) {
    bool small = false;
    for (Block const& block : grid.mesh->blocks()) {
      Part part;
      part.map = maps[block.local];
      IndexRange const box = grid.unknowns(block);
      part.inner = box;
      for (int axis = 0; axis < dimensions; ++axis) {
        auto const a = static_cast<std::size_t>(axis);
        part.inner.begin[a] += block.neighbour(axis, -1) ? 1 : 2;
        part.inner.end[a] -= block.neighbour(axis, 1) ? 1 : 2;
      }
      small = small || part.inner.size() < fewest_unknowns;
      part.shell = without(box, part.inner);
      auto const& at = part.inner.begin;
      part.row = part.map.stencil.inner_row(at[0], at[1], at[2]);
      Extents const first = grid.first_entry(block);
      for (std::size_t a = 0; a < 3; ++a) part.geometry.first[a] = first[a];
      parts_.push_back(std::move(part));
    }
    pays_ = !grid.mesh->communicator().any(small);
  }

  /// Whether to use it; the same on all ranks.
  [[nodiscard]] bool pays() const { return pays_; }

  /// to = one relaxation from x = 0.
  void from_zero(int first, Field<Real> const& b, Field<Real>& to) const {
    run(
        first, b, to, to,
        [&](Block const&, LevelViews<Stencil> const& views) {
          return RelaxZeroPoint<Stencil>{views, first};
        },
        [&](Block const& block, Part const& part) {
          sweep(execution(block), part.inner, part.geometry, to.view(block),
                RelaxBothColoursFromZero<Real, dimensions>{part.row, first}, b.view(block));
        });
  }

  /// to = one relaxation of x, whose ghosts must be valid.
  void operator()(int first, Field<Real> const& b, Field<Real>& x, Field<Real>& to) const {
    run(
        first, b, x, to,
        [&](Block const& block, LevelViews<Stencil> const& views) {
          return RelaxPointTo<Stencil>{views, to.view(block), first};
        },
        [&](Block const& block, Part const& part) {
          // A view of x without ghost record: the box includes corners, which are not valid and which the functor does
          // not read.
          BlockView<Real const> const all_of_x = x.view(block);
          sweep(execution(block), part.inner, part.geometry, to.view(block),
                RelaxBothColours<Real, dimensions>{part.row, first}, all_of_x, b.view(block));
        });
  }

 private:
  struct Part {
    LevelViews<Stencil> map;
    Geometry<Real> geometry;
    IndexRange inner;
    std::vector<IndexRange> shell;
    InnerRow<Real, dimensions> row;
  };

  [[nodiscard]] static LevelViews<Stencil> views(Part const& part, Block const& block, Field<Real> const& b,
                                                 Field<Real>& x) {
    LevelViews<Stencil> views = part.map;
    views.b = b.view(block);
    views.x = x.view(block);
    return views;
  }

  /// The shell's first colour, whose messages overlap with the inner sweep, then the shell's second colour.
  template <class MakeFirst, class Inside>
  void run(int first, Field<Real> const& b, Field<Real>& x, Field<Real>& to, MakeFirst const& make_first,
           Inside const& sweep_inside) const {
    auto const& blocks = grid_.mesh->blocks();
    for (Block const& block : blocks) {
      Part const& part = parts_[block.local];
      for_boxes(execution(block), part.shell, make_first(block, views(part, block, b, x)));
      to.mark_written(block, grid_.unknowns(block), "red-black relaxation");
    }
    bool const hidden = exchange_ != nullptr && exchange_->overlaps();
    if (hidden) exchange_->start({&to});
    for (Block const& block : blocks) sweep_inside(block, parts_[block.local]);
    if (hidden) exchange_->finish();
    if (exchange_ != nullptr && !hidden) exchange_->exchange({&to});
    for (Block const& block : blocks) {
      Part const& part = parts_[block.local];
      for_boxes(execution(block), part.shell, RelaxPoint<Stencil>{views(part, block, b, to), 1 - first});
      to.mark_written(block, grid_.unknowns(block), "red-black relaxation");
    }
  }

  ControlVolumeGrid const& grid_;
  Exchange* exchange_;
  std::vector<Part> parts_;  ///< by Block::local
  bool pays_ = false;
};

}  // namespace halocline
