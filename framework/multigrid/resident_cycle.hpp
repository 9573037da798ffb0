#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/thread_block_cluster.hpp"
#include "framework/multigrid/level_views.hpp"
#include "framework/operator/coarsening.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// A level in the chip memory of a thread-block cluster.
template <class Stencil>
struct ResidentLevel {
  LevelViews<Stencil> down;                          ///< its `coarse` is the right-hand side of the next level
  BlockView<typename Stencil::Real const> coarse_x;  ///< the next level's solution
  int x_at = 0;                                      ///< position of x on the chip, with ghosts …
  int b_at = 0;                                      ///< … and of b, without
};

/// A V-cycle on small levels in one thread-block cluster (kernel/thread_block_cluster.hpp), for levels whose work takes
/// less time than a launch.
template <class Stencil>
struct RunResidentCycle {
  using Real = typename Stencil::Real;
  /// All levels are launch arguments, which have the lowest latency and are limited to 4 KiB.
  static constexpr int most_levels = std::min(11, 3900 / static_cast<int>(sizeof(ResidentLevel<Stencil>)));
  ResidentLevel<Stencil> levels[most_levels];
  int first;     ///< the level to begin with …
  int smallest;  ///< … the first level that is faster in one block of the cluster …
  int count;     ///< … and the number of levels without the coarsest
  int relaxations;
  bool from_zero;
  BlockView<Real const> inverse;  ///< of the coarsest level's diagonal, at its only unknown
  int bottom;                     ///< position of that unknown's solution on the chip, before its right-hand side
  int scratch;                    ///< numbers that a block stores on the chip

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(Cluster const& cluster) const {
    for (int n = first; n < smallest; ++n) go_down(cluster, levels[n].down, from_zero || n > first);
    cluster.in_one_block([&](auto const& block) {
      auto* const memory = static_cast<Real*>(block.scratch(static_cast<std::size_t>(scratch) * sizeof(Real)));
      int const begin = first < smallest ? smallest : first;
      fetch(block, begin, memory);
      for (int n = begin; n < count; ++n) go_down(block, near(n, memory).down, from_zero || n > first);
      if (block.rank() == 0) memory[bottom] = inverse(0, 0, 0) * memory[bottom + 1];
      block.barrier();
      for (int n = count - 1; n >= begin; --n) go_up(block, near(n, memory));
      bring_back(block, begin, memory);
    });
    for (int n = smallest - 1; n >= first; --n) go_up(cluster, levels[n]);
  }

