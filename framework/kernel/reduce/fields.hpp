#pragma once

#include "framework/kernel/reduce/kinds.hpp"
#include "framework/kernel/sweep.hpp"

// Reductions of fields over a range of one block. They are sweeps without outputs and have the same bits as
// `sweep_reduce`. They enqueue and return; `value()` of the Reduction waits.

namespace halocline::reduce {

/// Term that a reduction of `Kind` makes of one point of its fields.
template <class Kind>
struct TermOfFields {
  static constexpr Shape shape = point;
  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION Result<double, 0, 1> operator()(P const&, U const&... u) const {
    return {{}, {Kind::term(static_cast<double>(u[here])...)}};
  }
};

/// Reduces the entries of `range` (local indices of one block) in the Kind::inputs fields `x`. An empty range gives the
/// result of `Kind` for no values.
template <class Kind, class Execution, class... Real>
void of_fields(Execution const& execution, IndexRange const& range,
               Reduction<Execution, typename Kind::Accumulator>& outcome, BlockView<Real>... x) {
  static_assert(Kind::inputs == static_cast<int>(sizeof...(Real)));
  sweep_reduce(execution, range, Geometry<double>{}, outcome, no_outputs, TermOfFields<Kind>{}, x...);
}

}  // namespace halocline::reduce
