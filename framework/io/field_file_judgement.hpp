#pragma once

#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/io/field_file.hpp"

namespace halocline {

struct FieldFileRecord;

/// Adds what is wrong with the files that a judged section of a physics takes the values of fields from; their contents
/// are not looked at. What is read later in this process must be what is judged here.
void judge_field_files(Options const& physics, FieldShape const& shape, Mistakes& mistakes);

/// Looks at the whole contents of these files. Throws InputError, which tells of the first entry of each file that is
/// no value.
void look_at_field_files(Options const& physics, FieldShape const& shape, Precision precision);

/// These files for the record of a run. Throws InputError where one is not as it was judged.
[[nodiscard]] std::vector<FieldFileRecord> record_field_files(Options const& physics);

}  // namespace halocline
