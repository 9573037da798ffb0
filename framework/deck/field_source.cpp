#include "framework/deck/field_source.hpp"

#include "framework/deck/options.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/validation.hpp"

namespace halocline {
namespace {

/// Whether the options describe a file of raw numbers.
bool says_raw(Options const& file) {
  return file.has("type") || file.has("dims") || file.has("offset") || file.given("byte_order");
}

void validate_format(Options const& file, Mistakes& mistakes) {
  bool const raw = says_raw(file);
  for (std::string const option : {"type", "dims"}) {
    if (!raw || file.has(option) || file.has("dataset") || file.has("field")) continue;
    mistakes.add(file.location(), file.full_name(option), "missing", "raw numbers need `type` and `dims`");
  }
  for (std::string const option : {"dataset", "field"}) {
    bool const other = raw || (option == "field" && file.has("dataset"));
    if (!other || !file.has(option)) continue;
    add_mistake(file, option, raw ? "given together with options of raw numbers" : "given together with `dataset`",
                mistakes, "give those of one format");
  }
  if (raw && file.has("component")) add_mistake(file, "component", "not used by raw numbers", mistakes);
}

}  // namespace

Section field_file_section() {
  Section file("field",
               "Field values from a file, for instance `{file: u0.npy}`, for options that accept `a file`: a .npy file "
               "alone, raw numbers with `type` and `dims`, HDF5 with `dataset`, or a snapshot of Halocline with "
               "`field`. Arrays are indexed [z][y][x], in 2D [y][x].");
  file.path("file", "Path of the file, relative to the folder in which the program is started.");
  file.choice("type", "Type of raw numbers.",
              std::vector<std::string>{"float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                       "uint32", "uint64"})
      .optional();
  file.integers("dims", "Number of raw values along x, y and z; x varies fastest.", 1, 3).at_least(1).optional();
  file.integer("offset",
               "Number of bytes before the first raw number. If not given, the file must hold nothing but the numbers.")
      .at_least(0)
      .unit("bytes")
      .optional();
  file.choice("byte_order", "Byte order of raw numbers.", std::vector<std::string>{"little", "big"})
      .defaults_to(std::string("little"));
  file.text("dataset", "Path of the dataset in an HDF5 file.").optional();
  file.text("field", "Name of the field in a snapshot.").optional();
  file.integer("component",
               "Index, counted from 0, of the component to read from an array whose additional last axis holds several "
               "components.")
      .at_least(0)
      .optional();
  file.boolean("interpolate",
               "Whether a file may have another resolution than the mesh. Its values are then interpolated linearly "
               "along each axis from its own grid over the same domain; beyond the outermost points, the outermost "
               "values are used. A snapshot has its own grid; any other file has equal cells.")
      .defaults_to(false);
  file.check(validate_format);
  return file;
}

FieldFile read_field_file(Options const& section) {
  FieldFile file;
  file.path = section.path("file");
  if (section.has("type")) file.type = section.choice("type");
  if (section.has("dims")) file.dims = section.integers("dims");
  if (section.has("offset")) file.offset = section.integer("offset");
  file.big_endian = section.choice("byte_order") == "big";
  if (section.has("dataset")) file.dataset = section.text("dataset");
  if (section.has("field")) file.field = section.text("field");
  if (section.has("component")) file.component = section.integer("component");
  file.interpolate = section.boolean("interpolate");
  file.location = section.location();
  if (says_raw(section)) {
    file.format = FieldFile::Format::raw;
  } else if (section.has("dataset")) {
    file.format = FieldFile::Format::hdf5;
  } else if (section.has("field")) {
    file.format = FieldFile::Format::snapshot;
  }
  return file;
}

std::string FieldSource::described() const {
  if (expression() != nullptr) return "'" + expression()->text() + "'";
  return "`" + deck::in_one_line(file()->path) + "` (" + file()->location.text() + ")";
}

}  // namespace halocline
