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

/// Reduces the entries of `range` (local indices of one block) in the fields `x`, of which there are Kind::inputs: to
/// what `Kind` makes of no values where the range is empty.
template <class Kind, class Execution, class... Real>
void of_fields(Execution const& execution, IndexRange const& range,
               Reduction<Execution, typename Kind::Accumulator>& outcome, BlockView<Real>... x) {
  static_assert(Kind::inputs == static_cast<int>(sizeof...(Real)));
  sweep_reduce(execution, range, Geometry<double>{}, outcome, no_outputs, TermOfFields<Kind>{}, x...);
}

}  // namespace halocline::reduce
