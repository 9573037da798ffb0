#include "framework/io/vtk_header.hpp"

#include <limits>

#include "framework/io/output_boxes.hpp"
#include "framework/io/xml.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

std::string quoted(std::string const& name, std::string const& value) { return " " + name + "=\"" + value + "\""; }

/// "0 16 0 8 0 0": first and last node along each axis.
std::string whole_extent(StructuredMesh const& mesh) {
  std::string text;
  for (Index const nodes : output_extents(mesh, Centring::node)) {
    text += (text.empty() ? "0 " : " 0 ") + std::to_string(nodes - 1);
  }
  return text;
}

/// Offset for VTK, which counts from after the mark that ends the header to the number of bytes before the values.
/// `size`: of the header.
std::string offset_of(Index place, Index size) {
  return std::to_string(place - static_cast<Index>(sizeof(std::uint64_t)) - size);
}

std::string array(std::string const& name, Precision precision, int components, Index place, Index size) {
  return "<DataArray" + quoted("type", precision == Precision::single ? "Float32" : "Float64") +
         quoted("Name", xml_text(name)) + quoted("NumberOfComponents", std::to_string(components)) +
         quoted("format", "appended") + quoted("offset", offset_of(place, size)) + "/>\n";
}

std::string arrays_on(Centring centring, std::vector<PlacedField> const& fields, Index size) {
  std::string text;
  for (PlacedField const& placed : fields) {
    FieldDescription const& field = placed.field.description;
    if (field.centring != centring) continue;
    text += array(field.name, placed.field.precision, field.components, placed.place, size);
  }
  return text;
}

/// Attributes of a uniform mesh's grid. Axes that it does not have begin at 0.
std::string geometry(StructuredMesh const& mesh) {
  std::string origin;
  std::string spacing;
  for (int axis = 0; axis < 3; ++axis) {
    bool const exists = axis < mesh.dimensions();
    origin += (axis > 0 ? " " : "") + shortest_text(exists ? mesh.axis(axis).lower() : 0);
    spacing += (axis > 0 ? " " : "") + shortest_text(exists ? mesh.axis(axis).spacing() : 1);
  }
  return quoted("Origin", origin) + quoted("Spacing", spacing) + quoted("Direction", "1 0 0 0 1 0 0 0 1");
}

std::string header(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields,
                   std::vector<Index> const& coordinates, Index size) {
  std::string const kind = is_uniform(mesh) ? "ImageData" : "RectilinearGrid";
  std::string text = "<?xml version=\"1.0\"?>\n<VTKFile" + quoted("type", kind) + quoted("version", "1.0") +
                     quoted("byte_order", "LittleEndian") + quoted("header_type", "UInt64") + ">\n<" + kind +
                     quoted("WholeExtent", whole_extent(mesh)) + (is_uniform(mesh) ? geometry(mesh) : "") +
                     ">\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                     "format=\"ascii\">" +
                     shortest_text(time) + "</DataArray>\n</FieldData>\n<Piece" + quoted("Extent", whole_extent(mesh)) +
                     ">\n<PointData>\n" + arrays_on(Centring::node, fields, size) + "</PointData>\n<CellData>\n" +
                     arrays_on(Centring::cell, fields, size) + "</CellData>\n";
  if (!coordinates.empty()) {
    text += "<Coordinates>\n";
    for (std::size_t axis = 0; axis < 3; ++axis) {
      text += array(std::string(1, "xyz"[axis]), Precision::double_, 1, coordinates[axis], size);
    }
    text += "</Coordinates>\n";
  }
  return text + "</Piece>\n</" + kind + ">\n<AppendedData encoding=\"raw\">\n";
}

}  // namespace

std::string vtk_header(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields,
                       std::vector<Index> const& coordinates, Index size) {
  std::string text = header(mesh, time, fields, coordinates, size);
  text.resize(static_cast<std::size_t>(size) - 1, ' ');
  return text + '_';
}

Index vtk_header_size(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields) {
  constexpr Index farthest = std::numeric_limits<Index>::max();
  std::vector<PlacedField> placed = fields;
  for (PlacedField& field : placed) field.place = farthest;
  std::vector<Index> const coordinates(is_uniform(mesh) ? 0 : 3, farthest);
  auto const needed = static_cast<Index>(header(mesh, time, placed, coordinates, 0).size());
  Index size = 512;
  while (size <= needed) size *= 2;
  return size;
}

}  // namespace halocline
