#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "framework/kernel/cuda/async_copy.hpp"
#include "framework/kernel/cuda/plan.hpp"
#include "framework/kernel/cuda/reduction_tile_sums.hpp"
#include "framework/kernel/cuda/window.hpp"
#include "framework/kernel/reduction_tiles.hpp"
#include "framework/kernel/scalar.hpp"
#include "framework/kernel/views.hpp"

// The streaming form of a sweep in 1D. The line is divided into rows of 1024 points, one step of four interleaved
// reduction tiles. A block processes such a group of reduction tiles, several rows a step. One producer thread issues
// asynchronous copies of the inputs some steps ahead; the other threads evaluate.

namespace halocline::kernel::cuda {

/// Points of a row.
inline constexpr int line_row = ReductionTiles::columns * ReductionTiles::together;
/// Threads of a block that evaluate points.
inline constexpr int line_threads = 256;

/// What a functor sees of an input of shape `In` at point X of a pack.
template <class Real, class In, int Width, int X>
struct LineReader {
  std::uint32_t pack;  ///< address of the pack in shared memory
  template <int I, int J, int K>
  __device__ __forceinline__ Real operator[](Offset<I, J, K>) const {
    static_assert(ReadWithinShape<In, I, J, K>::value);
    constexpr int distance = floor_divide(X + I, Width);
    constexpr int pack_bytes = Width * static_cast<int>(sizeof(Real));
    return load_pack<Real, Width>(pack + static_cast<std::uint32_t>(distance * pack_bytes))
        .value[X + I - distance * Width];
  }
};

/// Layout of a task's inputs in a stage of shared memory: the points of a step with the halo on both sides, one input
/// after the other.
template <class Task, class InputViews>
struct LineStage;

template <class Task, std::size_t... N, class... Real>
struct LineStage<Task, InputsAt<std::index_sequence<N...>, Real...>> {
  /// Rows of a step: the fewer bytes a point reads, the more.
  static constexpr int rows = [] {
    int most = LineTuning::most_rows;
    while (most > 1 && most * line_row * (0 + ... + sizeof(Real)) > LineTuning::step_bytes) most /= 2;
    return most;
  }();
  static constexpr int points = rows * line_row;

  template <std::size_t M, class R>
  struct InputAs {
    static constexpr int reach = Task::input_shape(static_cast<int>(M)).radius;
    template <int Width, int X>
    using Reader = LineReader<R, InputShape<typename Task::FunctorType, static_cast<int>(M)>, Width, X>;
  };

  struct Place {
    int halo;    ///< entries before the first point of the step: whole sectors
    int offset;  ///< bytes from the start of the stage
    int bytes;
  };
  struct Places {
    Place of[sizeof...(Real)];
    int bytes;
  };
  static constexpr Places places = [] {
    auto const up = [](int value, int unit) { return (value + unit - 1) / unit * unit; };
    Places made{};
    auto const add = [&](std::size_t n, int size) {
      int const halo = up(Task::input_shape(static_cast<int>(n)).radius, sector / size);
      made.of[n] = {halo, made.bytes, up((points + 2 * halo) * size, 128)};
      made.bytes += made.of[n].bytes;
    };
    (add(N, static_cast<int>(sizeof(Real))), ...);
    return made;
  }();
  static constexpr int bytes = places.bytes;

  /// Issues the copies of everything that the step from index x on reads.
  __device__ static void ask_for(Task const& task, LinePlan const& plan, Index x, std::byte* stage, CopyBarrier& full) {
    Part const parts[] = {part<N, Real>(plan, x)...};
    unsigned all = 0;
    for (Part const& part : parts) all += part.bytes;
    full.arrive_expecting(all);
    (full.copy(stage + parts[N].target, input_at<N>(task.in).at(parts[N].from, plan.j, plan.k), parts[N].bytes), ...);
  }

 private:
  struct Part {
    Index from;
    int target;  ///< bytes from the start of the stage
    unsigned bytes;
  };
  /// Only what the sweep may read, rounded to whole sectors.
  template <std::size_t M, class R>
  [[nodiscard]] __device__ static Part part(LinePlan const& plan, Index x) {
    constexpr Place place = places.of[M];
    constexpr int reach = InputAs<M, R>::reach;
    constexpr int size = sizeof(R);
    constexpr Index unit = sector / size;
    auto const down = [](Index a) { return a & ~(unit - 1); };
    Index const low = x - place.halo;
    Index const from = max(low, down(plan.begin - reach));
    Index const to = min(x + points + place.halo, down(plan.end + reach + unit - 1));
    return {from, place.offset + static_cast<int>(from - low) * size, static_cast<unsigned>(to - from) * size};
  }
};

/// An evaluating thread: some packs of every row, always the same columns.
template <class Task, class Accumulator, class Stage>
struct LineThread {
  static constexpr int width = 16 / static_cast<int>(sizeof(typename Task::Value));
  static constexpr int packs = line_row / (width * line_threads);
  static constexpr int sum_count = Task::sums > 0 ? Task::sums : 1;
  using Returned = typename Task::Returned;
  using Value = typename Task::Value;

