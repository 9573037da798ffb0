#pragma once

#include "framework/kernel/ghost_check.hpp"
#include "framework/kernel/host.hpp"
#include "framework/kernel/reduction.hpp"
#include "framework/kernel/views.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda.hpp"
#elif defined(HALOCLINE_KERNEL_DEVICE)
#include "framework/kernel/tiled.hpp"
#endif

namespace halocline {

namespace kernel {

template <class GeometryReal, class OutputViews, class Functor, class... Real>
[[nodiscard]] auto make_task(Geometry<GeometryReal> const& geometry, OutputViews const& out, Functor const& functor,
                             BlockView<Real>... in) {
  auto const views = as_outputs(out);
  auto const inputs = as_inputs(in...);
  return Task<GeometryReal, Functor, std::remove_const_t<decltype(views)>, std::remove_const_t<decltype(inputs)>>{
      geometry, functor, views, inputs};
}

// Choice of the form: one pair of overloads for each specialisation, tiles or the portable form for other devices.

template <class Execution, class SweepTask>
requires is_host<Execution>
void run(Execution const& execution, IndexRange const& range, SweepTask const& task) {
  sweep_on_host(execution, range, task);
}
template <class Execution, class SweepTask, class Accumulator>
requires is_host<Execution>
void run(Execution const& execution, IndexRange const& range, SweepTask const& task,
         Reduction<Execution, Accumulator>& sums) {
  sweep_reduce_on_host(execution, range, task, sums);
}

#if defined(KOKKOS_ENABLE_CUDA)
template <class SweepTask>
void run(Kokkos::Cuda const& execution, IndexRange const& range, SweepTask const& task) {
  sweep_on_cuda(execution, range, task);
}
template <class SweepTask, class Accumulator>
void run(Kokkos::Cuda const& execution, IndexRange const& range, SweepTask const& task,
         Reduction<Kokkos::Cuda, Accumulator>& sums) {
  sweep_reduce_on_cuda(execution, range, task, sums);
}
#elif defined(HALOCLINE_KERNEL_DEVICE)
template <class Execution, class SweepTask>
void run(Execution const& execution, IndexRange const& range, SweepTask const& task) {
  sweep_on_device(execution, range, task);
}
template <class Execution, class SweepTask, class Accumulator>
void run(Execution const& execution, IndexRange const& range, SweepTask const& task,
         Reduction<Execution, Accumulator>& sums) {
  sweep_reduce_on_device(execution, range, task, sums);
}
#endif

}  // namespace kernel

namespace kernel {

/// Calls `run`, which sweeps `range`, after checking reads and writes with the ghost records, then records the writes.
template <class Functor, class OutputViews, class Run, class... InputViews>
void checked([[maybe_unused]] IndexRange const& range, [[maybe_unused]] OutputViews const& out, Run const& run,
             InputViews const&... in) {
  check_reads<Functor>(range, in...);
  if constexpr (knows_ghosts<OutputViews>) {
    auto const outputs = records_of_outputs(out);
    require_room(range, typeid(Functor), outputs);
    run();
    note_writes(range, typeid(Functor), outputs);
  } else {
    run();
  }
}

}  // namespace kernel

/// Evaluates `functor` at every point of `range` (local indices of one block) and stores what it returns.
///
/// `functor(point, u, k…)` gets a Point and one reader for each input, in order, and returns a Real or, with several
/// outputs, a Result<Real, Outputs, 0>. Its `shape` declares what it may read; inputs must have valid ghosts for all of
/// it. Views of fields (FieldView) are checked, others (BlockView) are not: throws PhysicsError before anything is
/// enqueued. `out` is a view or `outputs(…)`. An output may also be an input if the functor reads that input at `here`
/// only; no other overlap is allowed, except at points that a red-black sweep returns unchanged.
/// Views may differ in pitch, ghost width and centring: index (i, j, k) is the same in all.
///
/// Enqueues on `execution` and returns; on a host backend the work is done by then.
template <class Execution, class GeometryReal, class OutputViews, class Functor, class... InputViews>
void sweep(Execution const& execution, IndexRange const& range, Geometry<GeometryReal> const& geometry,
           OutputViews const& out, Functor const& functor, InputViews const&... in) {
  auto const task = kernel::make_task(geometry, out, functor, in...);
  static_assert(decltype(task)::sums == 0, "a functor with sums needs sweep_reduce");
  kernel::checked<Functor>(
      range, out, [&] { kernel::run(execution, range, task); }, in...);
}

/// As `sweep`, for a functor that returns a Result<Real, Outputs, Sums>: each `sum[n]` is added up over the range into
/// `sums`, whose `value(n)` waits for the result. With `no_outputs` nothing is written.
///
/// The terms are grouped by index alone (kernel::group on hosts, kernel::ReductionTiles on devices), so the bits of a
/// sum do not depend on threads or tiles. Accumulator: PlainSum, CompensatedSum, Maximum, Least, Greatest.
template <class Execution, class Accumulator, class GeometryReal, class OutputViews, class Functor, class... InputViews>
void sweep_reduce(Execution const& execution, IndexRange const& range, Geometry<GeometryReal> const& geometry,
                  Reduction<Execution, Accumulator>& sums, OutputViews const& out, Functor const& functor,
                  InputViews const&... in) {
  auto const task = kernel::make_task(geometry, out, functor, in...);
  static_assert(decltype(task)::sums > 0, "a functor without sums needs sweep");
  kernel::checked<Functor>(
      range, out, [&] { kernel::run(execution, range, task, sums); }, in...);
}

}  // namespace halocline
