#pragma once

#include <memory>
#include <vector>

#include "framework/kernel/backends.hpp"
#include "framework/kernel/reduce/kinds.hpp"
#include "framework/runtime/index.hpp"

// Reductions of plain arrays. Those of fields, which have rows and ghosts, are in framework/kernel/reduce/fields.hpp.
//
// All terms and sums are double, whatever the precision of the values. They are grouped by index alone
// (framework/kernel/reduce/grouping.hpp): eight terms one after the other, then in pairs (pairwise summation, N. J.
// Higham, Accuracy and Stability of Numerical Algorithms, 4.2), so that the error of a sum of n terms is at most
// (log2(n) + 8) times the unit roundoff of double times the sum of their magnitudes, to first order. The bits of a
// result depend on nothing else: they are the same in every run, on every backend, for one segment summed alone or
// beside others, and wherever in memory the values lie.

namespace halocline::reduce {

/// `count` contiguous values in memory that kernels of the execution space can read. On GPUs, values that are not
/// aligned to 16 bytes are read one by one, which is slower.
template <class Real>
struct Values {
  Real const* first = nullptr;
  Index count = 0;
};

/// `count` contiguous segments of `length` values each.
struct Segments {
  Index count = 1;
  Index length = 0;
};

/// Which kernels run: those specialised for the execution space, or the portable ones.
enum class Form { specialised, portable };

/// Results of reductions, with their working memory, which lives as long as this object; only a reduction larger than
/// any before allocates. A second reduction into the same Outcome replaces the results of the first; both must use the
/// same execution instance.
template <class Execution>
class Outcome {
 public:
  Outcome();
  ~Outcome();
  Outcome(Outcome&&) noexcept;
  Outcome& operator=(Outcome&&) noexcept;

  /// Allocates the memory for reductions of up to this many segments of up to this length. After that, they can be
  /// captured into a CUDA graph, which stays valid until a larger reduction reallocates the memory.
  /// Throws DefectError for negative numbers.
  void reserve(Execution const& execution, Segments const& segments);

  /// Result of the n-th segment. Waits for the reduction as it was enqueued; wait for a graph that contains it before
  /// this call. Throws DefectError if there was no such segment.
  [[nodiscard]] double value(Index n = 0) const;
  /// Results of all segments, likewise.
  [[nodiscard]] std::vector<double> values() const;
  /// The results in memory of the execution space, one per segment, for later kernels of the same instance.
  [[nodiscard]] double const* data() const;

  struct Work;
  /// For the implementations.
  [[nodiscard]] Work& work() { return *work_; }

 private:
  std::unique_ptr<Work> work_;
};

/// Term that a reduction of `Kind` makes of one value of each of its arrays.
template <class Kind, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double term_of(Real const (&value)[Kind::inputs]) {
  if constexpr (Kind::inputs == 1) {
    return Kind::term(static_cast<double>(value[0]));
  } else {
    return Kind::term(static_cast<double>(value[0]), static_cast<double>(value[1]));
  }
}

/// The arrays that a reduction of `Kind` reads at the same index.
template <class Kind, class Real>
struct Arrays {
  Real const* first[Kind::inputs];

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double term(Index n) const {
    Real value[Kind::inputs];
    for (int m = 0; m < Kind::inputs; ++m) value[m] = first[m][n];
    return term_of<Kind>(value);
  }
};

/// Reduces every segment of `arrays`; both forms give the same bits. Compiled for float and double, every kind of
/// framework/kernel/reduce/kinds.hpp and every execution space of the build. Enqueues and returns. Throws DefectError
/// for negative numbers of values or segments and for null pointers to values.
template <class Kind, class Execution, class Real>
void run(Execution const& execution, Form form, Arrays<Kind, Real> const& arrays, Segments const& segments,
         Outcome<Execution>& outcome);

/// Throws DefectError unless the number of values `count` equals `other`.
void expect_as_many(Index count, Index other);

// These enqueue on `execution` and return; on a host backend the work is done by then. They throw DefectError for a
// negative number of values, for null pointers to values, and for arrays or segments whose sizes do not match. Once
// memory is reserved, they can be captured into a CUDA graph.

/// Reduces one array or, for kinds of two inputs, two.
template <class Kind, class Execution, class Real, class... More>
void of_values(Execution const& execution, Outcome<Execution>& outcome, Values<Real> x, More... more) {
  static_assert(Kind::inputs == 1 + static_cast<int>(sizeof...(More)));
  (expect_as_many(x.count, more.count), ...);
  run<Kind, Execution, Real>(execution, Form::specialised, {{x.first, more.first...}}, {1, x.count}, outcome);
}

/// Reduces each segment; `x.count` equals segments.count * segments.length.
template <class Kind, class Execution, class Real>
void of_segments(Execution const& execution, Outcome<Execution>& outcome, Values<Real> x, Segments const& segments) {
  expect_as_many(x.count, segments.count * segments.length);
  run<Kind, Execution, Real>(execution, Form::specialised, {{x.first}}, segments, outcome);
}

}  // namespace halocline::reduce
