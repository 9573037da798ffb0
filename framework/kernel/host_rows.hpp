#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "framework/kernel/accumulator.hpp"
#include "framework/kernel/host_plan.hpp"
#include "framework/kernel/stream.hpp"
#include "framework/kernel/views.hpp"

// The loops of a sweep on the host: along x in vectors, a few neighbouring rows at a time.

// Iterations are independent: a sweep reads no output but at its own point.
// GCC would unroll a short loop before it gets to vectorising it.
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

/// Cache lines of one output that are computed at a time.
inline constexpr int piece_lines = 2;

// How far ahead of the point in work memory is asked for, in bytes along x: into the first-level cache what the next
// pieces read, into the second-level cache what comes from memory. Measured by bench/sweep_bench.
inline constexpr Index near_ahead = 512;
inline constexpr Index far_ahead = 4096;

/// Rows along x that are swept together: `count` points of the rows (j, k), (j, k + 1), …, or (j, k), (j + 1, k), ….
struct RowGroup {
  Index i;
  Index count;
  Index j;
  Index k;
  Index rows;
  Index step_j;  ///< from one row to the next, one of these is one, the other zero
  Index step_k;

  [[nodiscard]] Index row_j(Index row) const { return j + row * step_j; }
  [[nodiscard]] Index row_k(Index row) const { return k + row * step_k; }
};

/// Not inlined: the compiler would try to vectorise it over rows.
template <class Accumulator>
[[gnu::noinline]] Accumulator merge_lanes(Accumulator const* lanes) {
  return merge_group(lanes, group);
}

/// Sums of a group of rows in work. A lane holds the terms whose offset from the begin of the row has one remainder
/// modulo `group`; the lanes are stored rotated by `head`, which merging does not mind, so that a piece fills
/// neighbours.
template <class Accumulator, int Sums>
struct Lanes {
  alignas(cache_line) Accumulator slot[rows_together][Sums][group];

  /// Adds the terms of the points from offset `n` of a row; they must not wrap around the slots.
  template <class Value>
  void add(Index row, int sum, Index n, Index head, Value const* terms, Index count) {
    Accumulator* const first = slot[row][sum] + (n - head + group) % group;
    HALOCLINE_SHORT_LOOP
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < count; ++m) first[m].add(static_cast<double>(terms[m]));
  }
};
template <class Accumulator>
struct Lanes<Accumulator, 0> {};

/// Asks for the lines of one input that the next pieces of a group of rows read. Always inlined, as everything that
/// calls it: GCC removes calls of functions that do nothing but prefetch.
template <class Real>
[[gnu::always_inline]] inline void fetch_ahead(BlockView<Real const> const& view, HostPlan const& plan,
                                               RowGroup const& rows, Index n, Index piece_points) {
  Index const line_points = cache_line / static_cast<Index>(sizeof(Real));
  Index const across = rows.step_j * view.row + rows.step_k * view.plane;
  Index const reach = rows.step_j * plan.reach_y + rows.step_k * plan.reach_z;
  Index const lead = rows.step_k * plan.reach_y * view.row;
  auto const line = [&](Index entries, Index bytes) {
    return reinterpret_cast<void const*>(
        reinterpret_cast<std::uintptr_t>(view.at(rows.i + n, rows.j, rows.k)) +
        static_cast<std::uintptr_t>(entries * static_cast<Index>(sizeof(Real)) + bytes));
  };
  for (Index m = 0; m < piece_points; m += line_points) {
    for (Index row = -reach; row < rows.rows + reach; ++row) {
      __builtin_prefetch(line(m + lead + row * across, near_ahead), 0, 3);
    }
    for (Index row = reach; row < rows.rows + reach; ++row) {
      __builtin_prefetch(line(m + row * across, far_ahead), 0, 2);
    }
  }
}

/// Sweeps the rows of one block. `partials`: the sums of the rows, those of the n-th sum from `n * rows.count()`.
template <class Task, class Accumulator, bool Streaming>
class RowSweep {
 public:
  using Value = typename Task::Value;
  using Returned = typename Task::Returned;
  static constexpr Index piece = piece_lines * cache_line / static_cast<Index>(sizeof(Value));
  static_assert(group % piece == 0 && longest_row % group == 0, "a piece fills neighbouring lanes");

  RowSweep(Task const& task, HostPlan const& plan, Accumulator* partials)
      : task_(task), plan_(plan), partials_(partials) {}

  void run(RowBlock const& block) const {
    Index const i = plan_.rows.first(block.segment);
    Index const count = plan_.rows.last(block.segment) - i;
    Index const step = plan_.together_in_z ? 1 : rows_together;
    for (Index j = block.j_begin; j < block.j_end; j += step) {
      Index const rows = plan_.together_in_z ? block.planes : std::min(step, block.j_end - j);
      run_group({i, count, j, block.k, rows, plan_.together_in_z ? 0 : 1, plan_.together_in_z ? 1 : 0}, block.segment);
    }
  }

 private:
  using RowLanes = Lanes<Accumulator, Task::sums>;

