#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

#include "framework/kernel/cuda/direct.hpp"
#include "framework/kernel/cuda/line.hpp"
#include "framework/kernel/cuda/plan.hpp"
#include "framework/kernel/cuda/stream.hpp"
#include "framework/kernel/cuda/tune.hpp"
#include "framework/kernel/functor_name.hpp"
#include "framework/kernel/reduction.hpp"
#include "framework/runtime/devices.hpp"

// The forms of a sweep for NVIDIA GPUs: streaming (along a line or tile by tile) where the range is large and the
// functor reads neighbours or, in 3D, writes; direct otherwise.

namespace halocline::kernel {

namespace cuda {

/// Whether a sweep reads and writes real numbers only, the values that streaming kernels load and store.
template <class Value, class Inputs>
inline constexpr bool only_reals = false;
template <class Value, std::size_t... N, class... Real>
inline constexpr bool only_reals<Value, InputsAt<std::index_sequence<N...>, Real...>> =
    (std::is_floating_point_v<Value> && ... && std::is_floating_point_v<std::remove_const_t<Real>>);

/// A functor that runs only a few times may declare `static constexpr bool is_rare = true`: no streaming kernel is
/// compiled for it, which saves build time.
template <class Functor>
inline constexpr bool is_rare = requires {
  requires Functor::is_rare;
};

/// Whether a sweep takes one point a thread and is compiled once: a long functor of a box. Its arithmetic takes longer
/// than its reads, and copies of it for packs and tiles would take minutes to compile.
template <class Task>
inline constexpr bool by_single_points = Task::is_long&& Task::shape.kind == ShapeKind::box;

/// A specialisation gives a functor its own kernel: `possible` is true, and `static bool run(stream, range, task)`
/// returns false, with nothing launched, where the range does not suit it.
template <class Functor>
struct OwnKernel {
  static constexpr bool possible = false;
};

/// Whether a streaming kernel can load the inputs of a task.
template <class Task>
[[nodiscard]] constexpr bool has_streaming_inputs() {
  using Inputs = std::remove_const_t<decltype(Task::in)>;
  return !is_rare<typename Task::FunctorType> && !by_single_points<Task> &&
         !OwnKernel<typename Task::FunctorType>::possible && only_reals<typename Task::Value, Inputs> &&
         Inputs::count > 0 && Inputs::count <= most_inputs;
}

/// How a functor's streaming kernel is compiled: rows per thread and the most threads per block.
template <class Task>
struct StreamShape {
  /// Functors without neighbours stream in 3D only, where the direct form jumps from plane to plane.
  static constexpr int dimensions = Task::radius > 0 ? Task::shape.dimensions() : 3;
  static constexpr bool box = Task::shape.kind == ShapeKind::box;
  /// Estimated registers for this many rows per thread: a pack of each input and of each trailing plane, the outputs
  /// after the first, and the sums of columns with their terms.
  [[nodiscard]] static constexpr int registers(int rows) {
    constexpr int width = 16 / static_cast<int>(sizeof(typename Task::Value));
    int packs = decltype(Task::in)::count + (Task::outputs > 1 ? 2 * (Task::outputs - 1) : 0);
    for (int n = 0; n < decltype(Task::in)::count; ++n) packs += Task::input_shape(n).reach(dimensions - 1);
    return rows * (4 * packs + 3 * width * Task::sums);
  }
  [[nodiscard]] static constexpr int tallest(int most_rows, int most_registers) {
    int rows = most_rows;
    while (rows > 1 && registers(rows) > most_registers) --rows;
    return rows;
  }
  // Tall tiles read fewer halo values and many threads hide latency; a kernel that needs many registers runs better
  // with few threads. The numbers are the best of trials on an H100.
  static constexpr bool many_threads = Task::radius < 3 && registers(2) <= 80;
  static constexpr int rows = [] {
    constexpr int inputs = decltype(Task::in)::count;
    // Only a single input leaves room for tall steps; more inputs would leave a multiprocessor too few threads.
    if (dimensions == 2) return inputs == 1 ? 8 : Task::radius > 2 || sizeof(typename Task::Value) == 8 ? 4 : 2;
    if (box) return 1;
    if (!many_threads) return Task::radius < 3 ? tallest(4, 112) : tallest(6, inputs == 2 ? 144 : 128);
    // Functors with several sums also hold more temporary values.
    return registers(3) > 72 ? 2 : tallest(Task::sums == 0 ? 3 : Task::sums == 1 ? 4 : 2, 72);
  }();
  static constexpr int most_threads = [] {
    if (dimensions == 2) return 256;
    if (box) return 384;
    return many_threads ? 512 : Task::radius < 3 ? 256 : 192;
  }();
  static constexpr bool possible = (dimensions == 2 || dimensions == 3) && Task::radius <= 4 &&
                                   (Task::radius > 0 || Task::outputs > 0) && has_streaming_inputs<Task>();
};

/// Whether all rows of a view start at multiples of `bytes`.
template <class Real>
[[nodiscard]] bool is_aligned(BlockView<Real> const& view, Index bytes) {
  Index const size = sizeof(Real);
  return reinterpret_cast<std::uintptr_t>(view.origin) % static_cast<std::uintptr_t>(bytes) == 0 &&
         view.row * size % bytes == 0 && view.plane * size % bytes == 0;
}
template <class Task>
[[nodiscard]] bool outputs_are_aligned([[maybe_unused]] Task const& task, Index bytes) {
  bool aligned = true;
  if constexpr (Task::outputs > 0) {
    for (auto const& view : task.out.view) aligned = aligned && is_aligned(view, bytes);
  }
  return aligned;
}

template <class Task, class Accumulator>
void run_direct(cudaStream_t stream, IndexRange const& range, Task const& task,
                ReductionTileSums<Accumulator> const& sums);

template <class Task, class Accumulator>
struct StreamSweep {
  using Shaped = StreamShape<Task>;
  using AStream = Stream<Task, Shaped::dimensions, Shaped::rows>;

