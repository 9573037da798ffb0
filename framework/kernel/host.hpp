#pragma once

#include <algorithm>
#include <cstdint>

#include "framework/kernel/host_plan.hpp"
#include "framework/kernel/host_rows.hpp"
#include "framework/kernel/reduction.hpp"
#include "framework/kernel/views.hpp"

// The form of a sweep for host execution spaces: vectorised loops along x, a few rows at a time, tiles of rows that
// keep planes in the caches, streaming stores for large results.

namespace halocline::kernel {

/// A task with the plan that divides it, and the memory for the sums of its rows.
template <class Task, class Accumulator>
struct HostSweep {
  Task const& task;
  HostPlan plan;
  Accumulator* partials;

  static void visit(void const* sweep, RowBlock const& block) {
    auto const& self = *static_cast<HostSweep const*>(sweep);
    if constexpr (Task::outputs > 0 && !Task::is_long) {
      if (self.plan.streaming) return sweep_rows<true>(self.task, self.plan, self.partials, block);
    }
    sweep_rows<false>(self.task, self.plan, self.partials, block);
  }
};

/// Merges the sums of all rows, in place, `group` neighbours at a time until one is left.
template <class Accumulator>
Accumulator merge_rows(Accumulator* partials, Index count) {
  if (count == 0) return {};
  do {
    Index const groups = (count + group - 1) / group;
    for (Index n = 0; n < groups; ++n) {
      partials[n] = merge_group(partials + n * group, std::min<Index>(count - n * group, group));
    }
    count = groups;
  } while (count > 1);
  return partials[0];
}

/// Whether all rows of all outputs begin at the same offset in a cache line.
template <class OutputViews>
bool lines_match(OutputViews const& out) {
  auto const place = [](auto const& view) { return reinterpret_cast<std::uintptr_t>(view.origin) % cache_line; };
  for (auto const& view : out.view) {
    Index const bytes = static_cast<Index>(sizeof(*view.origin));
    if (view.row * bytes % cache_line != 0 || view.plane * bytes % cache_line != 0) return false;
    if (place(view) != place(out.view[0])) return false;
  }
  return true;
}

template <class Task>
HostTraffic traffic_of(Task const& task) {
  HostTraffic traffic{.radius = Task::radius, .input_bytes = decltype(task.in)::bytes_per_point};
  if constexpr (Task::outputs > 0) {
    traffic.output_bytes = Task::outputs * static_cast<Index>(sizeof(typename Task::Value));
    traffic.streamable = lines_match(task.out);
    for (auto const& view : task.out.view) traffic.streamable = traffic.streamable && !task.in.contains(view.origin);
  }
  return traffic;
}

template <class Execution, class Task>
void sweep_on_host(Execution const& execution, IndexRange const& range, Task const& task,
                   HostTuning const& tuning = {}) {
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
