#include "framework/field/position.hpp"

#include <algorithm>

namespace halocline {

bool have_one_position(std::span<FieldBase const* const> fields) {
  return std::ranges::count_if(fields, [](FieldBase const* field) { return is_position(field->description()); }) == 1;
}

}  // namespace halocline
