#pragma once

#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/io/field_file.hpp"

namespace halocline {

struct FieldFileRecord;

/// Adds the errors of the files from which a validated section of a physics takes the values of fields; does not check
/// their contents. Later reads in this process must find the files unchanged.
void validate_field_files(Options const& physics, FieldShape const& shape, Mistakes& mistakes);

/// Checks the whole contents of these files. Throws InputError with the first invalid entry of each file.
void validate_field_contents(Options const& physics, FieldShape const& shape, Precision precision);

/// Describes these files for the record of a run. Throws InputError if one has changed since it was validated.
[[nodiscard]] std::vector<FieldFileRecord> record_field_files(Options const& physics);

}  // namespace halocline
