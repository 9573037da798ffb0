#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "framework/kernel/accumulator.hpp"
#include "framework/kernel/host_plan.hpp"
#include "framework/kernel/stream.hpp"
#include "framework/kernel/views.hpp"

// The loops of a sweep on the host: along x in vectors, a few neighbouring rows at a time.

// Iterations are independent: a sweep reads an output only at the point that it writes.
// Without HALOCLINE_SHORT_LOOP, GCC unrolls a short loop before it can vectorise it.
#if defined(__clang__)
#define HALOCLINE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#define HALOCLINE_SHORT_LOOP
#elif defined(__CUDACC__)
#define HALOCLINE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#define HALOCLINE_SHORT_LOOP
#elif defined(__GNUC__)
#define HALOCLINE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#define HALOCLINE_SHORT_LOOP _Pragma("GCC unroll 1")
#else
#define HALOCLINE_INDEPENDENT_ITERATIONS
#define HALOCLINE_SHORT_LOOP
#endif

namespace halocline::kernel {

/// Cache lines of one output that are computed at a time. A long functor reads many inputs, whose addresses take a
/// while to compute for each piece.
template <class Task>
inline constexpr int piece_lines = Task::is_long&& Task::sums == 0 ? 8 : 2;

/// Rows that are swept together, one piece of each after the other: the first row, and the step to the next.
struct RowGroup {
  Index i;
  Index count;  ///< points of one row
  Index j;
  Index k;
  Index rows;
  Index step_j;  ///< to the next row: one of the two steps is 1, the other 0
  Index step_k;
};

/// Not inlined, because the compiler would try to vectorise it over rows.
template <class Accumulator>
[[gnu::noinline]] Accumulator merge_lanes(Accumulator const* lanes) {
  return merge_group(lanes, group);
}

/// Sums of the current group of rows. A lane holds the terms whose offset from the start of the row has one remainder
/// modulo `group`. Lanes are stored rotated by `head` so that a piece fills adjacent lanes; merging gives the same
/// result for any rotation.
template <class Accumulator, int Sums>
struct Lanes {
  alignas(cache_line) Accumulator sums[rows_together][Sums][group];

  /// Adds the terms of the points from offset `n` of a row; they must not wrap around the lanes.
  template <class Value>
  void add(Index row, int sum, Index n, Index head, Value const* terms, Index count) {
    Accumulator* const first = sums[row][sum] + (n - head + group) % group;
    HALOCLINE_SHORT_LOOP
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < count; ++m) first[m].add(static_cast<double>(terms[m]));
  }
};
template <class Accumulator>
struct Lanes<Accumulator, 0> {};

/// Prefetches into the second-level cache the lines of one input that a later piece reads first, in `Rows` rows. Always
/// inlined, as are its callers: GCC removes calls of functions that only prefetch.
template <int Rows, int Lines, class Real>
[[gnu::always_inline]] inline void fetch_ahead(BlockView<Real const> const& view, RowGroup const& rows, int radius,
                                               Index ahead_rows, Index ahead_bytes, Index n) {
  // Integer arithmetic, since the address may lie beyond the array.
  auto const size = static_cast<Index>(sizeof(Real));
  Index const first = static_cast<Index>(reinterpret_cast<std::intptr_t>(view.origin)) + ahead_bytes +
                      (n + ahead_rows * view.row) * size;
  Index const row_bytes = (rows.step_j * view.row + rows.step_k * view.plane) * size;
#pragma GCC unroll 4
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 4
    for (int line = 0; line < Lines; ++line) {
      Index const place = first + (row + radius) * row_bytes + line * cache_line;
      __builtin_prefetch(reinterpret_cast<void const*>(place), 0, 2);
    }
  }
}

/// Sweeps the rows of one block. `partials`: the sums of the rows; those of the n-th sum start at `n * rows.count()`.
template <class Task, class Accumulator, bool Streaming>
class RowSweep {
 public:
  using Value = typename Task::Value;
  using Returned = typename Task::Returned;
  using InputViews = decltype(Task::in);
  static constexpr Index piece = piece_lines<Task> * cache_line / static_cast<Index>(sizeof(Value));
  static_assert(Task::sums == 0 || (group % piece == 0 && longest_row % group == 0),
                "a piece fills neighbouring lanes");

  RowSweep(Task const& task, HostPlan const& plan, Accumulator* partials)
      : task_(task), plan_(plan), partials_(partials) {}

  void run(RowBlock const& block) const {
    Index const i = plan_.rows.first(block.segment);
    Index const count = plan_.rows.last(block.segment) - i;
    // One call for both kinds of groups, since all that follows is inlined.
    Index const step = plan_.together_in_z ? 1 : rows_together;
    for (Index j = block.j_begin; j < block.j_end; j += step) {
      Index const rows = plan_.together_in_z ? block.planes : std::min(rows_together, block.j_end - j);
      run_group({i, count, j, block.k, rows, plan_.together_in_z ? 0 : 1, plan_.together_in_z ? 1 : 0}, block.segment);
    }
  }

