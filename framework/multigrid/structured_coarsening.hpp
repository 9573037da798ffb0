#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "framework/halo/exchange.hpp"
#include "framework/kernel/wavefront.hpp"
#include "framework/mesh/box_difference.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/cubic_interpolation.hpp"
#include "framework/multigrid/fused_relaxation.hpp"
#include "framework/multigrid/neighbour_exchange.hpp"
#include "framework/multigrid/relaxation.hpp"
#include "framework/multigrid/resident_cycle.hpp"
#include "framework/multigrid/transfers.hpp"
#include "framework/multigrid/wall_restriction.hpp"
#include "framework/operator/coarsening.hpp"
#include "framework/operator/field_vector.hpp"

namespace halocline {

/// The numbered stages of the down-sweep or the up-sweep of a V-cycle on one block.
template <class Stencil>
struct RelaxationStages {
  enum class Direction { down, up };
  LevelViews<Stencil> views;
  Direction direction;
  int relaxations;
  bool from_zero;  ///< in a down-sweep

  static constexpr int colours = Stencil::colours;
  /// Down: one colour after the other, then the restriction. Up: the prolongation, then the colours in reverse order.
  [[nodiscard]] int count() const { return colours * relaxations + 1; }
  [[nodiscard]] bool is_transfer(int stage) const { return stage == (direction == Direction::down ? count() - 1 : 0); }
  [[nodiscard]] int colour(int stage) const {
    return direction == Direction::down ? stage % colours : colours - 1 - (stage - 1) % colours;
  }

  static void run_on_host(void const* stages, int stage, IndexRange const& box) {
    auto const& self = *static_cast<RelaxationStages const*>(stages);
    bool const down = self.direction == Direction::down;
    if (self.is_transfer(stage)) {
      down ? restrict_rows<Stencil, true>(self.views, box) : prolong_rows(self.views, box);
    } else if (down && stage == 0 && self.from_zero) {
      relax_zero_rows(self.views, 0, box);
    } else {
      relax_rows(self.views, self.colour(stage), box);
    }
  }
};

/// Merges the unknowns of a grid into coarser ones: in pairs within a block, on the axes with factor 2. P gives every
/// child its parent's value and R = P^T sums the children, so nothing is interpolated across a jump of the
/// coefficients. P is of first order only; smoothing removes the rough errors that it leaves: two relaxations per sweep
/// give the iteration counts of a smoother P with less memory traffic.
template <class Stencil>
class StructuredCoarsening final : public Coarsening, private FullMultigridTransfers, private CyclePasses {
 public:
  using Real = typename Stencil::Real;
  /// \param stencils of the fine operator, by Block::local; `owner` keeps their memory alive
  StructuredCoarsening(ControlVolumeGrid fine, std::vector<Stencil> stencils, std::shared_ptr<void const> owner,
                       std::array<Index, 3> const& factor, ControlVolumeGrid coarse_grid,
                       std::unique_ptr<Operator> coarse);

