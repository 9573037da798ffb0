#pragma once

#include <string>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Where snapshots keep a field: "VTKHDF/CellData/u". Throws DefectError for a field on faces.
[[nodiscard]] std::string dataset_of(FieldBase const& field);

/// The text of an XDMF file that presents snapshots as one series in time on a structured grid.
class XdmfSeries {
 public:
  /// `mesh_file` holds the edges along x, y and z; names are relative to the XDMF file.
  XdmfSeries(StructuredMesh const& mesh, std::string const& mesh_file);

  void add(std::string const& file, double time, StructuredMesh const& mesh, std::span<FieldBase const* const> fields);
  [[nodiscard]] std::string text() const;

 private:
  std::string grid_;  ///< topology and geometry, the same for each snapshot
  std::string snapshots_;
};

}  // namespace halocline
