#pragma once

#include <string>
#include <vector>

#include "framework/io/stored_field.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Where the values of something lie in a file: their first byte, which follows their number of bytes.
struct PlacedField {
  StoredField field;
  Index place = 0;
};

/// The beginning of a file that VTK reads as an XML file, ImageData of a uniform mesh and RectilinearGrid of a
/// stretched one, with raw values after the text (VTK's "appended" data). The text is filled up with blanks to `size`
/// bytes, which is a multiple of 512 and no less than vtk_header_size(). \param coordinates places of the positions of
/// nodes along x, y and z, each a list of doubles with one 0 for an axis
///   that the mesh does not have; empty of a uniform mesh
[[nodiscard]] std::string vtk_header(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields,
                                     std::vector<Index> const& coordinates, Index size);

/// Bytes to keep for the header of such a file: 512 times a power of two.
[[nodiscard]] Index vtk_header_size(StructuredMesh const& mesh, double time, std::vector<PlacedField> const& fields);

}  // namespace halocline