  void run_group(RowGroup const& rows, Index segment) const {
    RowLanes lanes;
    Index const head = unaligned_points(rows);
    for (Index row = 0; head > 0 && row < rows.rows; ++row) run_rest(rows, row, 0, head, head, lanes);
    Index n = head;
    for (; n + piece <= rows.count; n += piece) {
      if (plan_.prefetching) {
        task_.in.for_each([&](auto const& view)
                              __attribute__((always_inline)) { fetch_ahead(view, plan_, rows, n, piece); });
      }
      for (Index row = 0; row < rows.rows; ++row) run_piece(rows, row, n, head, lanes);
    }
    for (Index row = 0; n < rows.count && row < rows.rows; ++row) run_rest(rows, row, n, rows.count - n, head, lanes);
    if constexpr (Task::sums > 0) {
      for (Index row = 0; row < rows.rows; ++row) {
        Index const number = plan_.rows.number(segment, rows.row_j(row), rows.row_k(row));
        for (int sum = 0; sum < Task::sums; ++sum) {
          partials_[sum * plan_.rows.count() + number] = merge_lanes(lanes.slot[row][sum]);
        }
      }
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

  /// A whole piece: the number of iterations is a constant, and no remainder loop is made.
  void run_piece(RowGroup const& rows, Index row, Index n, Index head, RowLanes& lanes) const {
    alignas(cache_line) Value terms[std::max(Task::sums, 1)][piece];
    if constexpr (Streaming) {
      alignas(cache_line) Value values[Task::outputs][piece];
      evaluate(
          rows, row, n, piece, [&](int which) { return values[which]; }, terms);
      for (int which = 0; which < Task::outputs; ++which) {
        stream_lines<piece_lines>(output(rows, row, n, which), values[which]);
      }
    } else {
      if (plan_.prefetching) fetch_outputs_ahead(rows, row, n);
      evaluate(
          rows, row, n, piece, [&](int which) { return output(rows, row, n, which); }, terms);
    }
    if constexpr (Task::sums > 0) {
      for (int sum = 0; sum < Task::sums; ++sum) lanes.add(row, sum, n, head, terms[sum], piece);
    }
  }

  /// Fewer points than a piece.
  void run_rest(RowGroup const& rows, Index row, Index n, Index count, Index head, RowLanes& lanes) const {
    Value terms[std::max(Task::sums, 1)][piece];
    evaluate(
        rows, row, n, count, [&](int which) { return output(rows, row, n, which); }, terms);
    if constexpr (Task::sums > 0) {
      for (int sum = 0; sum < Task::sums; ++sum) lanes.add(row, sum, n, head, terms[sum], count);
    }
  }

  /// The loop over points: `count` of them from offset `n` of a row. `value(which)` is where values go.
  template <class ValuePointer>
  void evaluate(RowGroup const& rows, Index row, Index n, Index count, ValuePointer const& value,
                Value (&terms)[std::max(Task::sums, 1)][piece]) const {
    [&]<int... Which, int... Sum>(std::integer_sequence<int, Which...>, std::integer_sequence<int, Sum...>) {
      [[maybe_unused]] Value* const values[] = {value(Which)..., nullptr};
      Index const i = rows.i + n;
      Index const j = rows.row_j(row);
      Index const k = rows.row_k(row);
      HALOCLINE_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < count; ++m) {
        Returned const returned = task_.in.evaluate(task_.functor, task_.geometry, i + m, j, k);
        ((values[Which][m] = Returns<Returned>::value(returned, Which)), ...);
        ((terms[Sum][m] = Returns<Returned>::term(returned, Sum)), ...);
      }
    }
    (std::make_integer_sequence<int, Task::outputs>(), std::make_integer_sequence<int, Task::sums>());
  }

  [[nodiscard]] Value* output(RowGroup const& rows, Index row, Index n, int which) const {
    if constexpr (Task::outputs > 0) return task_.out.view[which].at(rows.i + n, rows.row_j(row), rows.row_k(row));
    return nullptr;
  }

  [[gnu::always_inline]] void fetch_outputs_ahead(RowGroup const& rows, Index row, Index n) const {
    for (int which = 0; which < Task::outputs; ++which) {
      auto const address = reinterpret_cast<std::uintptr_t>(output(rows, row, n, which)) + near_ahead;
      for (int line = 0; line < piece_lines; ++line) {
        __builtin_prefetch(reinterpret_cast<void const*>(address + static_cast<std::uintptr_t>(line * cache_line)), 1,
                           3);
      }
    }
  }

  Task task_;
  HostPlan plan_;
  Accumulator* partials_;
};

/// Flattened, so that no call keeps the loop from being vectorised; on a copy, so that the compiler knows the numbers
/// of functor and geometry not to change with the stores.
template <bool Streaming, class Task, class Accumulator>
[[gnu::flatten, gnu::noinline]] void sweep_rows(Task const& task, HostPlan const& plan, Accumulator* partials,
                                                RowBlock const& block) {
  RowSweep<Task, Accumulator, Streaming> const rows(task, plan, partials);
  rows.run(block);
}

}  // namespace halocline::kernel
