#pragma once

#include <utility>

#include "framework/kernel/host_plan.hpp"
#include "framework/kernel/reduction.hpp"
#include "framework/kernel/views.hpp"

// The form of a sweep for the execution spaces whose threads are those of the host: vectorised loops along x, planes kept
// in the caches by tiles of rows, large results streamed past the caches.

// Iterations are independent: a sweep reads no output but at its own point.
#if defined(__clang__)
#define HALOCLINE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define HALOCLINE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define HALOCLINE_INDEPENDENT_ITERATIONS
#endif

namespace halocline::kernel {

/// Points that are evaluated into the first-level cache before they are streamed or summed.
inline constexpr Index chunk = 512;
static_assert(chunk % group == 0 && longest_row % chunk == 0, "lanes are counted from the begin of a row");

/// Where a piece of a sweep puts its values and the terms of its sums; entry (0, 0) is the first point of the piece.
template <class Value, int ValueCount, int TermCount>
struct Targets {
  Value* value[ValueCount > 0 ? ValueCount : 1];
  Index value_row[ValueCount > 0 ? ValueCount : 1];  ///< from one row to the next
  Value* term[TermCount > 0 ? TermCount : 1];        ///< one row only
};

/// The one loop over points. Flattened, so that no call in it keeps it from being vectorised; the task is copied, so that
/// the compiler knows its numbers not to change with the stores.
template <class Task, class TaskTargets>
[[gnu::flatten, gnu::noinline]] void evaluate_rows(Task const& shared_task, TaskTargets const& shared_targets,
                                                   Index i_begin, Index count, Index j_begin, Index j_end, Index k) {
  Task const task = shared_task;
  TaskTargets const to = shared_targets;
  using Returned = typename Task::Returned;
  for (Index j = j_begin; j < j_end; ++j) {
    Index const row = j - j_begin;
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (Index n = 0; n < count; ++n) {
      Returned const returned = task.in.evaluate(task.functor, task.geometry, i_begin + n, j, k);
      [&]<int... Which>(std::integer_sequence<int, Which...>) {
        ((to.value[Which][row * to.value_row[Which] + n] = Returns<Returned>::value(returned, Which)), ...);
      }(std::make_integer_sequence<int, Task::outputs>());
      if constexpr (Task::sums > 0) {
        [&]<int... Which>(std::integer_sequence<int, Which...>) {
          ((to.term[Which][n] = returned.sum[Which]), ...);
        }(std::make_integer_sequence<int, Task::sums>());
      }
    }
  }
}

/// Deals the terms of one chunk of a row to the lanes.
template <class Accumulator, class Value>
void deal_to_lanes(Value const* terms, Index count, Accumulator* lanes) {
  Index n = 0;
  for (; n + group <= count; n += group) {
    for (Index lane = 0; lane < group; ++lane) lanes[lane].add(static_cast<double>(terms[n + lane]));
  }
  for (Index lane = 0; n + lane < count; ++lane) lanes[lane].add(static_cast<double>(terms[n + lane]));
}

/// A task with the plan that cuts it up, and the place for the sums of its rows: those of the n-th sum start at
/// `partials + n * rows.count()`.
template <class Task, class Accumulator>
struct HostSweep {
  using Value = typename Task::Value;
  using TaskTargets = Targets<Value, Task::outputs, Task::sums>;

  Task task;
  HostPlan plan;
  Accumulator* partials;

  static void visit(void const* sweep, RowBlock const& block) {
    static_cast<HostSweep const*>(sweep)->run(block);
  }

 private:
  void run(RowBlock const& block) const {
    Index const i = plan.rows.first(block.segment);
    Index const count = plan.rows.last(block.segment) - i;
    if (Task::sums == 0 && !plan.streaming) {
      evaluate_rows(task, in_place_targets(i, block.j_begin, block.k), i, count, block.j_begin, block.j_end, block.k);
      return;
    }
    for (Index j = block.j_begin; j < block.j_end; ++j) run_row(block, i, count, j);
  }

