#pragma once

#include "framework/deck/options.hpp"
#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Walls of one kind with the value 0, where the mesh is not periodic.
[[nodiscard]] BoundaryConditions walls_of_kind(BoundaryKind kind, StructuredMesh const& mesh);
/// Whether all fields are zero beyond every wall.
[[nodiscard]] bool are_zero(BoundaryConditions const& walls);
/// Whether walls add nothing to a linear operator, which they leave symmetric: values and normal derivatives are zero.
[[nodiscard]] bool are_homogeneous(BoundaryConditions const& walls);
/// Whether there is no flux through any wall: each reflects, has a zero normal derivative, or does not exist because
/// the axis is periodic.
[[nodiscard]] bool are_closed(BoundaryConditions const& walls, StructuredMesh const& mesh);
/// The same for the section `boundary` in `own`, with `source` zero as well.
[[nodiscard]] bool lets_nothing_in(Options const& own, StructuredMesh const& mesh);

}  // namespace halocline
