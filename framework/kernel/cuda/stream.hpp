#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "framework/kernel/cuda/async_copy.hpp"
#include "framework/kernel/cuda/plan.hpp"
#include "framework/kernel/cuda/stream_reduction_tiles.hpp"
#include "framework/kernel/cuda/window.hpp"
#include "framework/kernel/scalar.hpp"
#include "framework/kernel/views.hpp"

// The streaming form of a sweep in 2D and 3D. A thread block processes a tile of the faster axes (in 2D: of x) along
// the slowest one: a step is a plane in 3D, a few rows in 2D. One producer warp issues asynchronous copies of the
// inputs some steps ahead; the other warps evaluate. Only halos of tiles are read from memory more than once.

namespace halocline::kernel::cuda {

/// Compile-time properties of a streaming sweep.
template <class Task, int Dimensions, int RowsOfThread>
struct Stream {
  static constexpr int dimensions = Dimensions;
  static constexpr int axis = Dimensions - 1;  ///< the slowest
  static constexpr int width = 16 / static_cast<int>(sizeof(typename Task::Value));
  static constexpr int rows = RowsOfThread;
  static constexpr int reach = Task::radius;
  static constexpr bool star = Task::shape.kind == ShapeKind::star;
  /// Planes or rows of a step.
  static constexpr int step = Dimensions == 3 ? 1 : rows;
  static constexpr int inputs = decltype(Task::in)::count;
  /// Steps between the arrival of an input's values and the first step that evaluates with them.
  [[nodiscard]] static constexpr int lead_of(int input_reach) {
    return Dimensions == 3 ? input_reach : input_reach > 0 ? 1 : 0;
  }
  static constexpr int lead = lead_of(reach);
  /// Steps that must be complete before values may be discarded.
  static constexpr int keep = Dimensions == 3 && star ? 0 : lead;

  template <std::size_t N, class Real>
  struct InputWindow {
    static constexpr Shape shape = Task::input_shape(static_cast<int>(N));
    static constexpr int reach_x = shape.reach(0);
    static constexpr int reach_y = shape.reach(1);
    static constexpr int reach = shape.reach(axis);
    static constexpr int lead = lead_of(reach);
    int at = 0;  ///< byte offset of the next buffer from the first
    std::conditional_t<Dimensions == 3, PlaneWindow<Real, width, rows, reach, star>,
                       RowWindow<Real, width, rows, reach>>
        window;
  };
  template <std::size_t N, class Real, int X, int Y>
  using ReaderOf = WindowReader<decltype(InputWindow<N, Real>::window),
                                InputShape<typename Task::FunctorType, static_cast<int>(N)>, X, Y, Dimensions>;
};

/// A functor that alternates between two operations from a point to its neighbours along every axis may declare it:
/// `phase(point)` is 0 or 1, and `in_phase<Phase>(point, inputs…)` does what operator() does there. Then a thread
/// determines the phase once for all of its points, and loads shared values once.
template <class Functor>
inline constexpr bool has_phases = requires(Functor const& functor, Point<double> const& point) {
  { functor.phase(point) } -> std::same_as<int>;
};

/// The copies of one input for a tile.
struct RowCopies {
  std::byte const* source;  ///< of row 0 of step 0
  Index row_bytes;          ///< distance between rows …
  Index step_bytes;         ///< … and between steps
  unsigned bytes;           ///< of the part of a row that is copied
  int target;               ///< of row 0 in the first buffer
  int target_row_bytes;
  int first_row;  ///< of a step; in 2D of the first step
  int last_row;   ///< one past it; in 2D of all steps, relative to the first step's start
};

/// Throttles blocks that run ahead, because blocks that drift apart read from many places of memory at a time, which is
/// slow. Results do not depend on it: a block that has waited for long continues.
class Pace {
 public:
  __device__ __forceinline__ explicit Pace(StreamPlan const& plan) : steps_(plan.pace), counted_(plan.counted_steps) {
    if (steps_ == 0) return;
    auto const resident = static_cast<unsigned>(plan.resident_blocks);
    unsigned const batch = blockIdx.x / resident;
    blocks_ = min(resident, gridDim.x - batch * resident);
    begun_ = plan.begun + batch * static_cast<unsigned>(plan.counted_steps);
  }
  /// Waits until all blocks of the batch have begun step `step - plan.pace`, and counts this block in `step`.
  __device__ __forceinline__ void begin(int step) {
    if (step - steps_ > all_have_begun_) {
      unsigned newest = load_newest(begun_ + step - 1);
      while (polls_left_ > 0 && load_newest(begun_ + step - steps_) < blocks_) --polls_left_;
      all_have_begun_ = newest == blocks_ ? step - 1 : step - steps_;
    }
    add_one(begun_ + step);
  }
  /// Called by all lanes of a warp when this block has no step from `step` on: other blocks do not wait for it.
  __device__ __forceinline__ void end(int step, int lane) const {
    if (steps_ == 0) return;
    for (int n = step + lane; n < counted_; n += 32) add_one(begun_ + n);
  }

