#include "framework/field/position.hpp"

#include <algorithm>

namespace halocline {

bool have_one_position(std::span<FieldBase const* const> fields) {
  auto const is_position = [](FieldBase const* field) { return field->is_position() && field->components() == 3; };
  return std::count_if(fields.begin(), fields.end(), is_position) == 1;
}

}  // namespace halocline
