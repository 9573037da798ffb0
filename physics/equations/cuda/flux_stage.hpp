#pragma once

#include <cuda_pipeline.h>

#include <cstddef>
#include <string>
#include <utility>

#include "framework/kernel/cuda.hpp"
#include "physics/equations/cuda/flux_plan.hpp"
#include "physics/equations/flux_rate.hpp"
#include "physics/equations/stage_functor.hpp"

// A stage of a conservation law on NVIDIA's GPUs. If each cell evaluated its own faces, every flux would be computed
// twice, and the state of a cell converted once for each cell that reads it. Here a block of threads marches through
// the planes of a tile: shared memory holds what the faces of the next planes need, and a thread evaluates the lower
// faces of its cell. The upper faces are those of the next thread or of the next plane.

namespace halocline {

namespace equation::cuda {

/// A stage whose rate is already known.
template <class Stage, class State>
struct StageOfRate {
  static constexpr Shape shape = Stage::shape;
  static constexpr Shape input_shape(int n) { return Stage::input_shape(n); }
  Stage const& stage;
  State const& fluxes;  ///< inflow minus outflow

  template <class P, class... In>
  __device__ __forceinline__ auto operator()(P const& at, In const&... in) const {
    return of(at, std::make_index_sequence<static_cast<std::size_t>(Stage::read)>(), in...);
  }

