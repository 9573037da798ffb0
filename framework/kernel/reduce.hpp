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

/// `count` values one behind the other, in memory that kernels of the execution space can read. Values that do not
/// start at 16 bytes are read one by one on GPUs, which takes longer.
template <class Real>
struct Values {
  Real const* first = nullptr;
  Index count = 0;
};

/// `count` stretches of `length` values each, one behind the other.
struct Segments {
  Index count = 1;
  Index length = 0;
};

/// Which kernels work: those made for the execution space, or those that every execution space has.
enum class Form { specialised, portable };

/// Where reductions leave their results, with the memory they work in: as one lives, so does that memory, and only a
/// reduction of more than ever before allocates. One reduction at a time: a second into the same Outcome replaces the
/// results of the first, and both are of one execution instance.
template <class Execution>
class Outcome {
 public:
  Outcome();
  ~Outcome();
  Outcome(Outcome&&) noexcept;
  Outcome& operator=(Outcome&&) noexcept;

  /// Takes all memory that reductions of so many segments, as long or shorter, need. After that they can be captured
  /// into a CUDA graph, which holds as long as no larger reduction moves the memory.
  /// Throws DefectError for negative numbers.
  void reserve(Execution const& execution, Segments const& segments);

  /// The number of the n-th segment. Waits for the reduction, as the execution instance runs it; a graph that holds it
  /// has to be waited for before. Throws DefectError if there was no such segment.
  [[nodiscard]] double value(Index n = 0) const;
  /// The numbers of all segments, likewise.
  [[nodiscard]] std::vector<double> values() const;
  /// The same in the memory of the execution space, for kernels that come after in the same instance: one a segment.
  [[nodiscard]] double const* data() const;

  struct Work;
  /// For the forms.
  [[nodiscard]] Work& work() { return *work_; }

 private:
  std::unique_ptr<Work> work_;
};

/// What a reduction of `Kind` makes of one value of each of its arrays.
template <class Kind, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double term_of(Real const (&value)[Kind::inputs]) {
  if constexpr (Kind::inputs == 1) {
    return Kind::term(static_cast<double>(value[0]));
  } else {
    return Kind::term(static_cast<double>(value[0]), static_cast<double>(value[1]));
  }
}

/// The arrays that a reduction of `Kind` reads, by the same index.
template <class Kind, class Real>
struct Arrays {
  Real const* first[Kind::inputs];

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double term(Index n) const {
    Real value[Kind::inputs];
    for (int m = 0; m < Kind::inputs; ++m) value[m] = first[m][n];
    return term_of<Kind>(value);
  }
};

/// The reduction of every segment of `arrays`, by either form, which leave the same bits. Compiled for float and
/// double, every kind of framework/kernel/reduce/kinds.hpp and every execution space of the build. Enqueues and
/// returns. Throws DefectError for negative numbers of values or segments and for values that are nowhere.
template <class Kind, class Execution, class Real>
void run(Execution const& execution, Form form, Arrays<Kind, Real> const& arrays, Segments const& segments,
         Outcome<Execution>& outcome);

/// Throws DefectError if `count` values are not as many as `other`.
void expect_as_many(Index count, Index other);

// These enqueue on `execution` and return; on a host backend the work is done then. They throw DefectError for a
// negative number of values, for values that are nowhere, and where two arrays or arrays and segments do not fit. They
// can be captured into a CUDA graph once the memory is reserved.

/// The reduction of values: of one array or, for kinds of two inputs, of two.
template <class Kind, class Execution, class Real, class... More>
void of_values(Execution const& execution, Outcome<Execution>& outcome, Values<Real> x, More... more) {
  static_assert(Kind::inputs == 1 + static_cast<int>(sizeof...(More)));
  (expect_as_many(x.count, more.count), ...);
  run<Kind, Execution, Real>(execution, Form::specialised, {{x.first, more.first...}}, {1, x.count}, outcome);
}

/// The reduction of each segment: `x.count` is segments.count * segments.length.
template <class Kind, class Execution, class Real>
void of_segments(Execution const& execution, Outcome<Execution>& outcome, Values<Real> x, Segments const& segments) {
  expect_as_many(x.count, segments.count * segments.length);
  run<Kind, Execution, Real>(execution, Form::specialised, {{x.first}}, segments, outcome);
}

}  // namespace halocline::reduce