 private:
  int steps_;
  int counted_;
  unsigned blocks_ = 0;
  unsigned* begun_ = nullptr;
  int all_have_begun_ = -1;
  int polls_left_ = 4096;
};

template <class Task, class AStream, class Inputs>
struct StreamInputs;

/// All inputs of a thread: the windows of a consumer, the copies of the producer.
template <class Task, class AStream, std::size_t... N, class... Real>
struct StreamInputs<Task, AStream, InputsAt<std::index_sequence<N...>, Real...>>
    : AStream::template InputWindow<N, Real>... {
  template <std::size_t M, class R>
  using At = typename AStream::template InputWindow<M, R>;

  __device__ __forceinline__ explicit StreamInputs(StreamPlan const& plan)
      : At<N, Real>{0, decltype(At<N, Real>::window)(plan.input[N].pitch)}... {}

  /// Moves the values that arrive with step `s` into the windows. `buffers`: start of all inputs' buffers; (x, y): the
  /// thread's first point in the tile.
  __device__ __forceinline__ void advance(StreamPlan const& plan, int s, int x, int y, std::uint32_t buffers) {
    (
        [&] {
          constexpr int lead = At<N, Real>::lead;
          constexpr int halo_rows = AStream::dimensions == 3 ? At<N, Real>::reach_y : 0;
          TileInput const& in = plan.input[N];
          if (s >= -2 * lead) {
            int const entries = (y + halo_rows) * in.pitch + in.halo + x;
            At<N, Real>::window.advance(buffers + in.offset + At<N, Real>::at +
                                        entries * static_cast<int>(sizeof(Real)));
          }
          At<N, Real>::at += in.buffer_bytes;
          if (At<N, Real>::at == in.buffers * in.buffer_bytes) At<N, Real>::at = 0;
          if (s >= -lead) At<N, Real>::window.centre();
        }(),
        ...);
  }
  /// A number that depends on every loaded value still in use or about to be.
  [[nodiscard]] __device__ __forceinline__ unsigned loaded() const { return (0U ^ ... ^ At<N, Real>::window.loaded()); }
  /// Called after step `s` has been evaluated.
  __device__ __forceinline__ void retire(int s) {
    ((s >= -At<N, Real>::lead ? At<N, Real>::window.retire() : void()), ...);
  }

  /// `Phase`: of the point, for functors with phases.
  template <int X, int Y, int Phase, class APoint>
  __device__ __forceinline__ auto evaluate(typename Task::FunctorType const& functor, APoint const& point) const {
    if constexpr (has_phases<typename Task::FunctorType>) {
      return functor.template in_phase<Phase>(
          point, typename AStream::template ReaderOf<N, Real, X, Y>{At<N, Real>::window}...);
    } else {
      return functor(point, typename AStream::template ReaderOf<N, Real, X, Y>{At<N, Real>::window}...);
    }
  }

  /// The producer's part: issues the copies of a tile's inputs, from plane or row `first` to `last`.
  __device__ static void produce(Task const& task, StreamPlan const& plan, Index x0, Index y0, Index first, Index last,
                                 std::byte* stages, CopyBarrier* full, CopyBarrier* empty, int lane) {
    produce_with(plan, first, last, stages, full, empty, lane,
                 copies<N, Real>(input_at<N>(task.in), plan, x0, y0, first, last)...);
  }

 private:
  template <std::size_t M, class R>
  __device__ static RowCopies copies(BlockView<R const> const& view, StreamPlan const& plan, Index x0, Index y0,
                                     Index first, Index last) {
    constexpr int reach_x = At<M, R>::reach_x;
    constexpr int reach_y = At<M, R>::reach_y;
    constexpr int size = sizeof(R);
    constexpr Index unit = sector / size;
    TileInput const& in = plan.input[M];
    auto const down = [](Index a) { return a & ~(unit - 1); };
    // Only what the sweep may read, rounded to whole sectors.
    Index const low = x0 - in.halo;
    Index const from = max(low, down(plan.begin[0] - reach_x));
    Index const to = min(x0 + plan.threads_x * AStream::width + in.halo, down(plan.end[0] + reach_x + unit - 1));
    RowCopies copies;
    copies.row_bytes = view.row * size;
    copies.bytes = to > from ? static_cast<unsigned>((to - from) * size) : 0U;
    copies.target = in.offset + static_cast<int>((from - low) * size);
    copies.target_row_bytes = in.pitch * size;
    if constexpr (AStream::dimensions == 3) {
      copies.source = reinterpret_cast<std::byte const*>(view.at(from, y0 - reach_y, first));
      copies.step_bytes = view.plane * size;
      copies.first_row = 0;
      copies.last_row = static_cast<int>(min(Index{plan.threads_y * AStream::rows}, plan.end[1] - y0)) + 2 * reach_y;
    } else {
      copies.source = reinterpret_cast<std::byte const*>(view.at(from, first, plan.begin[2]));
      copies.step_bytes = AStream::step * copies.row_bytes;
      copies.first_row = -reach_y;
      copies.last_row = static_cast<int>(last - first) + reach_y;
    }
    return copies;
  }

  template <class... Copies>
  __device__ static void produce_with(StreamPlan const& plan, Index first, Index last, std::byte* stages,
                                      CopyBarrier* full, CopyBarrier* empty, int lane, Copies const&... copies) {
    int const steps = static_cast<int>((last - first + AStream::step - 1) / AStream::step);
    int buffer = 0;                  // of the barriers
    int buffers[sizeof...(N)] = {};  // of the inputs
    Pace pace(plan);
    unsigned parity = 1;  // the first round finds every buffer free
    for (int s = -AStream::lead; s < steps + AStream::lead; ++s) {
      // The step whose values an input delivers now, and its rows: all in 3D, those of the tile that exist in 2D.
      auto const step_of = [&](int lead) { return s - (AStream::lead - lead); };
      auto const first_row = [&](RowCopies const& of, int lead) {
        int const step = step_of(lead);
        if (AStream::dimensions == 3) return step >= -lead && step < steps + lead ? of.first_row : of.last_row;
        return max(0, of.first_row - step * AStream::step);
      };
      auto const last_row = [&](RowCopies const& of, int lead) {
        return AStream::dimensions == 3 ? of.last_row : min(AStream::step, of.last_row - step_of(lead) * AStream::step);
      };
      unsigned const bytes =
          (0U + ... +
           (copies.bytes *
            static_cast<unsigned>(max(0, last_row(copies, At<N, Real>::lead) - first_row(copies, At<N, Real>::lead)))));
      empty[buffer].wait(parity);
      if (plan.pace > 0) {
        if (lane == 0) pace.begin(s + AStream::lead);
        __syncwarp();
      }
      if (lane == 0) full[buffer].arrive_expecting(bytes);
      __syncwarp();
      (
          [&] {
            TileInput const& in = plan.input[N];
            std::byte* const target = stages + copies.target + buffers[N] * in.buffer_bytes;
            if (++buffers[N] == in.buffers) buffers[N] = 0;
            if (copies.bytes == 0) return;
            constexpr int lead = At<N, Real>::lead;
            std::byte const* const source = copies.source + step_of(lead) * copies.step_bytes;
            for (int row = first_row(copies, lead) + lane; row < last_row(copies, lead); row += producer_threads) {
              full[buffer].copy(target + row * copies.target_row_bytes, source + row * copies.row_bytes, copies.bytes);
            }
          }(),
          ...);
      if (++buffer == plan.stages) buffer = 0, parity ^= 1U;
    }
    pace.end(steps + 2 * AStream::lead, lane);
  }
};

/// The consumer's part: one thread.
template <class Task, class Accumulator, class AStream>
struct StreamThread {
  static constexpr int width = AStream::width;
  static constexpr int rows = AStream::rows;
  static constexpr int axis = AStream::axis;
  static constexpr int sum_count = Task::sums > 0 ? Task::sums : 1;
  using Returned = typename Task::Returned;
  using Value = typename Task::Value;
  using Inputs = StreamInputs<Task, AStream, std::remove_const_t<decltype(Task::in)>>;