  /// Assigns chip memory to the levels that run in one block. Returns whether they fit into `bytes`.
  [[nodiscard]] bool place(std::size_t bytes) {
    scratch = 0;
    for (int n = smallest; n < count; ++n) {
      ResidentLevel<Stencil>& level = levels[n];
      level.x_at = scratch;
      scratch +=
          extent_with_ghosts(level.down, 0) * extent_with_ghosts(level.down, 1) * extent_with_ghosts(level.down, 2);
      level.b_at = scratch;
      scratch += extent(level.down, 0) * extent(level.down, 1) * extent(level.down, 2);
    }
    bottom = scratch;
    scratch += 2;
    return static_cast<std::size_t>(scratch) * sizeof(Real) <= bytes;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int extent_with_ghosts(LevelViews<Stencil> const& at, int axis) {
    return extent(at, axis) + (axis < Stencil::dimensions ? 2 : 0);
  }
  /// x and b of level n on the chip, addressed by the level's local indices or, if `is_coarse`, from zero.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BlockView<Real> near_x(int n, Real* memory, bool is_coarse) const {
    if (n == count) return {memory + bottom, 1, 1};
    LevelViews<Stencil> const& at = levels[n].down;
    Index const row = extent_with_ghosts(at, 0);
    Index const plane = row * extent_with_ghosts(at, 1);
    Real* const first_unknown =
        memory + levels[n].x_at + 1 + (Stencil::dimensions > 1 ? row : 0) + (Stencil::dimensions > 2 ? plane : 0);
    return {is_coarse ? first_unknown : first_unknown - (at.begin[0] + at.begin[1] * row + at.begin[2] * plane), row,
            plane};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BlockView<Real> near_b(int n, Real* memory, bool is_coarse) const {
    if (n == count) return {memory + bottom + 1, 1, 1};
    LevelViews<Stencil> const& at = levels[n].down;
    Index const row = extent(at, 0);
    Index const plane = row * extent(at, 1);
    Real* const first_unknown = memory + levels[n].b_at;
    return {is_coarse ? first_unknown : first_unknown - (at.begin[0] + at.begin[1] * row + at.begin[2] * plane), row,
            plane};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ResidentLevel<Stencil> near(int n, Real* memory) const {
    ResidentLevel<Stencil> level = levels[n];
    level.down.b = near_b(n, memory, false);
    level.down.x = near_x(n, memory, false);
    level.down.coarse = near_b(n + 1, memory, true);
    level.coarse_x = near_x(n + 1, memory, true);
    return level;
  }

  /// Loads b of the first level that runs in one block, and x if the cycle starts there from x. Ghosts are zero.
  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(Cluster const& cluster, int begin, Real* memory) const {
    for (int n = cluster.rank(); n < scratch; n += cluster.size()) memory[n] = 0;
    cluster.barrier();
    if (begin == count) return;
    LevelViews<Stencil> const& at = levels[begin].down;
    BlockView<Real> const x = near_x(begin, memory, false);
    BlockView<Real> const b = near_b(begin, memory, false);
    for_unknowns(cluster, at, [&](Index i, Index j, Index k) {
      b(i, j, k) = at.b(i, j, k);
      if (!from_zero && begin == first) x(i, j, k) = at.x(i, j, k);
    });
  }
  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION void bring_back(Cluster const& cluster, int begin, Real* memory) const {
    if (begin == count) return;
    LevelViews<Stencil> const& at = levels[begin].down;
    BlockView<Real> const x = near_x(begin, memory, false);
    for_unknowns(cluster, at, [&](Index i, Index j, Index k) { at.x(i, j, k) = x(i, j, k); });
  }

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION void go_down(Cluster const& cluster, LevelViews<Stencil> const& at,
                                           bool starts_from_zero) const {
    for (int stage = 0; stage < Stencil::colours * relaxations; ++stage) {
      if (stage == 0 && starts_from_zero) {
        relax_zero(cluster, at);
      } else {
        relax(cluster, at, stage % Stencil::colours);
      }
    }
    restrict_residual(cluster, at);
  }

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION void go_up(Cluster const& cluster, ResidentLevel<Stencil> const& level) const {
    LevelViews<Stencil> const& at = level.down;
    prolong(cluster, at, level.coarse_x);
    for (int stage = 0; stage < Stencil::colours * relaxations; ++stage) {
      relax(cluster, at, Stencil::colours - 1 - stage % Stencil::colours);
    }
  }

  /// Calls `visit(i, j, k)` for the points of a box from zero to `extent`, then waits at a barrier.
  template <class Cluster, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(Cluster const& cluster, int const (&extent)[3], Visit const& visit) {
    int const plane = extent[0] * extent[1];
    int const size = plane * extent[2];
    for (int at = cluster.rank(); at < size; at += cluster.size()) {
      int const k = at / plane;
      int const in_plane = at - k * plane;
      int const j = in_plane / extent[0];
      visit(in_plane - j * extent[0], j, k);
    }
    cluster.barrier();
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int extent(LevelViews<Stencil> const& at, int axis) {
    return static_cast<int>(at.end[axis] - at.begin[axis]);
  }

  /// The same for the unknowns of a level, with their local indices.
  template <class Cluster, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_unknowns(Cluster const& cluster, LevelViews<Stencil> const& at,
                                                       Visit const& visit) {
    for_each(cluster, {extent(at, 0), extent(at, 1), extent(at, 2)},
             [&](int a, int b, int c) { visit(at.begin[0] + a, at.begin[1] + b, at.begin[2] + c); });
  }

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION static void relax_zero(Cluster const& cluster, LevelViews<Stencil> const& at) {
    for_unknowns(cluster, at, [&](Index i, Index j, Index k) {
      at.x(i, j, k) = at.has_colour(0, i, j, k) ? at.stencil.relaxed_from_zero(at.b, i, j, k) : Real{0};
    });
  }

  /// Loops over pairs of unknowns along x: in rows with the colour, one unknown of each pair has it.
  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION static void relax(Cluster const& cluster, LevelViews<Stencil> const& at, int colour) {
    for_each(cluster, {(extent(at, 0) + 1) / 2, extent(at, 1), extent(at, 2)}, [&](int pair, int b, int c) {
      Index const j = at.begin[1] + b;
      Index const k = at.begin[2] + c;
      int const phase = at.phase(colour, j, k);
      Index const even = at.begin[0] + 2 * pair;
      Index const i = even + ((even + phase) & 1);
      if (phase >= 0 && i < at.end[0]) at.x(i, j, k) = at.stencil.relaxed(at.b, at.x, i, j, k);
    });
  }

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION static void restrict_residual(Cluster const& cluster, LevelViews<Stencil> const& at) {
    int parents[3];
    for (int axis = 0; axis < 3; ++axis) {
      int const factor = static_cast<int>(at.factor[axis]);
      parents[axis] = (extent(at, axis) + factor - 1) / factor;
    }
    for_each(cluster, parents, [&](int i, int j, int k) {
      Real sum = 0;
      for_children(at, i, j, k, [&](Index a, Index b, Index c) { sum += at.stencil.residual(at.b, at.x, a, b, c); });
      at.coarse(i, j, k) = sum;
    });
  }

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION static void prolong(Cluster const& cluster, LevelViews<Stencil> const& at,
                                                  BlockView<Real const> const& coarse_x) {
    for_unknowns(cluster, at, [&](Index i, Index j, Index k) {
      at.x(i, j, k) = at.x(i, j, k) + coarse_x(at.parent(0, i), at.parent(1, j), at.parent(2, k));
    });
  }
};

template <class Stencil>
class ClusterCycle final : public ResidentCycle {
 public:
  using Real = typename Stencil::Real;
  static_assert(sizeof(RunResidentCycle<Stencil>) <= 4000, "all levels must fit into launch arguments");
  /// With more unknowns, a launch for each stage is no slower.
  static constexpr Index most_unknowns = Index{1} << (kernel::clusters_have_many_blocks ? 15U : 12U);
  /// With fewer unknowns, one block without cluster barriers is faster.
  static constexpr Index fewest_of_several_blocks = Index{1} << 12U;

  ClusterCycle(Execution execution, RunResidentCycle<Stencil> const& run)
      : execution_(std::move(execution)), run_(run) {}

  void enqueue(std::size_t first, bool from_zero) const override {
    RunResidentCycle<Stencil> run = run_;
    run.first = static_cast<int>(first);
    run.from_zero = from_zero;
    kernel::run_on_cluster(execution_, run.first < run.smallest, run,
                           static_cast<std::size_t>(run.scratch) * sizeof(Real));
  }

 private:
  Execution execution_;
  RunResidentCycle<Stencil> run_;
};

}  // namespace halocline
