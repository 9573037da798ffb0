#pragma once

#include "framework/deck/options.hpp"
#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Whether nothing passes any wall of the mesh: each reflects, or has a normal derivative of zero, or there is none
/// because the axis is periodic.
[[nodiscard]] bool are_closed(BoundaryConditions const& walls, StructuredMesh const& mesh);
/// The same of the section `boundary` in `own`, whose `source` is zero, too.
[[nodiscard]] bool lets_nothing_in(Options const& own, StructuredMesh const& mesh);

}  // namespace halocline