 private:
  using RowLanes = Lanes<Accumulator, Task::sums>;

  /// With more inputs the loads that rows share no longer fit in registers.
  static constexpr bool unrolled_over_rows = InputViews::count == 1;
  /// Points swept in one row before the next row, where the loop over rows is not unrolled.
  static constexpr Index stretch = 4 * piece;

  /// The inputs of some rows, moved to the first point, so that the inner loop computes few addresses.
  struct Place {
    InputViews in;
    Index i;
    Index j;
    Index k;
  };

  void run_group(RowGroup const& rows, Index segment) const {
    RowLanes lanes;
    Index const head = unaligned_points(rows);
    sweep_group(rows, head, lanes);
    if constexpr (Task::sums > 0) {
      for (Index row = 0; row < rows.rows; ++row) {
        Index const number = plan_.rows.number(segment, rows.j + row * rows.step_j, rows.k + row * rows.step_k);
        for (int sum = 0; sum < Task::sums; ++sum) {
          partials_[sum * plan_.rows.count() + number] = merge_lanes(lanes.sums[row][sum]);
        }
      }
    }
  }

  void sweep_group(RowGroup const& rows, Index head, RowLanes& lanes) const {
    if constexpr (unrolled_over_rows) {
      if (rows.rows == rows_together) {
        if (rows.step_k == 1) return run_rows<rows_together, 0, 1>(rows, 0, 0, rows.count, head, lanes);
        return run_rows<rows_together, 1, 0>(rows, 0, 0, rows.count, head, lanes);
      }
    }
    for (Index begin = 0; begin < rows.count;) {
      Index const end = rows.rows == 1 ? rows.count : std::min(begin + stretch + (begin == 0 ? head : 0), rows.count);
      for (Index row = 0; row < rows.rows; ++row) run_rows<1, 0, 0>(rows, row, begin, end, head, lanes);
      begin = end;
    }
  }

  /// Points before the first whole cache line of the outputs, if these are streamed.
  [[nodiscard]] Index unaligned_points(RowGroup const& rows) const {
    if constexpr (Streaming) {
      auto const address = reinterpret_cast<std::uintptr_t>(task_.out.view[0].at(rows.i, rows.j, rows.k));
      Index const bytes = static_cast<Index>((cache_line - address % cache_line) % cache_line);
      return std::min(bytes / static_cast<Index>(sizeof(Value)), rows.count);
    } else {
      return 0;
    }
  }

  /// Sweeps the points from offset `begin` to `end` of `Count` rows of the group, starting with row `first`. StepJ and
  /// StepK are the steps of the group; they are unused for one row.
  template <int Count, int StepJ, int StepK>
  void run_rows(RowGroup const& rows, Index first, Index begin, Index end, Index head, RowLanes& lanes) const {
    Index const j = rows.j + first * rows.step_j;
    Index const k = rows.k + first * rows.step_k;
    Place const place{task_.in.moved(rows.i, j, k), rows.i, j, k};
    Index n = begin;
    if constexpr (Task::is_long) {
      static_assert(!Streaming, "stores take no time beside a long functor");
      // A single call for whole pieces and the rest: a long functor takes the compiler long.
      while (n < end) {
        Index const count = std::min(piece, end - n);
        prefetch<Count>(place, rows, n);
        run_points<Count, StepJ, StepK>(place, first, n, count, head, lanes);
        n += count;
      }
    } else {
      if constexpr (Streaming) {
        if (Index const aligned = std::min(head, end); n < aligned) {
          run_short<Count, StepJ, StepK>(place, first, n, aligned - n, head, lanes);
          n = aligned;
        }
      }
      for (; n + piece <= end; n += piece) {
        prefetch<Count>(place, rows, n);
        run_points<Count, StepJ, StepK>(place, first, n, piece, head, lanes);
      }
      if (n < end) {
        if constexpr (Streaming) {
          run_short<Count, StepJ, StepK>(place, first, n, end - n, head, lanes);
        } else {
          run_rest<Count, StepJ, StepK>(place, first, n, end - n, head, lanes);
        }
      }
    }
  }

  template <int Count>
  [[gnu::always_inline]] void prefetch(Place const& place, RowGroup const& rows, Index n) const {
    if (!plan_.prefetching) return;
    place.in.for_each([&](auto const& view) __attribute__((always_inline)) {
      fetch_ahead<Count, piece_lines<Task>>(view, rows, Task::radius, plan_.ahead_rows, plan_.ahead_bytes, n);
    });
  }

  /// `run_rest`, compiled once for both ends of the long rows that are streamed. Works on copies as `sweep_rows` does.
  template <int Count, int StepJ, int StepK>
  [[gnu::flatten, gnu::noinline]] void run_short(Place const& place, Index first, Index n, Index count, Index head,
                                                 RowLanes& lanes) const {
    RowSweep const rows = *this;
    Place const at = place;
    rows.run_rest<Count, StepJ, StepK>(at, first, n, count, head, lanes);
  }

