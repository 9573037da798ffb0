#pragma once

#include <vector>

#include "framework/field/field_base.hpp"

namespace halocline {

/// Description of a field in a file, without its values.
struct StoredField {
  FieldDescription description;
  Precision precision = Precision::double_;

  [[nodiscard]] std::size_t bytes_per_number() const {
    return precision == Precision::single ? sizeof(float) : sizeof(double);
  }
  /// Bytes of an entry with all components.
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
