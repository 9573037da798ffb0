#pragma once

#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// A file that values of a field were read from, as the record of a run has it.
struct FieldFileRecord {
  std::string option;
  std::string path;
  Index bytes = 0;
  std::string checksum;  ///< XXH3, 128 bits; empty of a file of more than `largest_hashed` bytes, which would take long
  static constexpr Index largest_hashed = Index{1} << 30;
};

/// Those of a judged section of a physics. Throws InputError where a file is not as it was judged.
[[nodiscard]] std::vector<FieldFileRecord> record_field_files(Options const& physics);

}  // namespace halocline
