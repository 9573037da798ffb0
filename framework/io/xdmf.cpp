#include "framework/io/xdmf.hpp"

#include <array>

#include "framework/io/output_boxes.hpp"
#include "framework/io/xml.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

/// Slowest axis first, as XDMF requires. A plane has two numbers, since readers count no cells along an axis of one
/// node.
std::string sizes(Mesh const& mesh, Extents const& extents) {
  std::string const plane = std::to_string(extents[1]) + ' ' + std::to_string(extents[0]);
  return mesh.dimensions() == 2 ? plane : std::to_string(extents[2]) + ' ' + plane;
}

std::string data_item(std::string const& dimensions, std::size_t bytes, std::string const& format,
                      std::string const& content) {
  return "<DataItem Dimensions=\"" + dimensions + "\" NumberType=\"Float\" Precision=\"" + std::to_string(bytes) +
         "\" Format=\"" + format + "\">" + content + "</DataItem>";
}

std::string uniform_grid(StructuredMesh const& mesh) {
  std::string origin;
  std::string spacing;
  for (int axis = 2; axis >= 0; --axis) {
    bool const exists = axis < mesh.dimensions();
    origin += shortest_text(exists ? mesh.axis(axis).lower() : 0) + ' ';
    spacing += shortest_text(exists ? mesh.axis(axis).spacing() : 1) + ' ';
  }
  return "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" +
         sizes(mesh, output_extents(mesh, Centring::node)) +
         "\"/>\n      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n        " + data_item("3", 8, "XML", origin) +
         "\n        " + data_item("3", 8, "XML", spacing) + "\n      </Geometry>\n";
}

std::string rectilinear_grid(StructuredMesh const& mesh, std::string const& mesh_file) {
  constexpr std::array<char const*, 3> names{"x", "y", "z"};
  Extents const nodes = output_extents(mesh, Centring::node);
  bool const is_plane = mesh.dimensions() == 2;
  std::string grid = "      <Topology TopologyType=\"" + std::string(is_plane ? "2DRectMesh" : "3DRectMesh") +
                     "\" Dimensions=\"" + sizes(mesh, nodes) + "\"/>\n      <Geometry GeometryType=\"" +
                     (is_plane ? "VXVY" : "VXVYVZ") + "\">\n";
  for (std::size_t axis = 0; axis < (is_plane ? 2U : 3U); ++axis) {
    bool const exists = static_cast<int>(axis) < mesh.dimensions();
    grid += "        " +
            (exists ? data_item(std::to_string(nodes[axis]), 8, "HDF", mesh_file + ":/" + names[axis])
                    : data_item("1", 8, "XML", "0")) +
            '\n';
  }
  return grid + "      </Geometry>\n";
}

std::string grid_of(Mesh const& mesh, std::string const& mesh_file) {
  if (PointSet const* const points = as_points(mesh)) {
    return "      <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"" + std::to_string(points->points()) +
           "\"/>\n";
  }
  StructuredMesh const& grid = structured(mesh);
  // VTK's reader puts a uniform plane across the x axis.
  bool const has_spacing = is_uniform(grid) && grid.dimensions() != 2;
  return has_spacing ? uniform_grid(grid) : rectilinear_grid(grid, mesh_file);
}

/// Refers to the values of a field in a snapshot.
std::string values_of(std::string const& file, Mesh const& mesh, StoredField const& field) {
  FieldDescription const& described = field.description;
  Extents const extents = output_extents(mesh, described.centring);
  std::string dimensions = as_points(mesh) != nullptr ? std::to_string(extents[0]) : sizes(mesh, extents);
  if (described.components > 1) dimensions += ' ' + std::to_string(described.components);
  return data_item(dimensions, field.bytes_per_number(), "HDF", xml_text(file + ":/" + dataset_of(mesh, described)));
}

std::string attribute_type(FieldDescription const& field) {
  if (field.components == 1) return "Scalar";
  // Readers add a third component, 0, to a vector of two.
  return field.components <= 3 ? "Vector" : "Matrix";
}

}  // namespace

std::string dataset_of(Mesh const& mesh, FieldDescription const& field) {
  if (as_points(mesh) != nullptr) return field.position ? "VTKHDF/Points" : "VTKHDF/PointData/" + field.name;
  switch (field.centring) {
    case Centring::cell:
      return "VTKHDF/CellData/" + field.name;
    case Centring::node:
      return "VTKHDF/PointData/" + field.name;
    default:
      throw DefectError("field " + field.name + " lives on faces; snapshots hold fields on cells and nodes");
  }
}

XdmfSeries::XdmfSeries(Mesh const& mesh, std::string const& mesh_file) : grid_(grid_of(mesh, mesh_file)) {}

void XdmfSeries::add(std::string const& file, double time, Mesh const& mesh, std::span<StoredField const> fields) {
  snapshots_ += "    <Grid Name=\"mesh\">\n      <Time Value=\"" + shortest_text(time) + "\"/>\n" + grid_;
  for (StoredField const& field : fields) {
    FieldDescription const& described = field.description;
    std::string const values = values_of(file, mesh, field);
    if (described.position) {
      snapshots_ += "      <Geometry GeometryType=\"XYZ\">" + values + "</Geometry>\n";
      continue;
    }
    bool const on_cells = described.centring == Centring::cell && as_points(mesh) == nullptr;
    snapshots_ += "      <Attribute Name=\"" + xml_text(described.name) + "\" Center=\"" +
                  (on_cells ? "Cell" : "Node") + "\" AttributeType=\"" + attribute_type(described) + "\">" + values +
                  "</Attribute>\n";
  }
  snapshots_ += "    </Grid>\n";
}

std::string XdmfSeries::text() const {
  return "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n"
         "  <Grid Name=\"snapshots\" GridType=\"Collection\" CollectionType=\"Temporal\">\n" +
         snapshots_ + "  </Grid>\n</Domain>\n</Xdmf>\n";
}

}  // namespace halocline
