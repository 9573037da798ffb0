#pragma once

#include <span>

#include "framework/field/field_base.hpp"

namespace halocline {

/// Whether a field says where points lie: a position of three components.
[[nodiscard]] inline bool is_position(FieldDescription const& field) { return field.position && field.components == 3; }

/// Whether one of the fields, and only one, says that.
[[nodiscard]] bool have_one_position(std::span<FieldBase const* const> fields);

}  // namespace halocline