  Task const& task;
  StreamPlan const& plan;
  BoundFunctor<typename Task::FunctorType> functor;
  Inputs inputs;
  Index i;  ///< of the thread's first point
  Index j;
  int x_begin;  ///< points inside the range, relative to the first
  int x_end;
  /// Sums of the thread's columns along the slowest axis; in 2D a column covers all rows of the thread.
  Accumulator sum[sum_count][axis == 2 ? rows : 1][width];

  __device__ __forceinline__ StreamThread(Task const& a_task, StreamPlan const& a_plan, Index x0, Index y0)
      : task(a_task), plan(a_plan), functor(bound(a_task.functor)), inputs(a_plan), i(x0), j(y0) {
    x_begin = static_cast<int>(max(Index{0}, min(plan.begin[0] - i, Index{width})));
    x_end = static_cast<int>(max(Index{0}, min(plan.end[0] - i, Index{width})));
  }

  /// Returns zero, depending on every value that the thread loaded from shared memory and has not stored, so that its
  /// use waits for these loads. A store precedes an arrival in any case.
  [[nodiscard]] __device__ __forceinline__ unsigned after_loads() const {
    unsigned bits = inputs.loaded();
    if constexpr (Task::sums > 0) {
#pragma unroll
      for (int n = 0; n < sum_count; ++n) {
#pragma unroll
        for (int y = 0; y < (axis == 2 ? rows : 1); ++y) {
#pragma unroll
          for (int x = 0; x < width; ++x) bits ^= low_bits(first_number(sum[n][y][x]));
        }
      }
    }
    return bits & plan.zero;
  }