 private:
  template <class P, std::size_t... N, class... In>
  __device__ __forceinline__ auto of(P const& at, std::index_sequence<N...>, In const&... in) const {
    return stage.with_rate(stage.rate.with_source(fluxes, stage.place(at), kernel::pick<N>(in...)...), in...);
  }
};

/// Dynamic shared memory of a block at most: a little less than the 227 KiB of compute capability 9.0.
inline constexpr int most_shared_bytes = 224 * 1024;

/// Thread layout of a block for a rate: a warp along x, `rows` of them along y.
template <class Real, class Rate, int Axes>
struct FluxTile {
  static constexpr int columns = 32;
  static constexpr int reach = Rate::reach;
  static constexpr int fields = Rate::fields;
  static constexpr int width = columns + 2 * reach - 1;        ///< cells that the faces of a row read
  static constexpr int planes = Axes > 2 ? 2 * reach + 1 : 1;  ///< held in shared memory at a time
  [[nodiscard]] static constexpr int cells(int rows_of_tile) { return width * (rows_of_tile + 2 * reach - 1); }
  /// Fluxes through lower faces along y, of the current and the previous plane.
  [[nodiscard]] static constexpr int fluxes(int rows_of_tile) { return 2 * columns * rows_of_tile; }
  [[nodiscard]] static constexpr int bytes(int rows_of_tile) {
    return fields * (planes * cells(rows_of_tile) + fluxes(rows_of_tile)) * static_cast<int>(sizeof(Real));
  }
  /// Of the shapes tried on an H100, the one with most threads was fastest, although it spills a few registers.
  static constexpr int rows = [] {
    int most = 16;
    while (most > 4 && bytes(most) > most_shared_bytes) --most;
    return most;
  }();
  static constexpr int threads = columns * rows;
  static constexpr int cells_of_plane = cells(rows);
  static constexpr int places = (cells_of_plane + threads - 1) / threads;  ///< cells of a plane that one thread loads
  static constexpr int shared_bytes = bytes(rows);
};

template <class Task, class Real, class Rate, int Axes>
__global__ void __launch_bounds__(FluxTile<Real, Rate, Axes>::threads, 1)
    flux_stage(__grid_constant__ Task const task, __grid_constant__ FluxPlan const plan) {
  using Tile = FluxTile<Real, Rate, Axes>;
  using State = Values<Real, Tile::fields>;
  using Line = typename Rate::Line;
  constexpr int reach = Tile::reach;
  constexpr int columns = Tile::columns;
  constexpr int rows = Tile::rows;
  constexpr int cells = Tile::cells_of_plane;
  extern __shared__ __align__(16) unsigned char memory[];
  Real* const seen = reinterpret_cast<Real*>(memory);                // [plane][field][cell]
  Real* const along_y = seen + Tile::planes * Tile::fields * cells;  // [plane % 2][field][thread]
  auto const& functor = task.functor;
  Rate const& rate = functor.rate;

  int const thread = static_cast<int>(threadIdx.x);
  int const column = thread % columns;
  int const row = thread / columns;
  int tile = static_cast<int>(blockIdx.x);
  int const tile_x = tile % plan.tiles_x;
  tile /= plan.tiles_x;
  int const tile_y = tile % plan.tiles_y;
  Index const first_plane = plan.begin[2] + static_cast<Index>(tile / plan.tiles_y) * plan.chunk;
  Index const end_plane = first_plane + plan.chunk < plan.end[2] ? first_plane + plan.chunk : plan.end[2];
  Index const first_x = plan.begin[0] + static_cast<Index>(tile_x) * (columns - 1);
  Index const first_y = plan.begin[1] + static_cast<Index>(tile_y) * (rows - 1);
  Index const i = first_x + column;
  Index const j = first_y + row;
  // The last row and column evaluate faces for those before them.
  bool const is_stored = column < columns - 1 && row < rows - 1 && i < plan.end[0] && j < plan.end[1];
  bool const has_x_and_z = row < rows - 1 && j < plan.end[1];
  bool const has_y = j <= plan.end[1];

  // Shared memory is a ring of as many planes as the faces along z read, plus one ahead, starting at `first_seen`.
  Index const first_seen = first_plane - (Axes > 2 ? reach : 0);
  auto const plane_of = [&](Index k) {
    return seen + static_cast<int>((k - first_seen) % Tile::planes) * Tile::fields * cells;
  };
  // The cells of a plane that this thread loads.
  auto const for_places = [&](auto const& visit) {
#pragma unroll
    for (int n = 0; n < Tile::places; ++n) {
      int const place = thread + n * Tile::threads;
      if (place < cells) visit(place);
    }
  };
  // Beyond the range's ghosts the last ghost is loaded instead; no stored result depends on it.
  auto const ask = [&](Index k) {
    Real* const to = plane_of(k);
    for_places([&](int place) {
      Index const x = first_x - reach + place % Tile::width;
      Index const y = first_y - reach + place / Tile::width;
      Index const last_x = plan.end[0] - 1 + reach;
      Index const last_y = plan.end[1] - 1 + reach;
      [&]<std::size_t... F>(std::index_sequence<F...>) __attribute__((always_inline)) {
        (__pipeline_memcpy_async(to + static_cast<int>(F) * cells + place,
                                 kernel::input_at<F>(task.in).at(x < last_x ? x : last_x, y < last_y ? y : last_y, k),
                                 sizeof(Real)),
         ...);
      }
      (std::make_index_sequence<static_cast<std::size_t>(Tile::fields)>());
    });
    __pipeline_commit();
  };
  // Each thread converts the cells that it loaded.
  auto const convert = [&](Index k) {
    Real* const its = plane_of(k);
    for_places([&](int place) {
      State state;
      for (int f = 0; f < Tile::fields; ++f) state.value[f] = its[f * cells + place];
      state = rate.seen(state);
      for (int f = 0; f < Tile::fields; ++f) its[f * cells + place] = state.value[f];
    });
  };
  int const center = (row + reach) * Tile::width + column + reach;
  auto const line_in_plane = [&](Real const* from, int step) {
    Line line;
    for (int n = 0; n <= 2 * reach; ++n) {
      for (int f = 0; f < Tile::fields; ++f) line.cell[n].value[f] = from[f * cells + center + (n - reach) * step];
    }
    return line;
  };
  // Along z about plane k; the last cell is not read.
  auto const line_of_planes = [&](Index k) {
    Line line;
    for (int n = 0; n < 2 * reach; ++n) {
      Real const* const from = plane_of(k - reach + n);
      for (int f = 0; f < Tile::fields; ++f) line.cell[n].value[f] = from[f * cells + center];
    }
    line.cell[2 * reach] = line.cell[2 * reach - 1];
    return line;
  };

  for (int n = 0; n < Tile::planes; ++n) ask(first_seen + n);
  __pipeline_wait_prior(0);
  for (int n = 0; n < Tile::planes; ++n) convert(first_seen + n);
  __syncthreads();
  State below{};
  if constexpr (Axes > 2) {
    if (has_x_and_z) below = rate.template flux<2, -1>(line_of_planes(first_plane));
    __syncthreads();
  }

  for (Index k = first_plane; k < end_plane; ++k) {
    if constexpr (Axes > 2) {
      if (k + 1 < end_plane) ask(k + reach + 1);
    }
    Real const* const plane = plane_of(k);
    Real* const exchanged = along_y + static_cast<int>(k & 1) * Tile::fields * Tile::threads;
    Point const point(task.geometry, i, j, k);
    auto const at = functor.place(point);
    State sum{};
    if (has_x_and_z) {
      Line const line = line_in_plane(plane, 1);
      State const lower = rate.template flux<0, -1>(line);
      State upper;
      for (int f = 0; f < Tile::fields; ++f) upper.value[f] = __shfl_down_sync(0xffffffffU, lower.value[f], 1);
      sum = rate.template from_fluxes<0>(at, lower, upper, line);
    }
    State lower{};
    Line const line = line_in_plane(plane, Tile::width);
    if (has_y) {
      lower = rate.template flux<1, -1>(line);
      for (int f = 0; f < Tile::fields; ++f) exchanged[f * Tile::threads + thread] = lower.value[f];
    }
    State above{};
    if constexpr (Axes > 2) {
      if (has_x_and_z) above = rate.template flux<2, -1>(line_of_planes(k + 1));
      if (k + 1 < end_plane) {
        __pipeline_wait_prior(0);
        convert(k + reach + 1);
      }
    }
    __syncthreads();
    if (is_stored) {
      State upper;
      for (int f = 0; f < Tile::fields; ++f) upper.value[f] = exchanged[f * Tile::threads + thread + columns];
      sum = sum + rate.template from_fluxes<1>(at, lower, upper, line);
      if constexpr (Axes > 2) sum = sum + rate.template from_fluxes<2>(at, below, above, line);
      auto const returned =
          task.in.evaluate(StageOfRate<typename Task::FunctorType, State>{functor, sum}, task.geometry, i, j, k);
      for (int m = 0; m < Task::outputs; ++m) task.out.view[m](i, j, k) = returned.value[m];
    }
    below = above;
  }
}

}  // namespace equation::cuda

/// Stages of laws in 2D and 3D.
template <class Real, class Law, class Reconstruction, int Axes, int Fields, int Terms, bool HasSlope>
requires(Axes > 1 && (Axes < 3 || !HasBalance<Law, typename Law::State>)) struct kernel::cuda::OwnKernel<
    StageFunctor<Real, FluxRate<Real, Law, Reconstruction, Axes>, Axes, Fields, Terms, HasSlope>> {
  static constexpr bool possible = true;

  template <class Task>
  [[nodiscard]] static bool run(cudaStream_t stream, IndexRange const& range, Task const& task) {
    using Rate = FluxRate<Real, Law, Reconstruction, Axes>;
    using Tile = equation::cuda::FluxTile<Real, Rate, Axes>;
    static auto const function = &equation::cuda::flux_stage<Task, Real, Rate, Axes>;
    equation::cuda::FluxLaunch const launch = equation::cuda::plan_fluxes(
        range, {reinterpret_cast<void const*>(function), Tile::columns, Tile::rows, Tile::shared_bytes});
    if (launch.blocks == 0) return false;
    [[maybe_unused]] static bool const noted =
        (tuner::note({functor_name<typename Task::FunctorType>(), "",
                      "faces of a tile, 32 x " + std::to_string(Tile::rows) + " threads", ""}),
         true);
    enqueue(launch, Tile::threads, stream, "a stage of a conservation law", task, launch.plan);
    return true;
  }
};

}  // namespace halocline
