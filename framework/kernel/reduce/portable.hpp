#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/portable.hpp"
#include "framework/kernel/reduce/grouping.hpp"

// The form of a reduction that runs on every Kokkos execution space, and the reference for the specialised forms.

namespace halocline::reduce {

/// A team reduces one reduction tile of one segment; neighbouring threads read neighbouring values.
template <class Kind, class Real, class Execution>
struct TeamReductionTile {
  using Accumulator = typename Kind::Accumulator;
  using Policy = Kokkos::TeamPolicy<Execution>;
  using Member = typename Policy::member_type;

  Arrays<Kind, Real> arrays;
  Index length;
  Index reduction_tiles;  ///< of a segment
  Accumulator* to;

  static constexpr std::size_t scratch_bytes = reduction_tile_columns * sizeof(Accumulator) + alignof(Accumulator);

  KOKKOS_FUNCTION Accumulator column(Index segment, Index reduction_tile, int number) const {
    Accumulator sum;
    for (int step = 0; step < reduction_tile_steps; ++step) {
      Index const n = reduction_tile * reduction_tile_terms + step * reduction_tile_columns + number;
      if (n < length) sum.add(arrays.term(segment * length + n));
    }
    return sum;
  }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const item = team.league_rank();
    auto* const lane = static_cast<Accumulator*>(
        team.team_scratch(0).get_shmem_aligned(reduction_tile_columns * sizeof(Accumulator), alignof(Accumulator)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, reduction_tile_columns),
                         [&](int c) { lane[c] = column(item / reduction_tiles, item % reduction_tiles, c); });
    team.team_barrier();
    for (int stride = 1; stride < reduction_tile_columns; stride *= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, reduction_tile_columns / (2 * stride)),
                           [&](int n) { lane[2 * n * stride].merge(lane[(2 * n + 1) * stride]); });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { to[item] = lane[0]; });
  }
};

template <class Kind, class Execution, class Real>
void run_portably(Execution const& execution, Arrays<Kind, Real> const& arrays, Segments const& segments,
                  Room<typename Kind::Accumulator> const& room) {
  using ReductionTile = TeamReductionTile<Kind, Real, Execution>;
  Index const reduction_tiles = reduction_tiles_of(segments.length);
  ReductionTile const reduction_tile{arrays, segments.length, reduction_tiles,
                                     reduction_tiles == 1 ? room.results : room.partials};
  typename ReductionTile::Policy policy(execution, static_cast<int>(segments.count * reduction_tiles), Kokkos::AUTO);
  policy.set_scratch_size(0, Kokkos::PerTeam(ReductionTile::scratch_bytes));
  Kokkos::parallel_for("halocline reduce", policy, reduction_tile);
  if (reduction_tiles > 1) {
    kernel::merge_portably<kernel::MergeNeighbours<kernel::group, typename Kind::Accumulator>>(
        execution, room.partials, reduction_tiles, segments.count, room.results);
  }
}

}  // namespace halocline::reduce
