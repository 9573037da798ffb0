#include "framework/io/field_file_validation.hpp"

#include <functional>

#include "framework/io/run_record.hpp"

namespace halocline {
namespace {

/// Opens all files, calls `inspect`, and adds the InputErrors.
void for_field_files(Options const& physics, FieldShape const& shape, Mistakes& mistakes,
                     std::function<void(FieldFileReader const&)> const& inspect) {
  for (auto const& [option, source] : physics.field_files()) {
    try {
      inspect(FieldFileReader(*source.file(), shape));
    } catch (InputError const& error) {
      mistakes.add(source.file()->location, option, error.what());
    }
  }
}

}  // namespace

void validate_field_files(Options const& physics, FieldShape const& shape, Mistakes& mistakes) {
  for_field_files(physics, shape, mistakes, [](FieldFileReader const& reader) { remember_validated(reader.file()); });
}

void validate_field_contents(Options const& physics, FieldShape const& shape, Precision precision) {
  Mistakes mistakes;
  for_field_files(physics, shape, mistakes, [&](FieldFileReader const& reader) {
    require_as_validated(reader.file());
    static_cast<void>(reader.axes());
    BadEntry const bad = reader.first_bad(precision);
    if (bad.place != BadEntry::none) throw reader.refusal(bad, precision);
  });
  mistakes.report();
}

std::vector<FieldFileRecord> record_field_files(Options const& physics) {
  std::vector<FieldFileRecord> records;
  for (auto const& [option, source] : physics.field_files()) {
    try {
      InputFile const file(source.file()->path);
      require_as_validated(file);
      records.push_back(
          {option, file.path(), file.identity().bytes, checksum_of(file, FieldFileRecord::largest_hashed)});
      file.require_unchanged();
    } catch (InputError const& error) {
      throw wrong_option(option, *source.file(), error.what());
    }
  }
  return records;
}

}  // namespace halocline
