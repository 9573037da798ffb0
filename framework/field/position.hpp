#pragma once

#include <span>

#include "framework/field/field_base.hpp"

namespace halocline {

/// Whether one of the fields, and only one, says where points lie: a position of three components.
[[nodiscard]] bool have_one_position(std::span<FieldBase const* const> fields);

}  // namespace halocline
