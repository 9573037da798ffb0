#include "framework/field/boundary_rule.hpp"

#include <cmath>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

/// Distance between a ghost of layer n (from 1) and its mirror image, from their positions on the mesh.
double mirror_distance(StructuredMesh const& mesh, Centring centring, int axis, int side, Index layer) {
  Index const last = mesh.extents(centring)[static_cast<std::size_t>(axis)] - 1;
  Index const inwards = on_edges(centring, axis) ? layer : layer - 1;
  Index const ghost = side < 0 ? -layer : last + layer;
  Index const mirror = side < 0 ? inwards : last - inwards;
  return std::abs(mesh.coordinate(axis, centring, ghost) - mesh.coordinate(axis, centring, mirror));
}

LayerRule robin_between(BoundaryCondition const& condition, double distance, std::string const& face) {
  double const ghost = condition.a / 2 + condition.b / distance;
  // If the denominator cancels, the ghost has no correct digit.
  if (!(std::abs(ghost) > 1e-12 * (std::abs(condition.a) + std::abs(condition.b) / distance))) {
    throw InputError("boundary." + face + ": robin with a = " + shortest_text(condition.a) +
                     " and b = " + shortest_text(condition.b) + " does not determine the ghost: a / 2 + b / d is zero");
  }
  return {-(condition.a / 2 - condition.b / distance) / ghost, 0, 1 / ghost};
}

LayerRule layer_rule(BoundaryCondition const& condition, bool on_wall, double distance, bool normal,
                     std::string const& face) {
  switch (condition.kind) {
    case BoundaryKind::dirichlet:
      return {-1, 0, 2};
    case BoundaryKind::neumann:
      return {1, 0, distance};
    case BoundaryKind::robin:
      if (on_wall) return {1, -distance * condition.a / condition.b, distance / condition.b};
      return robin_between(condition, distance, face);
    case BoundaryKind::reflecting:
      return {normal ? -1.0 : 1.0, 0, 0};
    default:
      return {0, 0, 0};
  }
}

}  // namespace

FaceRule face_rule(BoundaryCondition const& condition, StructuredMesh const& mesh, Centring centring, int ghosts,
                   int axis, int side, bool normal) {
  bool const on_wall = on_edges(centring, axis);
  std::string const face = face_name(axis, side);
  if (condition.kind == BoundaryKind::robin && on_wall && condition.b == 0) {
    throw InputError("boundary." + face + ": robin with b = 0 on " + to_string(centring) +
                     " entries, which lie on the wall: use dirichlet instead");
  }
  FaceRule rule;
  rule.writes_wall =
      on_wall && (condition.kind == BoundaryKind::dirichlet || (condition.kind == BoundaryKind::reflecting && normal));
  rule.wall_value = condition.kind == BoundaryKind::dirichlet ? 1 : 0;
  for (Index layer = 1; layer <= ghosts; ++layer) {
    double const distance = mirror_distance(mesh, centring, axis, side, layer);
    rule.layers.push_back(layer_rule(condition, on_wall, distance, normal, face));
  }
  return rule;
}

}  // namespace halocline
