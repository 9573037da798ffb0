#pragma once

#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// A condition as one ghost layer sees it: u_ghost = mirror * u_mirror + wall * u_wall + value * v.
struct LayerRule {
  double mirror = 0;
  double wall = 0;
  double value = 0;
};

/// A condition on one face of a block, for one component.
struct FaceRule {
  bool writes_wall = false;       ///< the owned entry on the wall becomes wall_value * v
  double wall_value = 0;          ///< factor of v on the wall
  std::vector<LayerRule> layers;  ///< from the wall outwards
};

/// The formulas of BoundaryFill for `ghosts` layers on one face of the mesh.
///
/// \param normal the component is that of a vector along the face's normal
[[nodiscard]] FaceRule face_rule(BoundaryCondition const& condition, StructuredMesh const& mesh, Centring centring,
                                 int ghosts, int axis, int side, bool normal);

}  // namespace halocline
