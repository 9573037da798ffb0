#include "framework/field/expression_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "framework/deck/expression_program.hpp"
#include "framework/field/expression_rows.hpp"
#include "framework/runtime/for_each_index.hpp"

namespace halocline {

namespace {

constexpr Index no_entry = std::numeric_limits<Index>::max();

/// Linear index of an entry in its range, x fastest.
KOKKOS_INLINE_FUNCTION Index number_of(Index const (&place)[3], Index const (&begin)[3], Index const (&extent)[3]) {
  return place[0] - begin[0] + extent[0] * (place[1] - begin[1] + extent[1] * (place[2] - begin[2]));
}

std::optional<Extents> entry_of(Index number, IndexRange const& range) {
  if (number == no_entry) return std::nullopt;
  Extents const extents = range.extents();
  return Extents{range.begin[0] + number % extents[0], range.begin[1] + number / extents[0] % extents[1],
                 range.begin[2] + number / (extents[0] * extents[1])};
}

/// Division of a range into rows, along the first axis with more than one entry.
struct Rows {
  int along = 0;
  int inner = 1;  ///< the two other axes
  int outer = 2;
  Index length = 0;
  Index count = 0;

  explicit Rows(IndexRange const& range) {
    if (range.extent(0) == 1) along = range.extent(1) > 1 ? 1 : 2;
    inner = along == 0 ? 1 : 0;
    outer = along == 2 ? 1 : 2;
    length = range.extent(along);
    count = range.extent(inner) * range.extent(outer);
  }
};

/// The first entry of [begin, end) of the row at `place` that is NaN or infinite, as an index along the row; `end` if
/// there is none. A sum detects bad entries first; only then are they searched.
template <class Real>
Index first_bad_of_row(Real const* row, Index stride, Index begin, Index end) {
  Real differences = 0;
#pragma omp simd reduction(+ : differences)
  for (Index i = begin; i < end; ++i) differences += row[i * stride] - row[i * stride];
  if (differences == Real{0}) return end;
  Index i = begin;
  while (std::isfinite(row[i * stride])) ++i;
  return i;
}

/// Entries of a row that a thread evaluates at a time.
constexpr Index piece = 8192;
/// With fewer entries another thread costs more than it gains.
constexpr Index fewest = 2048;

/// Calls `evaluate(position of the first entry, begin, end, the thread's data)` for pieces of all rows of a range, on
/// all threads. Returns the minimum of the results, which are linear indices of entries.
template <class Own, class MakeOwn, class Evaluate>
Index for_pieces(IndexRange const& range, Rows const& rows, MakeOwn const& make_own, Evaluate const& evaluate) {
  Index const pieces = (rows.length + piece - 1) / piece;
  Index const work = rows.count * pieces;
  Index const worthwhile = (range.size() + fewest - 1) / fewest;
  Index const shares = std::min({Index{HostExecution().concurrency()}, work, worthwhile});
  std::vector<Own> own;
  for (Index share = 0; share < shares; ++share) own.push_back(make_own());
  Index first_bad = no_entry;
  auto const evaluate_share = [&](Index share, Index& least) {
    for (Index n = work * share / shares; n < work * (share + 1) / shares; ++n) {
      Index const row = n / pieces;
      Extents place = range.begin;
      place[static_cast<std::size_t>(rows.inner)] += row % range.extent(rows.inner);
      place[static_cast<std::size_t>(rows.outer)] += row / range.extent(rows.inner);
      Index const first = range.begin[static_cast<std::size_t>(rows.along)];
      Index const begin = first + n % pieces * piece;
      Index const end = std::min(begin + piece, first + rows.length);
      least = std::min(least, evaluate(place, begin, end, own[static_cast<std::size_t>(share)]));
    }
  };
  if (shares <= 1) {
    if (shares == 1) evaluate_share(0, first_bad);
    return first_bad;
  }
  Kokkos::parallel_reduce("halocline expression",
                          Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<Index>>(0, shares), evaluate_share,
                          Kokkos::Min<Index>(first_bad));
  return first_bad;
}

template <class Real>
Real* entry(BlockView<Real> const& view, Extents const& place) {
  return view.at(place[0], place[1], place[2]);
}

}  // namespace

template <class Real>
std::optional<Extents> first_not_finite(IndexRange const& range, BlockView<Real> values) {
  for (Index k = range.begin[2]; k < range.end[2]; ++k) {
    for (Index j = range.begin[1]; j < range.end[1]; ++j) {
      Index const bad = first_bad_of_row(values.at(0, j, k), 1, range.begin[0], range.end[0]);
      if (bad < range.end[0]) return Extents{bad, j, k};
    }
  }
  return std::nullopt;
}

template <class Real>
std::optional<Extents> evaluate_on_host(Expression const& expression, double time, BoxPositions const& positions,
                                        IndexRange const& range, IndexRange const& checked, BlockView<Real> to) {
  Rows const rows(range);
  auto const along = static_cast<std::size_t>(rows.along);
  Index const stride = std::array{Index{1}, to.row, to.plane}[along];
  /// For a piece of a row after its evaluation.
  auto const first_bad = [&](Extents place, Index begin, Index end) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis != along && (place[axis] < checked.begin[axis] || place[axis] >= checked.end[axis])) return no_entry;
    }
    begin = std::max(begin, checked.begin[along]);
    end = std::min(end, checked.end[along]);
    place[along] = 0;
    Index const bad = first_bad_of_row<Real>(entry(to, place), stride, begin, std::max(begin, end));
    if (bad >= end) return no_entry;
    place[along] = bad;
    return place[0] - checked.begin[0] +
           checked.extent(0) * (place[1] - checked.begin[1] + checked.extent(1) * (place[2] - checked.begin[2]));
  };
  auto const from = [&](Extents place, Index begin) {
    place[along] = begin;
    return place;
  };
  Index bad = no_entry;
  if (ExpressionProgram const* const program = expression.program()) {
    ExpressionRows const evaluated(*program, rows.along, positions.along[along], rows.count, time);
    using Own = ExpressionRows::Workspace;
    bad = for_pieces<Own>(
        range, rows, [&] { return evaluated.workspace(); },
        [&](Extents const& place, Index begin, Index end, Own& own) {
          evaluated.evaluate(positions.at(place), begin, end, own, entry(to, from(place, begin)), stride);
          return first_bad(place, begin, end);
        });
  } else {
    // The parser is not thread-safe: each thread has its own copy.
    bad = for_pieces<Expression>(
        range, rows, [&] { return expression; },
        [&](Extents const& place, Index begin, Index end, Expression const& own) {
          for (Index i = begin; i < end; ++i) {
            auto const [x, y, z] = positions.at(from(place, i));
            *entry(to, from(place, i)) = static_cast<Real>(own(x, y, z, time));
          }
          return first_bad(place, begin, end);
        });
  }
  return entry_of(bad, checked);
}