  /// Evaluates and stores the thread's points of plane k (in 2D: of the rows from k on). `row_end`: rows inside.
  __device__ __forceinline__ void evaluate(Index k, int row_end) {
    if constexpr (has_phases<typename Task::FunctorType>) {
      Point const first(task.geometry, i, axis == 2 ? j : k, axis == 2 ? k : plan.begin[2]);
      if (functor.phase(first) == 0) {
        evaluate_from_phase<0>(k, row_end);
      } else {
        evaluate_from_phase<1>(k, row_end);
      }
    } else {
      evaluate_from_phase<0>(k, row_end);
    }
  }

 private:
  /// `First`: the phase of the thread's first point.
  template <int First>
  __device__ __forceinline__ void evaluate_from_phase(Index k, int row_end) {
    [&]<int... P>(std::integer_sequence<int, P...>) __attribute__((always_inline)) {
      Returned const returned[] = {evaluate_point<P % width, P / width, First>(k)...};
      inputs.retire(0);
      bool const whole = x_begin == 0 && x_end == width && row_end >= rows;
      if constexpr (Task::sums > 0) {
        if (whole) {
          (add<P % width, P / width>(returned[P]), ...);
        } else {
          (((P % width >= x_begin && P % width < x_end && P / width < row_end) ? add<P % width, P / width>(returned[P])
                                                                               : void()),
           ...);
        }
      }
      if constexpr (Task::outputs > 0) {
        if (whole && plan.aligned_outputs) {
          store_whole(returned, k);
        } else {
          store_part(returned, k, row_end);
        }
      }
    }
    (std::make_integer_sequence<int, width * rows>());
  }