  [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
  void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override;
  void restrict_to(Vector const& fine, Vector& coarse) const override;
  void prolong_add(Vector const& coarse_x, Vector& x) const override;
  [[nodiscard]] FullMultigridTransfers const* full_multigrid() const override { return this; }
  [[nodiscard]] CyclePasses const* passes() const override { return this; }

 private:
  void restrict_right_hand_side(Vector const& fine, Vector& coarse) const override;
  void interpolate(Vector const& coarse_x, Vector& x) const override;
  void relax_restrict(int relaxations, bool from_zero, Vector const& b, Vector& x, Vector& coarse_b) const override;
  void prolong_relax(int relaxations, Vector const& coarse_x, Vector const& b, Vector& x) const override;
  [[nodiscard]] std::unique_ptr<ResidentCycle> resident_cycle(std::span<CycleLevel const> levels, int relaxations,
                                                              Vector const& inverse) const override;
  [[nodiscard]] bool only_enqueue() const override { return !kernel::is_host<Execution> && exchange_ == nullptr; }
  using Stages = RelaxationStages<Stencil>;
  /// restrict_right_hand_side for stencils that provide the couplings to walls.
  void restrict_walls_and_sources(Vector const& fine, Vector& coarse) const;
  [[nodiscard]] static Field<Real>& field(Vector const& x) { return as_field_vector<Real>(x).field(); }
  void exchange(Vector const& x) const;
  [[nodiscard]] LevelViews<Stencil> views(Block const& block, Vector const& b, Vector const& x,
                                          Vector const& coarse) const;
  [[nodiscard]] IndexRange coarse_box(Block const& block) const;
  /// Sweeps one colour on all blocks; from x = 0 if `from_zero`.
  void relax_colour(int colour, bool from_zero, Vector const& b, Vector const& x) const;
  /// A down- or up-sweep with its vectors.
  struct Work {
    typename Stages::Direction direction;
    int relaxations;
    bool from_zero;  ///< in a down-sweep
    Vector const& b;
    Vector const& x;
    Vector const& coarse;
  };
  void run(Work const& work) const;
  void run_on_host(std::vector<Stages> const& stages, Vector const& x, Vector const& coarse) const;
  void run_portably(Work const& work) const;
  void run_fused(Work const& work) const;
  /// coarse = R b, for the coarse unknowns of a box
  void restrict_sums(Block const& block, LevelViews<Stencil> const& views, IndexRange const& parents,
                     Vector const& coarse) const;
  [[nodiscard]] static FieldView<Real> view_of_coarse(Block const& block, Vector const& coarse);
  /// coarse = R (b - A x); the ghosts of x must be valid.
  void restrict_residual(Vector const& b, Vector const& x, Vector const& coarse) const;
  /// Records what the rows of a wavefront wrote.
  void mark_written(ControlVolumeGrid const& grid, Vector const& x, char const* by) const;
  /// to = x + P coarse
  void prolong(Vector const& coarse, Vector const& x, Vector const& to) const;

  ControlVolumeGrid fine_;
  std::vector<Stencil> stencils_;
  std::shared_ptr<void const> owner_;
  std::array<Index, 3> factor_;
  ControlVolumeGrid coarse_grid_;
  std::unique_ptr<Operator> coarse_;
  mutable std::unique_ptr<CubicInterpolation<Real>> interpolation_;  ///< made when first needed
  std::vector<LevelViews<Stencil>> maps_;                            ///< without vectors
  std::vector<Wavefront> wavefronts_;
  std::unique_ptr<Exchange> exchange_;  ///< null if no block has a neighbour
  // For relaxations in one pass over memory for both colours, from one vector to another:
  std::unique_ptr<FusedRelaxation<Stencil>> fused_;
  mutable std::unique_ptr<Vector> other_;  ///< made when first needed: other smoothers do not need it
};

template <class Stencil>
StructuredCoarsening<Stencil>::StructuredCoarsening(ControlVolumeGrid fine, std::vector<Stencil> stencils,
                                                    std::shared_ptr<void const> owner,
                                                    std::array<Index, 3> const& factor, ControlVolumeGrid coarse_grid,
                                                    std::unique_ptr<Operator> coarse)
    : fine_(std::move(fine)),
      stencils_(std::move(stencils)),
      owner_(std::move(owner)),
      factor_(factor),
      coarse_grid_(std::move(coarse_grid)),
      coarse_(std::move(coarse)) {
  for (Block const& block : fine_.mesh->blocks()) {
    maps_.push_back(family_map(fine_, block, stencils_[block.local], factor));
    Wavefront wavefront;
    wavefront.box = fine_.unknowns(block);
    wavefront.alignment = factor;
    wavefront.axis = Stencil::dimensions - 1;
    wavefront.bytes_per_unknown = static_cast<Index>(sizeof(Real)) * (2 + Stencil::coefficients);
    for (int axis = 0; axis < Stencil::dimensions; ++axis) {
      for (int side : {-1, 1}) {
        wavefront.open[static_cast<std::size_t>(axis)][side < 0 ? 0 : 1] = block.neighbour(axis, side).has_value();
      }
    }
    wavefronts_.push_back(wavefront);
  }
  // A functor with more than two colours reads corners.
  exchange_ = neighbour_exchange<Real>(fine_, {.corners = Stencil::colours > 2});
  if constexpr (FusedRelaxation<Stencil>::possible) {
    fused_ = std::make_unique<FusedRelaxation<Stencil>>(fine_, stencils_, exchange_.get());
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::exchange(Vector const& x) const {
  if (exchange_ != nullptr) exchange_->exchange({&field(x)});
}

template <class Stencil>
LevelViews<Stencil> StructuredCoarsening<Stencil>::views(Block const& block, Vector const& b, Vector const& x,
                                                         Vector const& coarse) const {
  LevelViews<Stencil> views = maps_[block.local];
  views.b = std::as_const(field(b)).view(block);
  views.x = field(x).view(block);
  views.coarse = view_of_coarse(block, coarse);
  return views;
}

template <class Stencil>
IndexRange StructuredCoarsening<Stencil>::coarse_box(Block const& block) const {
  return coarse_grid_.unknowns(coarse_grid_.mesh->blocks()[block.local]);
}

template <class Stencil>
FieldView<typename Stencil::Real> StructuredCoarsening<Stencil>::view_of_coarse(Block const& block,
                                                                                Vector const& coarse) {
  return field(coarse).view(field(coarse).mesh().blocks()[block.local]);
}

template <class Stencil>
void StructuredCoarsening<Stencil>::mark_written(ControlVolumeGrid const& grid, Vector const& x, char const* by) const {
  for (Block const& block : grid.mesh->blocks()) field(x).mark_written(block, grid.unknowns(block), by);
}

template <class Stencil>
void StructuredCoarsening<Stencil>::residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const {
  exchange(x);
  restrict_residual(b, x, coarse_b);
}

template <class Stencil>
void StructuredCoarsening<Stencil>::restrict_residual(Vector const& b, Vector const& x, Vector const& coarse) const {
  for (Block const& block : fine_.mesh->blocks()) {
    set_values(execution(block), coarse_box(block), view_of_coarse(block, coarse),
               SumOverChildren<Stencil, true>{views(block, b, x, coarse)});
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::restrict_to(Vector const& fine, Vector& coarse) const {
  for (Block const& block : fine_.mesh->blocks()) {
    restrict_sums(block, views(block, fine, fine, coarse), coarse_box(block), coarse);
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::restrict_sums(Block const& block, LevelViews<Stencil> const& views,
                                                  IndexRange const& parents, Vector const& coarse) const {
  if constexpr (kernel::is_host<Execution>) {
    for_parts(parents, [&](IndexRange const& part) {
      IndexRange children = part;
      for (std::size_t a = 0; a < 3; ++a) {
        children.begin[a] = views.begin[a] + views.factor[a] * part.begin[a];
        children.end[a] = std::min(views.begin[a] + views.factor[a] * part.end[a], views.end[a]);
      }
      restrict_rows<Stencil, false>(views, children);
    });
    field(coarse).mark_written(field(coarse).mesh().blocks()[block.local], parents, "restriction");
  } else {
    set_values(execution(block), parents, view_of_coarse(block, coarse), SumOverChildren<Stencil, false>{views});
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::restrict_right_hand_side(Vector const& fine, Vector& coarse) const {
  if constexpr (!requires(Stencil const& stencil) { stencil.face(0, 0, 0, 0); }) {
    restrict_to(fine, coarse);
  } else {
    restrict_walls_and_sources(fine, coarse);
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::restrict_walls_and_sources(Vector const& fine, Vector& coarse) const {
  for (Block const& block : fine_.mesh->blocks()) {
    RestrictRightHandSide<Stencil> at_walls{views(block, fine, fine, coarse), {{1, 1}, {1, 1}, {1, 1}}};
    IndexRange const parents = coarse_box(block);
    IndexRange inner = parents;
    for (std::size_t a = 0; a < Stencil::dimensions; ++a) {
      ControlVolumes const& from = fine_.volumes[a];
      ControlVolumes const& to = coarse_grid_.volumes[a];
      if (from.periodic_gap > 0) continue;
      Index const first = fine_.first_unknown(block)[a];
      Index const end = first + fine_.unknowns(block).extent(static_cast<int>(a));
      if (first == 0) at_walls.ratio[a][0] = static_cast<Real>(source_ratio(from.walls[0], to.walls[0]));
      if (end == from.size()) at_walls.ratio[a][1] = static_cast<Real>(source_ratio(from.walls[1], to.walls[1]));
      if (at_walls.ratio[a][0] != Real{1}) ++inner.begin[a];
      if (at_walls.ratio[a][1] != Real{1}) inner.end[a] = std::max(inner.begin[a], inner.end[a] - 1);
    }
    restrict_sums(block, at_walls.views, inner, coarse);
    set_values(execution(block), without(parents, inner), view_of_coarse(block, coarse), at_walls);
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::prolong_add(Vector const& coarse_x, Vector& x) const {
  prolong(coarse_x, x, x);
}

template <class Stencil>
void StructuredCoarsening<Stencil>::prolong(Vector const& coarse, Vector const& x, Vector const& to) const {
  for (Block const& block : fine_.mesh->blocks()) {
    set_values(execution(block), fine_.unknowns(block), field(to).view(block),
               WithParents<Stencil>{views(block, x, x, coarse)});
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::interpolate(Vector const& coarse_x, Vector& x) const {
  if (interpolation_ == nullptr) {
    interpolation_ = std::make_unique<CubicInterpolation<Real>>(fine_, coarse_grid_, factor_);
  }
  (*interpolation_)(field(coarse_x), field(x));
}

template <class Stencil>
void StructuredCoarsening<Stencil>::relax_restrict(int relaxations, bool from_zero, Vector const& b, Vector& x,
                                                   Vector& coarse_b) const {
  run({Stages::Direction::down, relaxations, from_zero, b, x, coarse_b});
}

template <class Stencil>
void StructuredCoarsening<Stencil>::prolong_relax(int relaxations, Vector const& coarse_x, Vector const& b,
                                                  Vector& x) const {
  run({Stages::Direction::up, relaxations, false, b, x, coarse_x});
}

template <class Stencil>
std::unique_ptr<ResidentCycle> StructuredCoarsening<Stencil>::resident_cycle(std::span<CycleLevel const> levels,
                                                                             int relaxations,
                                                                             Vector const& inverse) const {
  if constexpr (kernel::is_host<Execution>) {
    return nullptr;
  } else {
    if (levels.front().b->size() > ClusterCycle<Stencil>::most_unknowns) return nullptr;
    if (levels.size() - 1 > RunResidentCycle<Stencil>::most_levels) return nullptr;
    RunResidentCycle<Stencil> run{};
    for (std::size_t n = 0; n + 1 < levels.size(); ++n) {
      auto const* const way = dynamic_cast<StructuredCoarsening const*>(levels[n].coarsening);
      if (way == nullptr || way->exchange_ != nullptr || way->fine_.mesh->blocks().size() != 1) return nullptr;
      Block const& block = way->fine_.mesh->blocks().front();
      ResidentLevel<Stencil> level{way->views(block, *levels[n].b, *levels[n].x, *levels[n + 1].b), {}};
      level.coarse_x = way->views(block, *levels[n].b, *levels[n].x, *levels[n + 1].x).coarse;
      run.levels[run.count++] = level;
    }
    run.relaxations = relaxations;
    while (levels[static_cast<std::size_t>(run.smallest)].b->size() > ClusterCycle<Stencil>::fewest_of_several_blocks) {
      ++run.smallest;
    }
    while (run.smallest < run.count && !run.place(kernel::most_cluster_scratch())) ++run.smallest;
    if (run.smallest == run.count) return nullptr;
    run.inverse = field(inverse).view(field(inverse).mesh().blocks().front());
    return std::make_unique<ClusterCycle<Stencil>>(execution(fine_.mesh->blocks().front()), run);
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::run(Work const& work) const {
  if constexpr (kernel::is_host<Execution>) {
    std::vector<Stages> stages;
    for (Block const& block : fine_.mesh->blocks()) {
      stages.push_back({views(block, work.b, work.x, work.coarse), work.direction, work.relaxations, work.from_zero});
    }
    run_on_host(stages, work.x, work.coarse);
  } else {
    if constexpr (FusedRelaxation<Stencil>::possible) {
      if (fused_->pays()) return run_fused(work);
    }
    run_portably(work);
  }
}

/// The interiors of all blocks in one pass, then their shells, stage by stage as the ghosts arrive.
template <class Stencil>
void StructuredCoarsening<Stencil>::run_on_host(std::vector<Stages> const& stages, Vector const& x,
                                                Vector const& coarse) const {
  if (stages.empty()) return;
  int const count = stages.front().count();
  int const per_pass = wavefronts_.front().stages_per_pass(count);
  bool const down = stages.front().direction == Stages::Direction::down;
  WavefrontPass pass;
  pass.aligned_stage = down ? count - 1 : -1;
  if (down && !stages.front().from_zero) exchange(x);
  while (pass.last < count) {
    pass.first = pass.last;
    // A single stage does not justify its own pass.
    pass.last = count - pass.first <= per_pass + 1 ? count : pass.first + per_pass;
    if (pass.first > 0) exchange(x);
    for (std::size_t n = 0; n < stages.size(); ++n) {
      run_wavefront_interior(wavefronts_[n], pass, &stages[n], &Stages::run_on_host);
    }
    for (int stage = pass.first + 1; exchange_ != nullptr && stage < pass.last; ++stage) {
      exchange(x);
      for (std::size_t n = 0; n < stages.size(); ++n) {
        run_wavefront_shell(wavefronts_[n], pass, stage, &stages[n], &Stages::run_on_host);
      }
    }
  }
  mark_written(fine_, x, "relaxation");
  if (down) mark_written(coarse_grid_, coarse, "restriction");
}

template <class Stencil>
void StructuredCoarsening<Stencil>::run_portably(Work const& work) const {
  Vector const& b = work.b;
  Vector const& x = work.x;
  Vector const& coarse = work.coarse;
  bool const down = work.direction == Stages::Direction::down;
  Stages const stages{{}, work.direction, work.relaxations, work.from_zero};
  for (int stage = 0; stage < stages.count(); ++stage) {
    int const colour = stages.colour(stage);
    if (stage > 0 || (down && !work.from_zero)) exchange(x);
    if (stages.is_transfer(stage)) {
      down ? restrict_residual(b, x, coarse) : prolong(coarse, x, x);
    } else {
      relax_colour(colour, down && stage == 0 && work.from_zero, b, x);
    }
  }
}

template <class Stencil>
void StructuredCoarsening<Stencil>::relax_colour(int colour, bool from_zero, Vector const& b, Vector const& x) const {
  using Functor = typename Stencil::FunctorType;
  for (Block const& block : fine_.mesh->blocks()) {
    Stencil const& rows = stencils_[block.local];
    IndexRange const box = fine_.unknowns(block);
    auto const right = std::as_const(field(b)).view(block);
    if (from_zero) {
      rows.sweep_boxes(execution(block), {box}, field(x).view(block),
                       stencil_functor::ColourRelaxationFromZero<Real, Functor>{rows.functor, colour}, right);
    } else {
      rows.sweep_boxes(execution(block), {box}, field(x).view(block),
                       stencil_functor::ColourInPlace<Real, Functor>{{rows.functor, colour}}, right,
                       std::as_const(field(x)).view(block));
    }
  }
}

/// Relaxations alternate between x and the other vector, so that the last one writes x.
template <class Stencil>
void StructuredCoarsening<Stencil>::run_fused(Work const& work) const {
  Vector const& b = work.b;
  Vector const& x = work.x;
  bool const down = work.direction == Stages::Direction::down;
  int const first = down ? 0 : 1;
  if (other_ == nullptr) other_ = x.create();
  int left = down && work.from_zero ? work.relaxations - 1 : work.relaxations;
  Vector const* from = left % 2 == 0 ? &x : other_.get();
  Vector const* to = left % 2 == 0 ? other_.get() : &x;
  if (down && work.from_zero) {
    fused_->from_zero(first, field(b), field(*from));
  } else if (down) {
    if (from != &x) other_->copy(x);
  } else {
    prolong(work.coarse, x, *from);
  }
  for (; left > 0; --left, std::swap(from, to)) {
    exchange(*from);
    (*fused_)(first, field(b), field(*from), field(*to));
  }
  if (!down) return;
  exchange(x);
  restrict_residual(b, x, work.coarse);
}

}  // namespace halocline