namespace {

/// Limit on the instructions in a kernel argument.
constexpr std::size_t most_instructions = 128;

bool fits_kernel(Expression const& expression) {
  return expression.program() != nullptr && expression.program()->instructions().size() <= most_instructions;
}

/// Evaluates a program at one entry.
template <class Real>
struct EvaluateEntry {
  Instruction program[most_instructions];
  int size = 0;
  double time = 0;
  double const* positions[3] = {};
  Index begin[3] = {};
  Index extent[3] = {};
  Index checked_begin[3] = {};
  Index checked_extent[3] = {};
  BlockView<Real> to;
  Index* first_bad = nullptr;

  KOKKOS_FUNCTION void operator()(Index n) const {
    Index const row = n / extent[0];
    Index const place[3] = {begin[0] + n % extent[0], begin[1] + row % extent[1], begin[2] + row / extent[1]};
    Real const value = static_cast<Real>(
        evaluate_at(program, size, positions[0][place[0]], positions[1][place[1]], positions[2][place[2]], time));
    to(place[0], place[1], place[2]) = value;
    if (value - value == Real{0}) return;
    for (int axis = 0; axis < 3; ++axis) {
      if (place[axis] < checked_begin[axis] || place[axis] >= checked_begin[axis] + checked_extent[axis]) return;
    }
    Kokkos::atomic_min(first_bad, number_of(place, checked_begin, checked_extent));
  }
};

}  // namespace

template <class Real>
std::optional<Extents> evaluate_by_kernel(Execution const& execution, Expression const& expression, double time,
                                          EntryPositions const& positions, IndexRange const& range,
                                          IndexRange const& checked, BlockView<Real> to) {
  ExpressionProgram const& program = *expression.program();
  EvaluateEntry<Real> kernel;
  kernel.size = static_cast<int>(program.instructions().size());
  std::copy(program.instructions().begin(), program.instructions().end(), kernel.program);
  kernel.time = time;
  kernel.to = to;
  kernel.first_bad = positions.first_bad().data();
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    kernel.positions[axis] = positions.for_kernels(axis);
    kernel.begin[axis] = range.begin[a];
    kernel.extent[axis] = range.extent(axis);
    kernel.checked_begin[axis] = checked.begin[a];
    kernel.checked_extent[axis] = checked.extent(axis);
  }
  for_each_index("halocline expression", execution, range.size(), kernel);
  if (checked.empty()) return std::nullopt;
  execution.fence();
  Index const first_bad = std::exchange(positions.first_bad()(), no_entry);
  return entry_of(first_bad, checked);
}

