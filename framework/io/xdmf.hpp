#pragma once

#include <span>
#include <string>

#include "framework/io/stored_field.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Path of a field in snapshots: on a mesh "VTKHDF/CellData/u"; for points "VTKHDF/PointData/mass" and "VTKHDF/Points".
/// Throws DefectError for a field on faces.
[[nodiscard]] std::string dataset_of(Mesh const& mesh, FieldDescription const& field);

/// The text of an XDMF file that presents snapshots as a time series on a structured grid or on points.
class XdmfSeries {
 public:
  /// `mesh_file` has the edges of a structured grid along x, y and z; names are relative to the XDMF file.
  XdmfSeries(Mesh const& mesh, std::string const& mesh_file);

  void add(std::string const& file, double time, Mesh const& mesh, std::span<StoredField const> fields);
  [[nodiscard]] std::string text() const;

 private:
  std::string grid_;  ///< common to all snapshots: topology and, for a structured grid, geometry
  std::string snapshots_;
};

}  // namespace halocline