  Task const& task;
  LinePlan const& plan;
  BoundFunctor<typename Task::FunctorType> functor;
  int thread;
  Accumulator sum[sum_count][packs * width];

  __device__ __forceinline__ LineThread(Task const& a_task, LinePlan const& a_plan, int a_thread)
      : task(a_task), plan(a_plan), functor(bound(a_task.functor)), thread(a_thread) {}

  /// Evaluates the thread's points of the step from index x on; all lie inside the range.
  __device__ __forceinline__ void evaluate(Index x, std::uint32_t stage) {
#pragma unroll
    for (int row = 0; row < Stage::rows; ++row) {
#pragma unroll
      for (int pack = 0; pack < packs; ++pack) {
        int const at = first_of(row, pack);
        [&]<int... X>(std::integer_sequence<int, X...>) __attribute__((always_inline)) {
          Returned const returned[] = {evaluate_point<X>(task.in, x, stage, at)...};
          store(returned, x + at);
          (add(returned[X], pack * width + X), ...);
        }
        (std::make_integer_sequence<int, width>());
      }
    }
  }

  /// The same where some of the points lie outside.
  __device__ __forceinline__ void evaluate_part(Index x, std::uint32_t stage) {
#pragma unroll 1
    for (int row = 0; row < Stage::rows; ++row) {
#pragma unroll
      for (int pack = 0; pack < packs; ++pack) {
        int const at = first_of(row, pack);
        [&]<int... X>(std::integer_sequence<int, X...>) __attribute__((always_inline)) {
          (update_if_inside<X>(x, stage, at, pack * width + X), ...);
        }
        (std::make_integer_sequence<int, width>());
      }
    }
  }

  /// Returns zero, depending on the sums, so that its use waits for their loads from shared memory. A store precedes an
  /// arrival in any case.
  [[nodiscard]] __device__ __forceinline__ unsigned after_loads() const {
    unsigned bits = 0;
    if constexpr (Task::sums > 0) {
#pragma unroll
      for (int n = 0; n < sum_count; ++n) {
#pragma unroll
        for (int column = 0; column < packs * width; ++column) bits ^= low_bits(first_number(sum[n][column]));
      }
    }
    return bits & plan.zero;
  }

 private:
  /// The first point of a pack, relative to the step's first.
  [[nodiscard]] __device__ __forceinline__ int first_of(int row, int pack) const {
    return row * line_row + (pack * line_threads + thread) * width;
  }

  template <int X, std::size_t... N, class... Real>
  [[nodiscard]] __device__ __forceinline__ Returned evaluate_point(InputsAt<std::index_sequence<N...>, Real...> const&,
                                                                   Index x, std::uint32_t stage, int at) const {
    return functor(
        Point(task.geometry, x + at + X, plan.j, plan.k),
        typename Stage::template InputAs<N, Real>::template Reader<width, X>{
            stage + static_cast<std::uint32_t>(Stage::places.of[N].offset +
                                               (Stage::places.of[N].halo + at) * static_cast<int>(sizeof(Real)))}...);
  }

  template <int X>
  __device__ __forceinline__ void update_if_inside(Index x, std::uint32_t stage, int at, int column) {
    Index const i = x + at + X;
    if (i < plan.begin || i >= plan.end) return;
    Returned const returned = evaluate_point<X>(task.in, x, stage, at);
    if constexpr (Task::outputs > 0) {
#pragma unroll
      for (int n = 0; n < Task::outputs; ++n) {
        *task.out.view[n].at(i, plan.j, plan.k) = Returns<Returned>::value(returned, n);
      }
    }
    add(returned, column);
  }

  __device__ __forceinline__ void add([[maybe_unused]] Returned const& returned, [[maybe_unused]] int column) {
    if constexpr (Task::sums > 0) {
#pragma unroll
      for (int n = 0; n < Task::sums; ++n) {
        sum[n][column].add(static_cast<double>(Returns<Returned>::term(returned, n)));
      }
    }
  }