  template <int X, int Y, int First>
  __device__ __forceinline__ Returned evaluate_point(Index k) const {
    // Points of the tile outside the range are evaluated at the nearest point inside, and discarded.
    Index const x = min(max(i + X, plan.begin[0]), plan.end[0] - 1);
    Index const y = min((axis == 2 ? j : k) + Y, plan.end[1] - 1);
    return inputs.template evaluate<X, Y, (X + Y + First) % 2>(
        functor, Point(task.geometry, x, y, axis == 2 ? k : plan.begin[2]));
  }

  template <int X, int Y>
  __device__ __forceinline__ void add(Returned const& returned) {
#pragma unroll
    for (int n = 0; n < Task::sums; ++n) {
      sum[n][axis == 2 ? Y : 0][X].add(static_cast<double>(Returns<Returned>::term(returned, n)));
    }
  }

  [[nodiscard]] __device__ __forceinline__ Value* output(int n, Index k) const {
    return axis == 2 ? task.out.view[n].at(i, j, k) : task.out.view[n].at(i, k, plan.begin[2]);
  }

  __device__ __forceinline__ void store_whole(Returned const* returned, Index k) const {
#pragma unroll
    for (int n = 0; n < Task::outputs; ++n) {
      Value* to = output(n, k);
#pragma unroll
      for (int y = 0; y < rows; ++y, to += task.out.view[n].row) {
        Pack<Value, width> pack;
#pragma unroll
        for (int x = 0; x < width; ++x) pack.value[x] = Returns<Returned>::value(returned[y * width + x], n);
        // Bypasses the first-level cache. The second level may keep it: early write-back in pieces costs more.
        __stcg(reinterpret_cast<float4*>(to), *reinterpret_cast<float4 const*>(&pack));
      }
    }
  }

