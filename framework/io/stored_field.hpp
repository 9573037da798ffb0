#pragma once

#include <vector>

#include "framework/field/field_base.hpp"

namespace halocline {

/// A field as a file holds it: what it is called and how its entries look, without a value.
struct StoredField {
  FieldDescription description;
  Precision precision = Precision::double_;

  [[nodiscard]] std::size_t bytes_per_number() const {
    return precision == Precision::single ? sizeof(float) : sizeof(double);
  }
  /// Of an entry with all of its components.
  [[nodiscard]] std::size_t bytes_per_entry() const {
    return bytes_per_number() * static_cast<std::size_t>(description.components);
  }
};

[[nodiscard]] inline StoredField stored(FieldBase const& field) { return {field.description(), field.precision()}; }

[[nodiscard]] inline std::vector<StoredField> stored(std::span<FieldBase const* const> fields) {
  std::vector<StoredField> all;
  for (FieldBase const* const field : fields) all.push_back(stored(*field));
  return all;
}

}  // namespace halocline