  /// One segment of a row, chunk by chunk through buffers.
  void run_row(RowBlock const& block, Index i_begin, Index count, Index j) const {
    alignas(64) Value values[Task::outputs > 0 ? Task::outputs : 1][chunk];
    alignas(64) Value terms[Task::sums > 0 ? Task::sums : 1][chunk];
    alignas(64) Accumulator lanes[Task::sums > 0 ? Task::sums : 1][group];
    for (Index done = 0; done < count; done += chunk) {
      Index const i = i_begin + done;
      Index const length = count - done < chunk ? count - done : chunk;
      TaskTargets const direct = in_place_targets(i, j, block.k);
      TaskTargets to = direct;
      if (plan.streaming) {
        for (int n = 0; n < Task::outputs; ++n) to.value[n] = values[n];
      }
      for (int n = 0; n < Task::sums; ++n) to.term[n] = terms[n];
      evaluate_rows(task, to, i, length, j, j + 1, block.k);
      if (plan.streaming) {
        for (int n = 0; n < Task::outputs; ++n) {
          stream_copy(direct.value[n], values[n], length * static_cast<Index>(sizeof(Value)));
        }
      }
      for (int n = 0; n < Task::sums; ++n) deal_to_lanes(terms[n], length, lanes[n]);
    }
    Index const number = plan.rows.number(block.segment, j, block.k);
    for (int n = 0; n < Task::sums; ++n) partials[n * plan.rows.count() + number] = merge_group(lanes[n], group);
  }

  TaskTargets in_place_targets(Index i, Index j, Index k) const {
    TaskTargets to{};
    if constexpr (Task::outputs > 0) {
      for (int n = 0; n < Task::outputs; ++n) {
        to.value[n] = task.out.view[n].at(i, j, k);
        to.value_row[n] = task.out.view[n].row;
      }
    }
    return to;
  }
};

/// Merges the sums of all rows, in place, `group` neighbours at a time until one is left.
template <class Accumulator>
Accumulator merge_rows(Accumulator* partials, Index count) {
  if (count == 0) return {};
  do {
    Index const groups = (count + group - 1) / group;
    for (Index n = 0; n < groups; ++n) {
      Index const members = count - n * group < group ? count - n * group : Index{group};
      partials[n] = merge_group(partials + n * group, static_cast<int>(members));
    }
    count = groups;
  } while (count > 1);
  return partials[0];
}

template <class Task>
HostTraffic traffic_of(Task const& task) {
  HostTraffic traffic{Task::radius, decltype(task.in)::bytes_per_point, 0, false};
  if constexpr (Task::outputs > 0) {
    traffic.output_bytes = Task::outputs * static_cast<Index>(sizeof(typename Task::Value));
    for (auto const& view : task.out.view) traffic.in_place = traffic.in_place || task.in.contains(view.origin);
  }
  return traffic;
}

template <class Execution, class Task>
void sweep_on_host(Execution const& execution, IndexRange const& range, Task const& task, HostTuning const& tuning = {}) {
  HostPlan const plan = plan_host_sweep(range, traffic_of(task), tuning, host_concurrency(execution));
  HostSweep<Task, PlainSum> const sweep{task, plan, nullptr};
  run_host_sweep(execution, plan, &HostSweep<Task, PlainSum>::visit, &sweep);
}

template <class Execution, class Task, class Accumulator>
void sweep_reduce_on_host(Execution const& execution, IndexRange const& range, Task const& task,
                          Reduction<Execution, Accumulator>& sums, HostTuning const& tuning = {}) {
  HostPlan const plan = plan_host_sweep(range, traffic_of(task), tuning, host_concurrency(execution));
  Index const rows = plan.rows.count();
  sums.reserve(execution, Task::sums * rows, Task::sums);
  HostSweep<Task, Accumulator> const sweep{task, plan, sums.partials()};
  run_host_sweep(execution, plan, &HostSweep<Task, Accumulator>::visit, &sweep);
  for (int n = 0; n < Task::sums; ++n) sums.results()[n] = merge_rows(sums.partials() + n * rows, rows);
}

}  // namespace halocline::kernel
