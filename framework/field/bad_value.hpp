#pragma once

#include <optional>
#include <span>

#include "framework/field/field_base.hpp"

namespace halocline {

/// A value of a field that is NaN or infinite.
struct BadValue {
  std::size_t field = 0;  ///< index into the fields that were searched
  int component = 0;
  Extents index{};  ///< global
  double value = 0;
};

/// Collective. The first NaN or infinite value among the owned entries of `fields`, ordered by field, component and
/// global index, x fastest; independent of the partition and the same on all ranks. Copies fields to the host: for use
/// after an error is detected.
[[nodiscard]] std::optional<BadValue> first_bad_value(std::span<FieldBase const* const> fields);

}  // namespace halocline
