#pragma once

#include <string>
#include <vector>

#include "framework/io/stored_field.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Offset of values in a file: of their first byte, directly after their number of bytes.
struct PlacedField {
  StoredField field;
  Index place = 0;
};

/// Header of a file that VTK reads as an XML file with raw values after the text ("appended" data): ImageData for a
/// uniform mesh, RectilinearGrid for a stretched one. The text is padded with blanks to `size` bytes, a multiple of 512
/// and at least vtk_header_size().
/// \param coordinates offsets of the node positions along x, y and z, each a list of doubles with one 0 for an axis
/// that the mesh does not have; empty for a uniform mesh
[[nodiscard]] std::string vtk_header(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields,
                                     std::vector<Index> const& coordinates, Index size);

/// Bytes to reserve for the header of such a file: 512 times a power of two.
[[nodiscard]] Index vtk_header_size(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields);

}  // namespace halocline
