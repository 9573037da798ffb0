#pragma once

#include <utility>

#include "framework/operator/evolving_system.hpp"
#include "physics/equations/stages.hpp"

namespace halocline {

/// The state of an EquationSystem: one field on cells per unknown.
template <class Real>
class FieldsState final : public SystemState {
 public:
  explicit FieldsState(Fields<Real> its_fields) : fields(std::move(its_fields)) {}

  Fields<Real> fields;
  /// A rate has read this state before: whoever writes it next also starts the exchange of its ghosts.
  bool is_read = false;
  /// Ghosts at other blocks and at the ends of periodic axes match the owned values, or are being exchanged.
  bool has_ghosts = false;
};

}  // namespace halocline
