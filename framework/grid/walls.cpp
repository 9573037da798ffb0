#include "framework/grid/walls.hpp"

#include <algorithm>
#include <string>

#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

bool is_periodic(Options const& mesh, std::size_t axis) {
  return mesh.has("periodic") && mesh.booleans("periodic")[axis];
}

void validate_robin(Options const& wall, double a, double b, Centring centring, Mistakes& mistakes) {
  std::string const kind = wall.choice("kind");
  bool const is_law = kind != to_string(BoundaryKind::robin);  // whose own options determine `a` and `b`
  if (a * b < 0) {
    add_mistake(wall,
                is_law            ? "kind"
                : wall.given("a") ? "a"
                                  : "b",
                kind + " needs `a` and `b` of one sign, got " + shortest_text(a) + " and " + shortest_text(b),
                mistakes);
  } else if (centring == Centring::node && b == 0) {
    add_mistake(wall, is_law ? "kind" : "b", kind + " with b = 0 on nodes", mistakes, "use dirichlet instead");
  }
}

void validate_wall(Options const& wall, Centring centring, Mistakes& mistakes) {
  BoundaryCondition const condition = boundary_condition(wall);
  if (condition.kind == BoundaryKind::zero) {
    add_mistake(wall, "kind", "`zero` does not determine the flux through the wall", mistakes,
                "use dirichlet, neumann, robin or reflecting");
  }
  if (condition.kind == BoundaryKind::robin) validate_robin(wall, condition.a, condition.b, centring, mistakes);
}

void validate_nodes(Options const& boundary, Options const& mesh, Mistakes& mistakes) {
  std::vector<std::int64_t> const cells = mesh.integers("cells");
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    auto const is_given = [&](int side) {
      return boundary_condition(boundary.section(face_name(static_cast<int>(axis), side))).kind ==
             BoundaryKind::dirichlet;
    };
    if (cells[axis] > 1 || is_periodic(mesh, axis) || !is_given(-1) || !is_given(1)) continue;
    add_mistake(mesh, "cells",
                "both nodes of axis " + std::string(1, "xyz"[axis]) +
                    " lie on walls with a given value: two cells or more are needed",
                mistakes);
  }
}

}  // namespace

std::vector<Options> walls(Options const& boundary, Options const& mesh) {
  std::vector<Options> all;
  for (std::size_t axis = 0; axis < mesh.entries("cells"); ++axis) {
    if (is_periodic(mesh, axis)) continue;
    for (int const side : {-1, 1}) all.push_back(boundary.section(face_name(static_cast<int>(axis), side)));
  }
  return all;
}

bool walls_make_regular(Options const& boundary, Options const& mesh) {
  std::vector<Options> const all = walls(boundary, mesh);
  return std::any_of(all.begin(), all.end(), [](Options const& wall) {
    BoundaryCondition const condition = boundary_condition(wall);
    return condition.kind == BoundaryKind::dirichlet || (condition.kind == BoundaryKind::robin && condition.a != 0);
  });
}

void validate_walls(Options const& boundary, Options const& mesh, Centring centring, Mistakes& mistakes) {
  validate_boundary(boundary, mesh, mistakes);
  for (Options const& wall : walls(boundary, mesh)) validate_wall(wall, centring, mistakes);
  if (centring == Centring::node) validate_nodes(boundary, mesh, mistakes);
}

}  // namespace halocline
