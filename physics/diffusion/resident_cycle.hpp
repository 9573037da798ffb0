#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <utility>

#include "framework/kernel/team.hpp"
#include "framework/operator/operator.hpp"
#include "framework/runtime/backend.hpp"
#include "physics/diffusion/boxes.hpp"
#include "physics/diffusion/relaxation.hpp"

namespace halocline {

/// A level that a team keeps to itself.
template <class Stencil>
struct ResidentLevel {
  LegViews<Stencil> down;                            ///< coarse: the right-hand side of the next level
  BlockView<typename Stencil::Real const> coarse_x;  ///< the next level's solution
};

/// A V-cycle on small levels by one team (kernel/team.hpp): levels whose work is shorter than a launch takes.
template <class Stencil>
struct RunResidentCycle {
  using Real = typename Stencil::Real;
  /// All goes with the launch, where it is nearest: what a launch may bring along is 4 KiB.
  static constexpr int most_levels = 11;
  ResidentLevel<Stencil> levels[most_levels];
  int first;     ///< the level to begin with …
  int smallest;  ///< … the first one that one block of the team is better off with …
  int count;     ///< … and their number, without the coarsest
  int sweeps;
  bool from_zero;
  BlockView<Real const> inverse, bottom_b;  ///< of the coarsest level, with its only unknown
  BlockView<Real> bottom_x;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    for (int n = first; n < smallest; ++n) go_down(team, n);
    team.in_one_block([&](auto const& block) {
      int const begin = first < smallest ? smallest : first;
      for (int n = begin; n < count; ++n) go_down(block, n);
      if (block.rank() == 0) bottom_x(0, 0, 0) = inverse(0, 0, 0) * bottom_b(0, 0, 0);
      block.barrier();
      for (int n = count - 1; n >= begin; --n) go_up(block, n);
    });
    for (int n = smallest - 1; n >= first; --n) go_up(team, n);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void go_down(Team const& team, int n) const {
    LegViews<Stencil> const& at = levels[n].down;
    for (int stage = 0; stage < 2 * sweeps; ++stage) {
      if (stage == 0 && (from_zero || n > first)) {
        relax_zero(team, at);
      } else {
        relax(team, at, stage % 2 == 0 ? Colour::red : Colour::black);
      }
    }
    restrict_residual(team, at);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void go_up(Team const& team, int n) const {
    LegViews<Stencil> const& at = levels[n].down;
    prolong(team, at, levels[n].coarse_x);
    for (int stage = 0; stage < 2 * sweeps; ++stage) {
      relax(team, at, stage % 2 == 0 ? Colour::black : Colour::red);
    }
  }

  /// Calls `visit(i, j, k)` for the points of a box from zero to `extent`, then waits for all.
  template <class Team, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(Team const& team, int const (&extent)[3], Visit const& visit) {
    int const plane = extent[0] * extent[1];
    int const size = plane * extent[2];
    for (int at = team.rank(); at < size; at += team.size()) {
      int const k = at / plane;
      int const in_plane = at - k * plane;
      int const j = in_plane / extent[0];
      visit(in_plane - j * extent[0], j, k);
    }
    team.barrier();
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int extent(LegViews<Stencil> const& at, int axis) {
    return static_cast<int>(at.end[axis] - at.begin[axis]);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void relax_zero(Team const& team, LegViews<Stencil> const& at) {
    for_each(team, {extent(at, 0), extent(at, 1), extent(at, 2)}, [&](int a, int b, int c) {
      Index const i = at.begin[0] + a;
      Index const j = at.begin[1] + b;
      Index const k = at.begin[2] + c;
      bool const mine = ((i + at.row_parity(j, k)) & 1) == static_cast<Index>(Colour::red);
      at.x(i, j, k) = mine ? at.b(i, j, k) * inverse_at(at, i, j, k) : Real{0};
    });
  }

  /// Runs over pairs of unknowns along x: one of each is of the colour.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void relax(Team const& team, LegViews<Stencil> const& at, Colour colour) {
    for_each(team, {(extent(at, 0) + 1) / 2, extent(at, 1), extent(at, 2)}, [&](int pair, int b, int c) {
      Index const j = at.begin[1] + b;
      Index const k = at.begin[2] + c;
      Index const even = at.begin[0] + 2 * pair;
      Index const i = even + ((even + at.row_parity(j, k) + static_cast<Index>(colour)) & 1);
      if (i < at.end[0]) at.x(i, j, k) = relaxed(at, i, j, k);
    });
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void restrict_residual(Team const& team, LegViews<Stencil> const& at) {
    int parents[3];
    for (int axis = 0; axis < 3; ++axis) {
      int const factor = static_cast<int>(at.factor[axis]);
      parents[axis] = (extent(at, axis) + factor - 1) / factor;
    }
    for_each(team, parents, [&](int i, int j, int k) {
      Real sum = 0;
      for_children(at, i, j, k, [&](Index a, Index b, Index c) { sum += residual_at(at, a, b, c); });
      at.coarse(i, j, k) = sum;
    });
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void prolong(Team const& team, LegViews<Stencil> const& at,
                                                  BlockView<Real const> const& coarse_x) {
    for_each(team, {extent(at, 0), extent(at, 1), extent(at, 2)}, [&](int a, int b, int c) {
      Index const i = at.begin[0] + a;
      Index const j = at.begin[1] + b;
      Index const k = at.begin[2] + c;
      at.x(i, j, k) = at.x(i, j, k) + coarse_x(at.parent(0, i), at.parent(1, j), at.parent(2, k));
    });
  }
};

template <class Stencil>
class TeamCycle final : public ResidentCycle {
 public:
  /// Of more unknowns launches for each stage are no slower.
  static constexpr Index most_unknowns = Index{1} << (kernel::teams_are_wide ? 15U : 12U);
  /// With fewer unknowns a block that meets no others is faster.
  static constexpr Index fewest_of_several_blocks = Index{1} << 12U;

  TeamCycle(Execution execution, RunResidentCycle<Stencil> const& run) : execution_(std::move(execution)), run_(run) {
    static_assert(sizeof(run) <= 4000);
  }

  void enqueue(std::size_t first, bool from_zero) const override {
    RunResidentCycle<Stencil> run = run_;
    run.first = static_cast<int>(first);
    run.from_zero = from_zero;
    kernel::run_team(execution_, run.first < run.smallest, run);
  }

 private:
  Execution execution_;
  RunResidentCycle<Stencil> run_;
};

}  // namespace halocline
