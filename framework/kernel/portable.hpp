#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/reduction.hpp"
#include "framework/kernel/reduction_tiles.hpp"
#include "framework/kernel/rows.hpp"
#include "framework/kernel/views.hpp"
#include "framework/runtime/launch.hpp"

// The form of a sweep that runs on every Kokkos execution space, and the reference for the specialised forms. Its sums
// have the same bits as theirs, because all forms group the terms by the same rule.

namespace halocline::kernel {

template <class Task>
struct PortableSweep {
  Task task;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const { task.update(i, j, k); }
};

/// One work item is one lane of one row; neighbouring items read neighbouring points.
template <class Task, class Accumulator>
struct PortableSums {
  Task task;
  Rows rows;
  Accumulator* lanes;

  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const number = item / group;
    Index const segment = number % rows.segments;
    Index const row = number / rows.segments;
    Index const j = rows.begin[1] + row % rows.extent(1);
    Index const k = rows.begin[2] + row / rows.extent(1);
    Accumulator sum[Task::sums];
    for (Index i = rows.first(segment) + item % group; i < rows.last(segment); i += group) {
      typename Task::Returned const returned = task.update(i, j, k);
      for (int n = 0; n < Task::sums; ++n) sum[n].add(static_cast<double>(returned.sum[n]));
    }
    for (int n = 0; n < Task::sums; ++n) lanes[n * rows.count() * group + item] = sum[n];
  }
};

/// Grouping on devices: one work item is one column of one reduction tile.
template <class Task, class Accumulator>
struct PortableColumns {
  Task task;
  Index begin[3];
  Index end[3];
  ReductionTiles reduction_tiles;
  Accumulator* columns;

  PortableColumns(Task const& a_task, IndexRange const& range, ReductionTiles const& a_reduction_tiles,
                  Accumulator* a_columns)
      : task(a_task),
        begin{range.begin[0], range.begin[1], range.begin[2]},
        end{range.end[0], range.end[1], range.end[2]},
        reduction_tiles(a_reduction_tiles),
        columns(a_columns) {}

  KOKKOS_FUNCTION void operator()(Index item) const {
    ReductionTiles::Column column =
        reduction_tiles.column(item / ReductionTiles::columns, static_cast<int>(item % ReductionTiles::columns));
    Accumulator sum[Task::sums];
    for (int step = 0; step < reduction_tiles.steps; ++step) {
      bool inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        inside = inside && column.at[axis] >= begin[axis] && column.at[axis] < end[axis];
      }
      if (inside) {
        typename Task::Returned const returned = task.update(column.at[0], column.at[1], column.at[2]);
        for (int n = 0; n < Task::sums; ++n) sum[n].add(static_cast<double>(returned.sum[n]));
      }
      for (int axis = 0; axis < 3; ++axis) column.at[axis] += column.step[axis];
    }
    for (int n = 0; n < Task::sums; ++n) columns[n * reduction_tiles.total() * ReductionTiles::columns + item] = sum[n];
  }
};

/// Merges up to `Count` neighbours into one, in pairs, for consecutively stored sums.
template <int Count, class Accumulator>
struct MergeNeighbours {
  Accumulator const* from;
  Accumulator* to;
  Index from_count;  ///< per sum
  Index to_count;

  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const first = item % to_count * Count;
    Accumulator lane[Count];
    for (Index n = 0; n < Count && first + n < from_count; ++n)
      lane[n] = from[item / to_count * from_count + first + n];
    to[item] = merge_neighbours<Count>(lane);
  }
};

/// Merges `group` neighbours into one, for `sums` consecutively stored sums.
template <class Accumulator>
struct MergeGroups {
  Accumulator const* from;
  Accumulator* to;
  Index from_count;  ///< per sum
  Index to_count;

  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const first = item % to_count * group;
    Index const left = from_count - first;
    to[item] = merge_group(from + item / to_count * from_count + first, left < group ? left : Index{group});
  }
};

