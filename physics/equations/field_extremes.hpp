#pragma once

#include <type_traits>

#include "framework/field/field.hpp"
#include "framework/kernel/reduce/fields.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {

/// The least (`reduce::Minimum`) or largest (`reduce::Maximum`) owned entry of a field over all ranks; NaN if any entry
/// is. Collective.
template <class Kind, class Real>
[[nodiscard]] double extreme(Field<Real> const& u) {
  bool constexpr is_least = std::is_same_v<Kind, reduce::Minimum>;
  double value = Kind::padding;
  for (Block const& block : u.mesh().blocks()) {
    Reduction<Execution, typename Kind::Accumulator> outcome;
    reduce::of_fields<Kind>(execution(block), u.owned(block), outcome, u.view(block));
    value = is_least ? smaller(value, outcome.value()) : larger(value, outcome.value());
  }
  Communicator const& communicator = u.mesh().communicator();
  return is_least ? communicator.min(value) : communicator.max(value);
}

}  // namespace halocline
