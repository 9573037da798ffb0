#pragma once

#include <utility>

#include "framework/operator/evolving_system.hpp"
#include "physics/equations/stages.hpp"

namespace halocline {

/// The state of an EquationSystem: a field on cells for each unknown.
template <class Real>
class FieldsState final : public SystemState {
 public:
  explicit FieldsState(Fields<Real> its_fields) : fields(std::move(its_fields)) {}

  Fields<Real> fields;
  /// Rates have been taken of it before: whoever writes it next starts the exchange of its ghosts as well.
  bool is_read = false;
  /// Ghosts at other blocks, and at the ends of periodic axes, are those of what is owned, or on their way.
  bool has_ghosts = false;
};

}  // namespace halocline