  [[nodiscard]] static StreamKernel const& kernel() {
    static StreamKernel const kernel = describe_kernel();
    return kernel;
  }

  /// Whether the range has the kernel's dimensions and TMA can read all inputs (rows start at sectors).
  [[nodiscard]] static bool suits(IndexRange const& range, Task const& task) {
    bool aligned = ReductionTiles(range).dimensions == Shaped::dimensions;
    task.in.for_each([&](auto const& view) { aligned = aligned && is_aligned(view, sector); });
    return aligned;
  }

  /// Returns false, with nothing launched, where the range or the memory does not suit this form.
  [[nodiscard]] static bool run(cudaStream_t stream, IndexRange const& range, Task const& task,
                                ReductionTileSums<Accumulator> const& sums, StreamTuning const* tuning = nullptr) {
    if (!suits(range, task)) return false;
    StreamKernel const& mine = kernel();
    if (tuning == nullptr && wants_search(stream, range, mine)) search_for(stream, range, task, sums);
    StreamLaunch launch = plan_stream(range, mine, tuning);
    if (launch.blocks == 0) return false;
    Index const merging = Task::sums > 0 ? merge_counters(launch.plan.reduction_tiles.total()) : 0;
    unsigned* const numbers = counters(stream, 1 + merging + Index{launch.plan.batches} * launch.plan.counted_steps);
    launch.plan.blocks_done = numbers;
    launch.plan.merging = numbers + 1;
    launch.plan.begun = numbers + 1 + merging;
    launch.plan.aligned_outputs = outputs_are_aligned(task, 16);
    enqueue(launch, launch.threads, stream, "a streaming sweep", task, launch.plan, sums);
    return true;
  }

