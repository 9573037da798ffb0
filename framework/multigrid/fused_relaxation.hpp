#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/mesh/box_difference.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/functor_rows.hpp"
#include "framework/multigrid/relaxation_sweeps.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// A functor that has the same values as `functor` for unknowns of which no neighbour is beside a wall.
template <class Functor>
[[nodiscard]] auto inside_of(Functor const& functor) {
  if constexpr (requires { functor.inside(); }) {
    return functor.inside();
  } else {
    return functor;
  }
}

/// Red-black Gauss-Seidel relaxations on devices in one pass over memory for both colours, from one vector to another:
/// with constant coefficients 3 values per unknown instead of 6 for two half-sweeps. For large blocks of a star. The
/// shell is relaxed one colour after the other: unknowns beside walls (with other diagonals) and beside other blocks
/// (which need ghosts of the first colour).
template <class Stencil>
class FusedRelaxation {
 public:
  using Real = typename Stencil::Real;
  static constexpr int dimensions = Stencil::dimensions;
  using Functor = typename Stencil::FunctorType;
  using Inside = decltype(inside_of(std::declval<Functor const&>()));
  template <bool FromZero>
  using BothColours = RelaxBothColours<Real, Inside, Stencil::coefficients, FromZero>;
  /// In three dimensions and single precision, no form with coefficients is faster than two half-sweeps.
  static constexpr bool possible = !kernel::is_host<Execution> && dimensions > 1 &&
                                   Functor::shape.kind == ShapeKind::star &&
                                   (Stencil::coefficients == 0 || dimensions == 2 || sizeof(Real) == 8);
  /// With fewer unknowns per block, launches take longer than memory accesses.
  static constexpr Index fewest_unknowns = Index{1} << 20U;

  /// Collective. `rows`: by Block::local. `exchange`: null if no block has a neighbour.
  FusedRelaxation(ControlVolumeGrid const& grid, std::vector<Stencil> const& rows, Exchange* exchange)
      : grid_(grid), exchange_(exchange) {
    bool small = false;
    for (Block const& block : grid.mesh->blocks()) {
      Part part{rows[block.local], {}, {}};
      IndexRange const box = grid.unknowns(block);
      part.inner = box;
      for (int axis = 0; axis < dimensions; ++axis) {
        auto const a = static_cast<std::size_t>(axis);
        part.inner.begin[a] += block.neighbour(axis, -1) ? 1 : 2;
        part.inner.end[a] -= block.neighbour(axis, 1) ? 1 : 2;
      }
      small = small || part.inner.size() < fewest_unknowns;
      part.shell = without(box, part.inner);
      parts_.push_back(std::move(part));
    }
    pays_ = !grid.mesh->communicator().any(small);
  }

  /// Whether to use it; the same on all ranks.
  [[nodiscard]] bool pays() const { return pays_; }

  /// to = one relaxation from x = 0.
  void from_zero(int first, Field<Real> const& b, Field<Real>& to) const {
    run(first, b, to, [&](Block const& block, Part const& part, bool is_shell) {
      if (is_shell) {
        part.rows.sweep_boxes(execution(block), part.shell, to.view(block),
                              stencil_functor::ColourRelaxationFromZero<Real, Functor>{part.rows.functor, first},
                              b.view(block));
      } else {
        part.rows.sweep(execution(block), part.inner, to.view(block),
                        BothColours<true>{inside_of(part.rows.functor), first}, b.view(block));
      }
    });
  }

  /// to = one relaxation of x, whose ghosts must be valid.
  void operator()(int first, Field<Real> const& b, Field<Real> const& x, Field<Real>& to) const {
    run(first, b, to, [&](Block const& block, Part const& part, bool is_shell) {
      if (is_shell) {
        part.rows.sweep_boxes(execution(block), part.shell, to.view(block), colour(part, first), b.view(block),
                              x.view(block));
      } else {
        // A view of x without ghost record: the box includes corners, which are not valid and which the functor does
        // not read.
        BlockView<Real const> const all_of_x = x.view(block);
        part.rows.sweep(execution(block), part.inner, to.view(block),
                        BothColours<false>{inside_of(part.rows.functor), first}, all_of_x, b.view(block));
      }
    });
  }

 private:
  struct Part {
    Stencil rows;
    IndexRange inner;
    std::vector<IndexRange> shell;
  };

  [[nodiscard]] static auto colour(Part const& part, int colour) {
    return stencil_functor::ColourRelaxation<Real, Functor>{part.rows.functor, colour};
  }

  /// The shell's first colour, whose messages overlap with the inner sweep, then the shell's second colour.
  template <class Sweep>
  void run(int first, Field<Real> const& b, Field<Real>& to, Sweep const& sweep_part) const {
    auto const& blocks = grid_.mesh->blocks();
    for (Block const& block : blocks) sweep_part(block, parts_[block.local], true);
    bool const hidden = exchange_ != nullptr && exchange_->overlaps();
    if (hidden) exchange_->start({&to});
    for (Block const& block : blocks) sweep_part(block, parts_[block.local], false);
    if (hidden) exchange_->finish();
    if (exchange_ != nullptr && !hidden) exchange_->exchange({&to});
    for (Block const& block : blocks) {
      Part const& part = parts_[block.local];
      part.rows.sweep_boxes(execution(block), part.shell, to.view(block),
                            stencil_functor::ColourInPlace<Real, Functor>{{part.rows.functor, 1 - first}},
                            b.view(block), std::as_const(to).view(block));
    }
  }

  ControlVolumeGrid const& grid_;
  Exchange* exchange_;
  std::vector<Part> parts_;  ///< by Block::local
  bool pays_ = false;
};

}  // namespace halocline
