#include "framework/kernel/wavefront.hpp"

#include <algorithm>

#include "framework/kernel/host_plan.hpp"
#include "framework/mesh/box_difference.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {
namespace {

/// Below this many unknowns a second thread costs more than it gains.
constexpr Index fewest_for_threads = 12000;

/// Rows of the thinnest tile: in thinner ones the skew would dominate.
constexpr Index fewest_tile_rows = 8;

std::size_t place(int axis) { return static_cast<std::size_t>(axis); }

IndexRange cut(IndexRange range, int axis, Index begin, Index end) {
  range.begin[place(axis)] = std::max(range.begin[place(axis)], begin);
  range.end[place(axis)] = std::min(range.end[place(axis)], end);
  return range;
}

/// Starts of `pieces` pieces of about equal length, an even number of unknowns after `begin`; and the end of the last.
std::vector<Index> even_cuts(Index begin, Index length, Index pieces) {
  std::vector<Index> all;
  for (Index n = 0; n < pieces; ++n) all.push_back(begin + length * n / pieces / 2 * 2);
  all.push_back(begin + length);
  return all;
}

/// The part [from, to) of one axis for a stage `lag` behind the first, while the first stage runs on part n. Cuts
/// within the box are skewed.
struct Skewed {
  Index from;
  Index to;
};
Skewed skewed(std::vector<Index> const& cuts, std::size_t n, Index lag) {
  return {n == 0 ? cuts[0] : cuts[n] - lag, n + 2 == cuts.size() ? cuts[n + 1] : cuts[n + 1] - lag};
}

template <class Task>
void in_parallel(Index count, Task const& task) {
  if (count == 1) {
    task(0);
  } else if (count > 1) {
    Kokkos::parallel_for("wavefront", Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<Index>>(0, count), task);
    Kokkos::fence("wavefront");
  }
}

}  // namespace

IndexRange Wavefront::interior(Index lag, bool aligned) const {
  IndexRange inner = box;
  for (std::size_t a = 0; a < 3; ++a) {
    Index const size = box.end[a] - box.begin[a];
    Index const unit = aligned ? alignment[a] : 1;
    if (open[a][0]) inner.begin[a] += (lag + unit - 1) / unit * unit;
    if (open[a][1] && lag > 0) inner.end[a] = box.begin[a] + std::max<Index>(0, size - lag) / unit * unit;
    inner.end[a] = std::max(inner.begin[a], inner.end[a]);
  }
  return inner;
}

std::vector<IndexRange> Wavefront::shell(Index lag, bool aligned) const { return without(box, interior(lag, aligned)); }

std::vector<Index> Wavefront::cuts(int stages, int threads) const {
  Index const length = box.extent(axis);
  Index const begin = box.begin[place(axis)];
  Index pieces = box.size() < fewest_for_threads ? 1 : threads;
  // Neighbouring cuts must not share the gaps that pieces leave between them.
  pieces = std::clamp<Index>(length / (4 * std::max(stages, 1)), 1, pieces);
  return even_cuts(begin, length, pieces);
}

std::vector<Index> Wavefront::tiles(int stages) const {
  int const across = tiled_axis();
  Index const begin = box.begin[place(across)];
  Index const length = box.extent(across);
  Index pieces = 1;
  if (axis == 2) {
    Index const row_bytes = bytes_per_unknown * box.extent(0) * (stages + step());
    Index const fitting = kernel::cache_of_one_core() / std::max<Index>(1, row_bytes);
    pieces = std::max<Index>(1, length / std::max(fitting, fewest_tile_rows));
  }
  return even_cuts(begin, length, pieces);
}

Index Wavefront::step() const {
  constexpr Index unknowns = 2048;
  Index const slice = box.size() / std::max<Index>(1, box.extent(axis));
  return std::max<Index>(1, unknowns / std::max<Index>(1, slice) / 2) * 2;
}

int Wavefront::stages_per_pass(int stages) const {
  Index const unknowns = axis == 2 ? box.extent(0) * std::min(box.extent(1), fewest_tile_rows)
                                   : box.size() / std::max<Index>(1, box.extent(axis));
  Index const slice = bytes_per_unknown * unknowns;
  // Half of the shared cache, divided among all threads.
  Index const fitting =
      kernel::last_level_cache() / 2 / std::max<Index>(1, slice * HostExecution().concurrency()) - step();
  return static_cast<int>(std::clamp<Index>(fitting / 2 * 2, 2, std::max(2, stages)));
}

void run_wavefront_interior(Wavefront const& wavefront, WavefrontPass const& pass, void const* stages, RunStage run) {
  int const first = pass.first;
  int const count = pass.last - first;
  int const axis = wavefront.axis;
  std::vector<IndexRange> interiors;
  for (int lag = 0; lag < count; ++lag) interiors.push_back(wavefront.interior(lag, first + lag == pass.aligned_stage));
  std::vector<Index> const cuts = wavefront.cuts(count, HostExecution().concurrency());
  Index const begin = cuts.front();
  Index const end = cuts.back();
  Index const step = wavefront.step();

  std::vector<Index> const tiles = wavefront.tiles(count);
  in_parallel(static_cast<Index>(cuts.size()) - 1, [&](Index piece) {
    Index const lower = cuts[static_cast<std::size_t>(piece)];
    Index const upper = cuts[static_cast<std::size_t>(piece) + 1];
    for (std::size_t tile = 0; tile + 1 < tiles.size(); ++tile) {
      for (Index front = lower; front < upper + count - 1; front += step) {
        for (int lag = 0; lag < count; ++lag) {
          Index const from = lower == begin ? begin : lower + lag;
          Index const to = upper == end ? end : upper - lag;
          Skewed const rows = skewed(tiles, tile, lag);
          IndexRange const part =
              cut(cut(interiors[static_cast<std::size_t>(lag)], wavefront.tiled_axis(), rows.from, rows.to), axis,
                  std::max(from, front - lag), std::min(to, front - lag + step));
          if (!part.empty()) run(stages, first + lag, part);
        }
      }
    }
  });
  // The gaps that the pieces leave between them.
  in_parallel(static_cast<Index>(cuts.size()) - 2, [&](Index border) {
    Index const at = cuts[static_cast<std::size_t>(border) + 1];
    for (int lag = 1; lag < count; ++lag) {
      IndexRange const gap = cut(interiors[static_cast<std::size_t>(lag)], axis, at - lag, at + lag);
      if (!gap.empty()) run(stages, first + lag, gap);
    }
  });
}

void run_wavefront_shell(Wavefront const& wavefront, WavefrontPass const& pass, int stage, void const* stages,
                         RunStage run) {
  std::vector<IndexRange> const boxes = wavefront.shell(stage - pass.first, stage == pass.aligned_stage);
  in_parallel(static_cast<Index>(boxes.size()),
              [&](Index n) { run(stages, stage, boxes[static_cast<std::size_t>(n)]); });
}

}  // namespace halocline