  __device__ __forceinline__ void store([[maybe_unused]] Returned const* returned, [[maybe_unused]] Index i) const {
    if constexpr (Task::outputs > 0) {
#pragma unroll
      for (int n = 0; n < Task::outputs; ++n) {
        Pack<Value, width> pack;
#pragma unroll
        for (int v = 0; v < width; ++v) pack.value[v] = Returns<Returned>::value(returned[v], n);
        // Bypasses the first-level cache. The second level may keep it: early write-back in pieces costs more.
        __stcg(reinterpret_cast<float4*>(task.out.view[n].at(i, plan.j, plan.k)),
               *reinterpret_cast<float4 const*>(&pack));
      }
    }
  }
};

/// Merges the columns of a group of reduction tiles and stores the sums. `merged`: shared memory for an accumulator of
/// every warp, pack and sum. Called by all evaluating threads.
template <class Thread, class Accumulator>
__device__ __forceinline__ void store_line_reduction_tiles(Thread& mine, ReductionTileSums<Accumulator> const& sums,
                                                           Accumulator* merged, Index group_number) {
  constexpr int columns_of_warp = 32 * Thread::width;
  constexpr int warps = line_row / columns_of_warp;
  constexpr int warps_of_reduction_tile = ReductionTiles::columns / columns_of_warp;
#pragma unroll
  for (int n = 0; n < Thread::sum_count; ++n) {
#pragma unroll
    for (int pack = 0; pack < Thread::packs; ++pack) {
      Accumulator(&columns)[Thread::packs * Thread::width] = mine.sum[n];
      Accumulator const of_warp =
          merge_neighbouring_lanes<32>(merge_neighbours<Thread::width>(columns + pack * Thread::width));
      if (mine.thread % 32 == 0) merged[n * warps + (pack * line_threads + mine.thread) / 32] = of_warp;
#pragma unroll
      for (int v = 0; v < Thread::width; ++v) columns[pack * Thread::width + v] = Accumulator{};
    }
  }
  barrier_of(line_threads);
  if (mine.thread < Thread::sum_count * ReductionTiles::together) {
    int const n = mine.thread / ReductionTiles::together;
    int const reduction_tile = mine.thread % ReductionTiles::together;
    sums.partials[n * sums.room + group_number * ReductionTiles::together + reduction_tile] =
        merge_neighbours<warps_of_reduction_tile>(merged + n * warps + reduction_tile * warps_of_reduction_tile);
  }
  barrier_of(line_threads);
}

template <class Task, class Accumulator>
__global__ void __launch_bounds__(line_threads + producer_threads)
    line_sweep(__grid_constant__ Task const task, __grid_constant__ LinePlan const plan,
               __grid_constant__ ReductionTileSums<Accumulator> const sums) {
  using Stage = LineStage<Task, std::remove_const_t<decltype(Task::in)>>;
  constexpr Index none = -1;

  extern __shared__ __align__(128) unsigned char shared_memory[];
  auto* const stages = reinterpret_cast<std::byte*>(shared_memory);
  __shared__ CopyBarrier full[most_stages];
  __shared__ CopyBarrier empty[most_stages];
  __shared__ Index group_of[most_stages];  ///< group of reduction tiles that the step of a stage belongs to

  int const thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int n = 0; n < plan.stages; ++n) {
      full[n].init(1);
      empty[n].init(line_threads);
    }
    publish_barriers();
  }
  __syncthreads();

  int buffer = 0;
  unsigned parity = 0;
  auto const next_buffer = [&] {
    if (++buffer == plan.stages) buffer = 0, parity ^= 1U;
  };
  auto const first_of = [&](Index group) { return plan.origin + group * plan.group_points; };
  auto const last_of = [&](Index group) { return min(first_of(group) + plan.group_points, plan.end); };

  if (thread >= line_threads) {
    if (thread > line_threads) return;
    // Blocks take groups in order as they become free, so that together they traverse memory from front to back.
    Index group = blockIdx.x;
    while (group < plan.groups) {
      Index const next = static_cast<Index>(gridDim.x) + atomicAdd(plan.taken, 1U);
      for (Index x = first_of(group); x < last_of(group); x += Stage::points) {
        empty[buffer].wait(parity ^ 1U);  // the first round finds every buffer free
        group_of[buffer] = group;
        Stage::ask_for(task, plan, x, stages + buffer * Stage::bytes, full[buffer]);
        next_buffer();
      }
      group = next;
    }
    empty[buffer].wait(parity ^ 1U);
    group_of[buffer] = none;
    full[buffer].arrive_expecting(0);
    return;
  }

  auto* const merged = reinterpret_cast<Accumulator*>(stages + plan.stages * Stage::bytes);
  LineThread<Task, Accumulator, Stage> mine(task, plan, thread);
  while (true) {
    full[buffer].wait(parity);
    Index const group = group_of[buffer];
    if (group == none) break;
    for (Index x = first_of(group); x < last_of(group); x += Stage::points) {
      full[buffer].wait(parity);
      std::uint32_t stage = shared_address(stages) + static_cast<std::uint32_t>(buffer * Stage::bytes);
      asm volatile("" : "+r"(stage));  // defined only after the wait
      if (x >= plan.begin && x + Stage::points <= plan.end) {
        mine.evaluate(x, stage);
      } else {
        mine.evaluate_part(x, stage);
      }
      // An arrival releases the stage, but the TMA unit does not wait for loads in flight: they must complete first.
      empty[buffer].arrive(mine.after_loads());
      next_buffer();
    }
    if constexpr (Task::sums > 0) store_line_reduction_tiles(mine, sums, merged, group);
  }
  if (!is_last_block(plan.blocks_done, gridDim.x, thread, line_threads)) return;
  if (thread == 0) *plan.taken = 0;
  if constexpr (Task::sums > 0) {
    merge_reduction_tiles<Task::sums, 16>(sums, 0, plan.groups * ReductionTiles::together, sums.results, 1,
                                          reinterpret_cast<Accumulator*>(stages),  // no copies arrive any more
                                          thread, line_threads);
  }
}

}  // namespace halocline::kernel::cuda