 private:
  static StreamKernel describe_kernel() {
    StreamKernel kernel;
    kernel.function = reinterpret_cast<void const*>(function());
    kernel.dimensions = Shaped::dimensions;
    kernel.width = AStream::width;
    kernel.rows = AStream::rows;
    kernel.step = AStream::step;
    kernel.stages_in_use = AStream::lead + AStream::keep + 1;
    kernel.most_threads = Shaped::most_threads;
    kernel.star = AStream::star;
    kernel.outputs = Task::outputs;
    kernel.sums = Task::sums;
    kernel.functor = functor_name<typename Task::FunctorType>();
    kernel.accumulator_bytes = sizeof(Accumulator);
    kernel.inputs = AStream::inputs;
    [&]<std::size_t... N, class... Real>(InputsAt<std::index_sequence<N...>, Real...> const*) {
      ((kernel.input[N] = {sizeof(Real),
                           {Task::input_shape(static_cast<int>(N)).reach(0),
                            Task::input_shape(static_cast<int>(N)).reach(1),
                            Task::input_shape(static_cast<int>(N)).reach(2)}}),
       ...);
    }
    (static_cast<std::remove_const_t<decltype(Task::in)> const*>(nullptr));
    return kernel;
  }

  /// Measures tunings of a sweep that writes to scratch memory, since its outputs may also be inputs.
  static void search_for(cudaStream_t stream, IndexRange const& range, Task const& task,
                         ReductionTileSums<Accumulator> const& sums) {
    Task trial = task;
    std::vector<StandIn> memory;
    if constexpr (Task::outputs > 0) {
      for (auto& view : trial.out.view) {
        auto* const first = view.at(range.begin[0], range.begin[1], range.begin[2]);
        auto* const last = view.at(range.end[0] - 1, range.end[1] - 1, range.end[2] - 1);
        memory.emplace_back(stream, first, static_cast<std::size_t>(last - first + 1) * sizeof(*first));
        if (memory.back().memory() == nullptr) return;
        view.origin = reinterpret_cast<typename Task::Value*>(memory.back().memory()) - (first - view.origin);
      }
    }
    search(range, kernel(), by_clock(stream, [&](StreamTuning const* tuning) {
             if (tuning != nullptr) return run(stream, range, trial, sums, tuning);
             run_direct(stream, range, trial, sums);
             return true;
           }));
  }

  static auto function() {
    return &stream_sweep<Task, Accumulator, Shaped::dimensions, Shaped::rows, Shaped::most_threads>;
  }
};

template <class Task, class Accumulator>
void run_direct(cudaStream_t stream, IndexRange const& range, Task const& task,
                ReductionTileSums<Accumulator> const& sums) {
  [[maybe_unused]] static bool const noted =
      (tuner::note({functor_name<typename Task::FunctorType>(), "", "direct", ""}), true);
  DirectPlan plan;
  plan.reduction_tiles = ReductionTiles(range);
  if constexpr (Task::sums > 0) plan.counters = counters(stream, merge_counters(plan.reduction_tiles.total()));
  for (std::size_t axis = 0; axis < 3; ++axis) plan.begin[axis] = range.begin[axis], plan.end[axis] = range.end[axis];
  auto const launch = [&]<int Width>(std::integral_constant<int, Width>) {
    auto const blocks = static_cast<unsigned>((plan.reduction_tiles.total() + Width - 1) / Width);
    direct_sweep<Task, Accumulator, Width><<<blocks, direct_threads, 0, stream>>>(task, plan, sums);
    check(cudaGetLastError(), "a sweep");
  };
  // A functor with its own kernel uses this form for the remaining ranges only, so one variant is compiled.
  constexpr bool has_packs = !OwnKernel<typename Task::FunctorType>::possible && !by_single_points<Task>;
  constexpr int pack = has_packs ? 16 / static_cast<int>(sizeof(typename Task::Value)) : 1;
  bool packed = outputs_are_aligned(task, 16);
  task.in.for_each([&](auto const& view) { packed = packed && is_aligned(view, pack * Index{sizeof(*view.origin)}); });
  if (packed) {
    launch(std::integral_constant<int, pack>());
  } else {
    launch(std::integral_constant<int, 1>());
  }
}

/// The streaming form in 1D.
template <class Task, class Accumulator>
struct LineSweep {
  static constexpr bool possible = Task::shape.dimensions() == 1 && Task::radius > 0 && Task::radius <= 4 &&
                                   has_streaming_inputs<Task>();

