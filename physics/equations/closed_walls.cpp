#include "physics/equations/closed_walls.hpp"

#include <algorithm>

#include "framework/deck/field_source.hpp"
#include "framework/field/boundary_section.hpp"

namespace halocline {

BoundaryConditions walls_of_kind(BoundaryKind kind, StructuredMesh const& mesh) {
  BoundaryConditions walls = BoundaryConditions::all({.kind = kind});
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    if (!mesh.periodic(axis)) continue;
    for (int const side : {-1, 1}) walls.at(axis, side).kind = BoundaryKind::periodic;
  }
  return walls;
}

bool are_zero(BoundaryConditions const& walls) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : {-1, 1}) {
      BoundaryKind const kind = walls.at(axis, side).kind;
      if (kind != BoundaryKind::zero && kind != BoundaryKind::periodic) return false;
    }
  }
  return true;
}

bool are_homogeneous(BoundaryConditions const& walls) {
  return std::all_of(walls.faces.begin(), walls.faces.end(), [](BoundaryCondition const& wall) {
    bool const has_value = wall.kind == BoundaryKind::dirichlet || wall.kind == BoundaryKind::neumann;
    if (has_value) return wall.value.is_constant() && wall.value(0, 0, 0, 0) == 0;
    return wall.kind != BoundaryKind::robin;
  });
}

bool are_closed(BoundaryConditions const& walls, StructuredMesh const& mesh) {
  auto const is_zero = [](Expression const& value) { return value.is_constant() && value(0, 0, 0, 0) == 0; };
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    if (mesh.periodic(axis)) continue;
    for (int const side : {-1, 1}) {
      BoundaryCondition const& wall = walls.at(axis, side);
      bool const is_closed =
          wall.kind == BoundaryKind::reflecting || (wall.kind == BoundaryKind::neumann && is_zero(wall.value));
      if (!is_closed) return false;
    }
  }
  return true;
}

bool lets_nothing_in(Options const& own, StructuredMesh const& mesh) {
  return own.field("source").is_zero() && are_closed(make_boundary_conditions(own.section("boundary"), mesh), mesh);
}

}  // namespace halocline