/// Merges `count` neighbours of each of `sums` consecutively stored sums, `group` at a time by `Merge`, until one of
/// each is left in `results`. Overwrites the working memory behind the accumulators in `from`.
template <class Merge, class Execution, class Accumulator>
void merge_portably(Execution const& execution, Accumulator* from, Index count, Index sums, Accumulator* results) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  do {
    Index const groups = count > group ? (count + group - 1) / group : 1;
    Accumulator* const to = groups == 1 ? results : from + sums * count;
    Kokkos::parallel_for("halocline merge", Policy(execution, 0, sums * groups), Merge{from, to, count, groups});
    from = to;
    count = groups;
  } while (count > 1);
}

template <class Execution, class Task>
void sweep_portably(Execution const& execution, IndexRange const& range, Task const& task) {
  if (range.empty()) return;
  using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<Index>>;
  Policy const policy(execution, {range.begin[0], range.begin[1], range.begin[2]},
                      {range.end[0], range.end[1], range.end[2]});
  Kokkos::parallel_for("halocline sweep", launched_at_once(policy), PortableSweep<Task>{task});
}

/// Sums grouped as on a device: `enqueue(columns)` enqueues the kernel that computes the accumulators of all columns of
/// all reduction tiles; they are merged.
template <class Task, class Execution, class Accumulator, class Enqueue>
void reduce_columns(Execution const& execution, IndexRange const& range, Reduction<Execution, Accumulator>& sums,
                    Enqueue const& enqueue) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  ReductionTiles const reduction_tiles(range);
  Index const count = reduction_tiles.total() * ReductionTiles::columns;
  // Columns, then reduction tiles, then groups of 32 reduction tiles, …
  sums.reserve(execution, Task::sums * merging_room(count), Task::sums);
  if (count == 0) {
    for (int n = 0; n < Task::sums; ++n) sums.results()[n] = {};
    return;
  }
  Accumulator* const from = sums.partials();
  enqueue(from);
  Accumulator* const to = from + Task::sums * count;
  Index const groups = reduction_tiles.total();
  Kokkos::parallel_for("halocline merge", Policy(execution, 0, Task::sums * groups),
                       MergeNeighbours<ReductionTiles::columns, Accumulator>{from, to, count, groups});
  merge_portably<MergeNeighbours<group, Accumulator>>(execution, to, groups, Task::sums, sums.results());
  sums.enqueued(execution);
}

/// Enqueues the accumulators of all columns.
template <class Execution, class Task, class Accumulator>
void enqueue_columns(Execution const& execution, IndexRange const& range, Task const& task, Accumulator* columns) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  ReductionTiles const reduction_tiles(range);
  Policy const policy(execution, 0, reduction_tiles.total() * ReductionTiles::columns);
  Kokkos::parallel_for("halocline sweep", launched_at_once(policy),
                       PortableColumns<Task, Accumulator>(task, range, reduction_tiles, columns));
}

/// Sums on a device.
template <class Execution, class Task, class Accumulator>
requires(!is_host<Execution>) void sweep_reduce_portably(Execution const& execution, IndexRange const& range,
                                                         Task const& task, Reduction<Execution, Accumulator>& sums) {
  reduce_columns<Task>(execution, range, sums,
                       [&](Accumulator* columns) { enqueue_columns(execution, range, task, columns); });
}

template <class Execution, class Task, class Accumulator>
requires is_host<Execution>
void sweep_reduce_portably(Execution const& execution, IndexRange const& range, Task const& task,
                           Reduction<Execution, Accumulator>& sums) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  Rows const rows(range);
  Index const count = rows.count() * group;
  sums.reserve(execution, Task::sums * merging_room(count), Task::sums);
  Accumulator* const from = sums.partials();
  if (count > 0) {
    Kokkos::parallel_for("halocline sweep", launched_at_once(Policy(execution, 0, count)),
                         PortableSums<Task, Accumulator>{task, rows, from});
  }
  merge_portably<MergeGroups<Accumulator>>(execution, from, count, Task::sums, sums.results());
}

}  // namespace halocline::kernel
