#pragma once

#include <optional>
#include <span>

#include "framework/field/field_base.hpp"

namespace halocline {

/// A value of a field that is no finite number.
struct BadValue {
  std::size_t field = 0;  ///< place among the fields that were searched
  int component = 0;
  Extents index{};  ///< global
  double value = 0;
};

/// Collective. The first value that is NaN or infinite among the owned ones of `fields`, by field, component and global
/// index, x fastest; the same on all ranks and for any number of them. Copies fields to the host: for the moment when
/// one is known to be there.
[[nodiscard]] std::optional<BadValue> first_bad_value(std::span<FieldBase const* const> fields);

}  // namespace halocline