  __device__ __forceinline__ void store_part(Returned const* returned, Index k, int row_end) const {
#pragma unroll
    for (int n = 0; n < Task::outputs; ++n) {
      Value* to = output(n, k);
#pragma unroll
      for (int y = 0; y < rows; ++y, to += task.out.view[n].row) {
#pragma unroll
        for (int x = 0; x < width; ++x) {
          if (y < row_end && x >= x_begin && x < x_end) to[x] = Returns<Returned>::value(returned[y * width + x], n);
        }
      }
    }
  }
};

template <class Task, class Accumulator, int Dimensions, int RowsOfThread, int MostThreads>
__global__ void __launch_bounds__(MostThreads + producer_threads, 1)
    stream_sweep(__grid_constant__ Task const task, __grid_constant__ StreamPlan const plan,
                 __grid_constant__ ReductionTileSums<Accumulator> const sums) {
  using AStream = Stream<Task, Dimensions, RowsOfThread>;
  using Thread = StreamThread<Task, Accumulator, AStream>;
  constexpr int axis = AStream::axis;
  constexpr int lead = AStream::lead;

  extern __shared__ __align__(128) unsigned char shared_memory[];
  auto* const stages = reinterpret_cast<std::byte*>(shared_memory);
  __shared__ CopyBarrier full[most_stages];
  __shared__ CopyBarrier empty[most_stages];

  int const consumers = plan.threads_x * plan.threads_y;
  int const thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int n = 0; n < plan.stages; ++n) {
      full[n].init(1);
      empty[n].init(static_cast<unsigned>(consumers));
    }
    publish_barriers();
  }
  __syncthreads();

  int const tile = static_cast<int>(blockIdx.x);
  int const tile_x = tile / plan.between[0] % plan.tiles_x;
  int const tile_y = tile / plan.between[1] % plan.tiles_y;
  Index const x0 = plan.origin_x + static_cast<Index>(tile_x) * (plan.threads_x * AStream::width);
  Index const y0 = plan.begin[1] + static_cast<Index>(tile_y) * (plan.threads_y * AStream::rows);
  Index const first = plan.begin[axis] + tile / plan.between[2] % plan.chunks * plan.chunk;
  Index const last = min(first + plan.chunk, plan.end[axis]);

  if (thread >= consumers) {
    Thread::Inputs::produce(task, plan, x0, y0, first, last, stages, full, empty, thread - consumers);
    return;
  }

  int const x = thread % plan.threads_x * AStream::width;
  int const y = thread / plan.threads_x * AStream::rows;
  Thread mine(task, plan, x0 + x, y0 + y);
  int const steps = static_cast<int>((last - first + AStream::step - 1) / AStream::step);
  int newest = 0;  // the buffer of step s + lead
  unsigned parity = 0;
  auto const buffer_of = [&](int distance) {
    int const buffer = newest - (lead - distance);
    return buffer < 0 ? buffer + plan.stages : buffer;
  };
  // Waits for the values that step `s` still needs, and moves them into the windows.
  auto const begin_step = [&](int s) {
    full[newest].wait(parity);
    std::uint32_t buffers = shared_address(stages);
    asm volatile("" : "+r"(buffers));  // defined only after the wait
    mine.inputs.advance(plan, s, x, y, buffers);
  };
  // Releases the buffer that no later step needs. All loads from it must complete first: the TMA unit does not wait for
  // loads in flight when a thread arrives at the barrier.
  auto const end_step = [&](int s) {
    if (s - AStream::keep >= -lead) {
      empty[buffer_of(-AStream::keep)].arrive(mine.after_loads());
    }
    if (++newest == plan.stages) newest = 0, parity ^= 1U;
  };
  for (int s = -2 * lead; s < 0; ++s) {
    begin_step(s);
    mine.inputs.retire(s);
    end_step(s);
  }
  int const rows_inside = static_cast<int>(min(plan.end[1] - (y0 + y), Index{AStream::rows}));
  int reduction_tile_steps = plan.reduction_tiles.steps;
  for (int s = 0; s < steps; ++s) {
    begin_step(s);
    Index const k = first + s * AStream::step;
    mine.evaluate(k, axis == 2 ? rows_inside : static_cast<int>(min(last - k, Index{AStream::rows})));
    end_step(s);
    if constexpr (Task::sums > 0) {
      reduction_tile_steps -= AStream::step;
      if (reduction_tile_steps == 0 || s + 1 == steps) {
        auto* const groups = reinterpret_cast<Accumulator*>(stages + plan.input_bytes);
        store_reduction_tiles(mine, plan, sums, groups, thread, tile_x, tile_y, k - plan.begin[axis]);
        reduction_tile_steps = plan.reduction_tiles.steps;
      }
    }
  }
  if constexpr (Task::sums > 0) {
    auto* const scratch = reinterpret_cast<Accumulator*>(stages);  // no copies arrive any more
    finish_tile<Thread>(plan, sums, thread, scratch, tile_x, tile_y, first, last);
  }
  if (plan.pace > 0 && is_last_block(plan.blocks_done, gridDim.x, thread, consumers)) {
    for (int n = thread; n < plan.batches * plan.counted_steps; n += consumers) plan.begun[n] = 0;
  }
}

}  // namespace halocline::kernel::cuda