  /// Whether the TMA unit can read all inputs and outputs can be stored in packs.
  [[nodiscard]] static bool suits(Task const& task) {
    bool aligned = outputs_are_aligned(task, 16);
    task.in.for_each([&](auto const& view) { aligned = aligned && is_aligned(view, sector); });
    return aligned;
  }

  [[nodiscard]] static LineLaunch plan(IndexRange const& range) {
    using Stage = LineStage<Task, std::remove_const_t<decltype(Task::in)>>;
    return plan_line(range, reinterpret_cast<void const*>(function()), Stage::bytes, Task::sums, sizeof(Accumulator));
  }

  /// Returns false, with nothing launched, where the range or the memory does not suit this form.
  [[nodiscard]] static bool run(cudaStream_t stream, IndexRange const& range, Task const& task,
                                ReductionTileSums<Accumulator> const& sums) {
    if (!suits(task)) return false;
    LineLaunch launch = plan(range);
    if (launch.blocks == 0) return false;
    [[maybe_unused]] static bool const noted =
        (tuner::note({functor_name<typename Task::FunctorType>(), "", describe(launch), ""}), true);
    unsigned* const numbers = counters(stream, 2);
    launch.plan.blocks_done = numbers;
    launch.plan.taken = numbers + 1;
    enqueue(launch, line_threads + producer_threads, stream, "a streaming sweep along a line", task, launch.plan, sums);
    return true;
  }

 private:
  static auto function() { return &line_sweep<Task, Accumulator>; }
};

/// Smaller ranges finish before the first planes of a streaming kernel arrive.
inline constexpr Index fewest_streamed_points = Index{1} << 20U;

/// The form that a sweep uses, as text.
template <class Task, class Accumulator>
[[nodiscard]] std::string form_of(IndexRange const& range, Task const& task) {
  if constexpr (StreamShape<Task>::possible) {
    using Streaming = StreamSweep<Task, Accumulator>;
    if (range.size() >= fewest_streamed_points && Streaming::suits(range, task)) {
      return describe(plan_stream(range, Streaming::kernel()));
    }
  }
  if constexpr (LineSweep<Task, Accumulator>::possible) {
    using Line = LineSweep<Task, Accumulator>;
    if (range.size() >= LineTuning::fewest_points && Line::suits(task)) return describe(Line::plan(range));
  }
  return "direct";
}

template <class Task, class Accumulator>
void run(cudaStream_t stream, IndexRange const& range, Task const& task, ReductionTileSums<Accumulator> const& sums) {
  if constexpr (OwnKernel<typename Task::FunctorType>::possible) {
    if (OwnKernel<typename Task::FunctorType>::run(stream, range, task)) return;
  }
  if constexpr (StreamShape<Task>::possible) {
    if (range.size() >= fewest_streamed_points && StreamSweep<Task, Accumulator>::run(stream, range, task, sums))
      return;
  }
  if constexpr (LineSweep<Task, Accumulator>::possible) {
    if (range.size() >= LineTuning::fewest_points && LineSweep<Task, Accumulator>::run(stream, range, task, sums))
      return;
  }
  run_direct(stream, range, task, sums);
}

}  // namespace cuda

template <class Task>
void sweep_on_cuda(Kokkos::Cuda const& execution, IndexRange const& range, Task const& task) {
  if (range.empty()) return;
  CurrentDevice const current(execution.cuda_device());
  cuda::run(execution.cuda_stream(), range, task, cuda::ReductionTileSums<PlainSum>{});
}

template <class Task, class Accumulator>
void sweep_reduce_on_cuda(Kokkos::Cuda const& execution, IndexRange const& range, Task const& task,
                          Reduction<Kokkos::Cuda, Accumulator>& sums) {
  CurrentDevice const current(execution.cuda_device());
  Index const room = reduction_tile_room(ReductionTiles(range).total());
  sums.reserve(execution, Task::sums * room, Task::sums);
  if (range.empty()) {
    for (int n = 0; n < Task::sums; ++n) sums.results()[n] = {};
    return;
  }
  cuda::run(execution.cuda_stream(), range, task,
            cuda::ReductionTileSums<Accumulator>{sums.partials(), room, sums.results()});
  sums.enqueued(execution);
}

}  // namespace halocline::kernel