namespace {

/// Copies from a packed box in the same memory.
template <class Real>
struct Unpack {
  Real const* packed;
  BlockView<Real> to;
  Index begin[3];
  Index extent[3];

  KOKKOS_FUNCTION void operator()(Index n) const {
    Index const row = n / extent[0];
    to(begin[0] + n % extent[0], begin[1] + row % extent[1], begin[2] + row / extent[1]) = packed[n];
  }
};

template <class Real>
std::optional<Extents> evaluate_and_copy(Execution const& execution, Expression const& expression, double time,
                                         EntryPositions const& positions, IndexRange const& range,
                                         IndexRange const& checked, BlockView<Real> to) {
  Extents const extents = range.extents();
  Kokkos::View<Real*, Memory> const packed(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "packed"),
                                           static_cast<std::size_t>(range.size()));
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, packed);
  BlockView<Real> view{host.data(), extents[0], extents[0] * extents[1]};
  view.origin -= view.at(range.begin[0], range.begin[1], range.begin[2]) - view.origin;
  std::optional<Extents> const bad = evaluate_on_host(expression, time, positions.on_host(), range, checked, view);
  Kokkos::deep_copy(execution, packed, host);
  Unpack<Real> unpack{packed.data(), to, {}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    unpack.begin[axis] = range.begin[static_cast<std::size_t>(axis)];
    unpack.extent[axis] = range.extent(axis);
  }
  for_each_index("halocline expression", execution, range.size(), unpack);
  execution.fence();
  return bad;
}

}  // namespace

EntryPositions::EntryPositions(Execution const& execution, BoxPositions positions)
    : on_host_(std::move(positions)), first_bad_("first bad entry") {
  first_bad_() = no_entry;
  if constexpr (!memory_on_host) {
    std::vector<double> all;
    for (std::vector<double> const& along : on_host_.along) all.insert(all.end(), along.begin(), along.end());
    in_memory_ = Kokkos::View<double*, Memory>(
        Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "positions of entries"), all.size());
    Kokkos::deep_copy(execution, in_memory_,
                      Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()));
  }
  execution.fence();
}

double const* EntryPositions::for_kernels(int axis) const {
  auto const a = static_cast<std::size_t>(axis);
  if constexpr (memory_on_host) return on_host_.along[a].data();
  std::size_t before = 0;
  for (std::size_t n = 0; n < a; ++n) before += on_host_.along[n].size();
  return in_memory_.data() + before;
}

bool is_evaluated_in_place(Expression const& expression) { return memory_on_host || fits_kernel(expression); }

template <class Real>
std::optional<Extents> evaluate(Execution const& execution, Expression const& expression, double time,
                                EntryPositions const& positions, IndexRange const& range, IndexRange const& checked,
                                BlockView<Real> to) {
  if (range.empty()) return std::nullopt;
  if constexpr (memory_on_host) {
    execution.fence();
    return evaluate_on_host(expression, time, positions.on_host(), range, checked, to);
  } else {
    if (fits_kernel(expression)) return evaluate_by_kernel(execution, expression, time, positions, range, checked, to);
    return evaluate_and_copy(execution, expression, time, positions, range, checked, to);
  }
}

#define HALOCLINE_INSTANTIATE(Real)                                                                                   \
  template std::optional<Extents> first_not_finite(IndexRange const&, BlockView<Real>);                               \
  template std::optional<Extents> evaluate_on_host(Expression const&, double, BoxPositions const&, IndexRange const&, \
                                                   IndexRange const&, BlockView<Real>);                               \
  template std::optional<Extents> evaluate_by_kernel(Execution const&, Expression const&, double,                     \
                                                     EntryPositions const&, IndexRange const&, IndexRange const&,     \
                                                     BlockView<Real>);                                                \
  template std::optional<Extents> evaluate(Execution const&, Expression const&, double, EntryPositions const&,        \
                                           IndexRange const&, IndexRange const&, BlockView<Real>)
HALOCLINE_INSTANTIATE(float);
HALOCLINE_INSTANTIATE(double);

}  // namespace halocline
