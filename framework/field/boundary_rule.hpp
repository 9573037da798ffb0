#pragma once

#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// A condition for one ghost layer: u_ghost = mirror * u_mirror + wall * u_wall + value * v.
struct LayerRule {
  double mirror = 0;
  double wall = 0;
  double value = 0;
};

/// A condition for one component on one face of a block.
struct FaceRule {
  bool writes_wall = false;       ///< the owned entry on the wall becomes wall_value * v
  double wall_value = 0;          ///< factor of v on the wall
  std::vector<LayerRule> layers;  ///< from the wall outwards
};

/// The formulas of BoundaryFill for `ghosts` layers on one face of the mesh. Throws InputError as BoundaryFill does.
///
/// \param normal the component is a vector's normal component on this face
[[nodiscard]] FaceRule face_rule(BoundaryCondition const& condition, StructuredMesh const& mesh, Centring centring,
                                 int ghosts, int axis, int side, bool normal);

}  // namespace halocline
