#pragma once

#include <span>
#include <string>

#include "framework/io/stored_field.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Where snapshots keep a field on a mesh: "VTKHDF/CellData/u"; of points "VTKHDF/PointData/mass" and "VTKHDF/Points".
/// Throws DefectError for a field on faces.
[[nodiscard]] std::string dataset_of(Mesh const& mesh, FieldDescription const& field);

/// The text of an XDMF file that presents snapshots as one series in time on a structured grid or of points.
class XdmfSeries {
 public:
  /// `mesh_file` holds the edges of a structured grid along x, y and z; names are relative to the XDMF file.
  XdmfSeries(Mesh const& mesh, std::string const& mesh_file);

  void add(std::string const& file, double time, Mesh const& mesh, std::span<StoredField const> fields);
  [[nodiscard]] std::string text() const;

 private:
  std::string grid_;  ///< what is the same for each snapshot: topology and, of a structured grid, geometry
  std::string snapshots_;
};

}  // namespace halocline