  /// `count` points of each row: a whole piece, a constant, so that no remainder loop is generated; or with a long
  /// functor at most a piece.
  template <int Count, int StepJ, int StepK>
  void run_points(Place const& place, Index first, Index n, Index count, Index head, RowLanes& lanes) const {
    alignas(cache_line) Value values[Count][std::max(Task::outputs, 1)][piece];
    alignas(cache_line) Value terms[Count][std::max(Task::sums, 1)][piece];
    evaluate<Count, StepJ, StepK>(place, n, count, values, terms);
#pragma GCC unroll 4
    for (int row = 0; row < Count; ++row) {
      for (int which = 0; which < Task::outputs; ++which) {
        Value* const to = output<StepJ, StepK>(place, row, n, which);
        if constexpr (Streaming) {
          stream_lines<piece_lines<Task>>(to, values[row][which]);
        } else {
          store(to, values[row][which], count);
        }
      }
      if constexpr (Task::sums > 0) {
        for (int sum = 0; sum < Task::sums; ++sum) lanes.add(first + row, sum, n, head, terms[row][sum], count);
      }
    }
  }

  /// Fewer points than a piece, one row after the other.
  template <int Count, int StepJ, int StepK>
  void run_rest(Place const& place, Index first, Index n, Index count, Index head, RowLanes& lanes) const {
    Value values[1][std::max(Task::outputs, 1)][piece];
    Value terms[1][std::max(Task::sums, 1)][piece];
    for (int row = 0; row < Count; ++row) {
      Index const j = row * StepJ;
      Index const k = row * StepK;
      Place const moved{place.in.moved(0, j, k), place.i, place.j + j, place.k + k};
      evaluate<1, StepJ, StepK>(moved, n, count, values, terms);
      for (int which = 0; which < Task::outputs; ++which) {
        store(output<StepJ, StepK>(place, row, n, which), values[0][which], count);
      }
      if constexpr (Task::sums > 0) {
        for (int sum = 0; sum < Task::sums; ++sum) lanes.add(first + row, sum, n, head, terms[0][sum], count);
      }
    }
  }

  static void store(Value* to, Value const* values, Index count) {
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < count; ++m) to[m] = values[m];
  }

  /// Evaluates `count` points, at most a piece, from offset `n` of each row. All rows of a point are evaluated before
  /// any is stored, so that values they share are loaded once.
  template <int Count, int StepJ, int StepK>
  void evaluate(Place const& place, Index n, Index count, Value (&values)[Count][std::max(Task::outputs, 1)][piece],
                Value (&terms)[Count][std::max(Task::sums, 1)][piece]) const {
    [&]<int... Row>(std::integer_sequence<int, Row...>) {
      HALOCLINE_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < count; ++m) {
        Returned const returned[] = {place.in.template evaluate_moved<Row * StepJ, Row * StepK>(
            task_.functor, Point(task_.geometry, place.i + n + m, place.j + Row * StepJ, place.k + Row * StepK),
            n + m)...};
        (keep<Row>(returned[Row], m, values, terms), ...);
      }
    }
    (std::make_integer_sequence<int, Count>());
  }

  template <int Row, int Count>
  static void keep(Returned const& returned, Index m, Value (&values)[Count][std::max(Task::outputs, 1)][piece],
                   Value (&terms)[Count][std::max(Task::sums, 1)][piece]) {
    [&]<int... Which, int... Sum>(std::integer_sequence<int, Which...>, std::integer_sequence<int, Sum...>) {
      ((values[Row][Which][m] = Returns<Returned>::value(returned, Which)), ...);
      ((terms[Row][Sum][m] = Returns<Returned>::term(returned, Sum)), ...);
    }
    (std::make_integer_sequence<int, Task::outputs>(), std::make_integer_sequence<int, Task::sums>());
  }

  template <int StepJ, int StepK>
  [[nodiscard]] Value* output(Place const& place, int row, Index n, int which) const {
    if constexpr (Task::outputs > 0) {
      BlockView<Value> const& view = task_.out.view[which];
      return view.at(place.i + n, place.j, place.k) + row * (StepJ * view.row + StepK * view.plane);
    }
    return nullptr;
  }

  Task task_;
  HostPlan plan_;
  Accumulator* partials_;
};

/// Flattened, so that no call prevents vectorisation. Works on a copy, so that the compiler knows that stores do not
/// change functor and geometry.
template <bool Streaming, class Task, class Accumulator>
[[gnu::flatten, gnu::noinline]] void sweep_rows(Task const& task, HostPlan const& plan, Accumulator* partials,
                                                RowBlock const& block) {
  RowSweep<Task, Accumulator, Streaming> const rows(task, plan, partials);
  rows.run(block);
}

}  // namespace halocline::kernel
