#pragma once

#include "framework/kernel/reduce/kinds.hpp"
#include "framework/kernel/sweep.hpp"

// Reductions of fields, over a range of one block: sweeps that write nothing, with the bits of those
// (`sweep_reduce`). They enqueue and return; `value()` of the Reduction waits.

namespace halocline::reduce {

/// What a reduction of `Kind` makes of one point of its fields.
template <class Kind>
struct TermOfFields {
  static constexpr Shape shape = point;
  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION Result<double, 0, 1> operator()(P const&, U const&... u) const {
    return {{}, {Kind::term(static_cast<double>(u[here])...)}};
  }
};

/// Reduces the entries of `range` (local indices of one block) in the fields `x`, of which there are Kind::inputs.
template <class Kind, class Execution, class... Real>
void of_fields(Execution const& execution, IndexRange const& range,
               Reduction<Execution, typename Kind::Accumulator>& outcome, BlockView<Real>... x) {
  static_assert(Kind::inputs == static_cast<int>(sizeof...(Real)));
  sweep_reduce(execution, range, Geometry<double>{}, outcome, no_outputs, TermOfFields<Kind>{}, x...);
}

/// The sum of x over the range.
template <class Execution, class Real>
void sum(Execution const& execution, IndexRange const& range, BlockView<Real> x, Reduction<Execution>& outcome) {
  of_fields<Sum>(execution, range, outcome, x);
}

/// The least value of x in the range, infinity if that is empty. A NaN anywhere is the result.
template <class Execution, class Real>
void minimum(Execution const& execution, IndexRange const& range, BlockView<Real> x,
             Reduction<Execution, Least>& outcome) {
  of_fields<Minimum>(execution, range, outcome, x);
}

/// The greatest value of x in the range, minus infinity if that is empty. A NaN anywhere is the result.
template <class Execution, class Real>
void maximum(Execution const& execution, IndexRange const& range, BlockView<Real> x,
             Reduction<Execution, Greatest>& outcome) {
  of_fields<Maximum>(execution, range, outcome, x);
}

/// The sum of x y over the range.
template <class Execution, class Real>
void dot(Execution const& execution, IndexRange const& range, BlockView<Real> x, BlockView<Real> y,
         Reduction<Execution>& outcome) {
  of_fields<Dot>(execution, range, outcome, x, y);
}

/// The square of the Euclidean norm of x over the range.
template <class Execution, class Real>
void square_norm(Execution const& execution, IndexRange const& range, BlockView<Real> x,
                 Reduction<Execution>& outcome) {
  of_fields<SquareNorm>(execution, range, outcome, x);
}

/// The sum of magnitudes of x over the range.
template <class Execution, class Real>
void one_norm(Execution const& execution, IndexRange const& range, BlockView<Real> x, Reduction<Execution>& outcome) {
  of_fields<OneNorm>(execution, range, outcome, x);
}

/// The largest magnitude of x in the range, zero if that is empty. A NaN anywhere is the result.
template <class Execution, class Real>
void maximum_norm(Execution const& execution, IndexRange const& range, BlockView<Real> x,
                  Reduction<Execution, halocline::Maximum>& outcome) {
  of_fields<MaximumNorm>(execution, range, outcome, x);
}

}  // namespace halocline::reduce
