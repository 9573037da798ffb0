#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/portable.hpp"
#include "framework/kernel/reduce/grouping.hpp"

// The form of a reduction that every execution space of Kokkos can run, and the reference for the specialised ones.

namespace halocline::reduce {

/// A team reduces one brick of one segment; neighbouring threads read neighbouring values.
template <class Kind, class Real, class Execution>
struct TeamBrick {
  using Accumulator = typename Kind::Accumulator;
  using Policy = Kokkos::TeamPolicy<Execution>;
  using Member = typename Policy::member_type;

  Arrays<Kind, Real> arrays;
  Index length;
  Index bricks;  ///< of a segment
  Accumulator* to;

  static constexpr std::size_t scratch_bytes = brick_columns * sizeof(Accumulator) + alignof(Accumulator);

  KOKKOS_FUNCTION Accumulator column(Index segment, Index brick, int number) const {
    Accumulator sum;
    for (int step = 0; step < brick_steps; ++step) {
      Index const n = brick * brick_terms + step * brick_columns + number;
      if (n < length) sum.add(arrays.term(segment * length + n));
    }
    return sum;
  }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const item = team.league_rank();
    auto* const lane = static_cast<Accumulator*>(
        team.team_scratch(0).get_shmem_aligned(brick_columns * sizeof(Accumulator), alignof(Accumulator)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, brick_columns),
                         [&](int c) { lane[c] = column(item / bricks, item % bricks, c); });
    team.team_barrier();
    for (int stride = 1; stride < brick_columns; stride *= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, brick_columns / (2 * stride)),
                           [&](int n) { lane[2 * n * stride].merge(lane[(2 * n + 1) * stride]); });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { to[item] = lane[0]; });
  }
};

template <class Kind, class Execution, class Real>
void run_portably(Execution const& execution, Arrays<Kind, Real> const& arrays, Segments const& segments,
                  Room<typename Kind::Accumulator> const& room) {
  using Brick = TeamBrick<Kind, Real, Execution>;
  Index const bricks = bricks_of(segments.length);
  Brick const brick{arrays, segments.length, bricks, bricks == 1 ? room.results : room.partials};
  typename Brick::Policy policy(execution, static_cast<int>(segments.count * bricks), Kokkos::AUTO);
  policy.set_scratch_size(0, Kokkos::PerTeam(Brick::scratch_bytes));
  Kokkos::parallel_for("halocline reduce", policy, brick);
  if (bricks > 1) {
    kernel::merge_neighbours_portably(execution, room.partials, bricks, segments.count, room.results);
  }
}

}  // namespace halocline::reduce
