#include "framework/grid/control_volumes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

ControlVolumes space_for(Index size) {
  ControlVolumes all;
  all.position.reserve(place(size));
  all.width.reserve(place(size));
  return all;
}

ControlVolumes cells_of(Axis const& axis) {
  ControlVolumes all = space_for(axis.cells());
  for (Index i = 0; i < axis.cells(); ++i) {
    all.position.push_back(axis.centre(i));
    all.width.push_back(axis.width(i));
  }
  return all;
}

ControlVolumes nodes_of(Axis const& axis, bool periodic, std::array<bool, 2> given) {
  Index const last = axis.cells() - (periodic || given[1] ? 1 : 0);
  ControlVolumes all = space_for(last + 1);
  all.first_entry = given[0] ? 1 : 0;
  for (Index i = all.first_entry; i <= last; ++i) {
    double const below = i > 0 ? axis.width(i - 1) : (periodic ? axis.width(axis.cells() - 1) : 0);
    double const above = i < axis.cells() ? axis.width(i) : 0;
    all.position.push_back(axis.edge(i));
    all.width.push_back((below + above) / 2);
  }
  return all;
}

Wall wall_of(BoundaryCondition const& condition, std::string const& face, double distance) {
  switch (condition.kind) {
    case BoundaryKind::dirichlet:
      return {1, 0, distance};
    case BoundaryKind::neumann:
    case BoundaryKind::reflecting:
      return {0, 1, distance};
    case BoundaryKind::robin: {
      bool const definite = condition.a * condition.b >= 0 && condition.a * distance + condition.b != 0;
      if (definite) return {condition.a, condition.b, distance};
      throw InputError("the robin condition on the " + face +
                       " face needs `a` and `b` of one sign, and `b` not zero on nodes");
    }
    case BoundaryKind::periodic:
    case BoundaryKind::zero:
      break;
  }
  throw InputError("`" + to_string(condition.kind) + "` does not determine the flux through the " + face + " face");
}

/// Throws for a condition on a face that a periodic axis does not have. `zero` is what no condition is.
void require_no_wall(int axis, BoundaryConditions const& conditions) {
  for (int const side : {-1, 1}) {
    BoundaryKind const kind = conditions.at(axis, side).kind;
    if (kind == BoundaryKind::periodic || kind == BoundaryKind::zero) continue;
    throw InputError("the " + face_name(axis, side) + " wall is " + to_string(kind) +
                     ", but the mesh is periodic along " + std::string(1, "xyz"[axis]) +
                     " and has no such wall; make the face or the mesh the other kind");
  }
}

}  // namespace

double ControlVolumes::conductance(Index f) const {
  if (f > 0 && f < size()) return 1 / (position[place(f)] - position[place(f - 1)]);
  // A single unknown that is its own neighbour has no flux to itself.
  if (periodic_gap > 0) return size() > 1 ? 1 / periodic_gap : 0;
  return walls[f == 0 ? 0 : 1].conductance();
}

bool ControlVolumes::is_uniform() const {
  // Positions are rounded, so that the rounding of a difference is relative to the positions, not to the difference.
  double const reach = std::max(std::abs(position.front()), std::abs(position.back())) + width.front();
  double const rounding = 8 * std::numeric_limits<double>::epsilon() * reach;
  for (Index i = 1; i < size(); ++i) {
    double const gap = position[place(i)] - position[place(i - 1)];
    if (std::abs(width[place(i)] - width[0]) > rounding || std::abs(gap - width[0]) > rounding) return false;
  }
  return periodic_gap <= 0 || std::abs(periodic_gap - width[0]) <= rounding;
}

ControlVolumes ControlVolumes::merged(std::vector<Index> const& first_child) const {
  ControlVolumes coarse;
  for (std::size_t c = 0; c + 1 < first_child.size(); ++c) {
    double const origin = position[place(first_child[c])];
    double moment = 0;
    double total = 0;
    for (Index i = first_child[c]; i < first_child[c + 1]; ++i) {
      total += width[place(i)];
      moment += width[place(i)] * (position[place(i)] - origin);
    }
    coarse.position.push_back(origin + moment / total);
    coarse.width.push_back(total);
  }
  double const moved_lower = coarse.position.front() - position.front();
  double const moved_upper = position.back() - coarse.position.back();
  coarse.walls = walls;
  coarse.walls[0].distance += moved_lower;
  coarse.walls[1].distance += moved_upper;
  if (periodic_gap > 0) coarse.periodic_gap = periodic_gap + moved_lower + moved_upper;
  return coarse;
}

double conductance_ratio(ControlVolumes const& fine, ControlVolumes const& coarse, Index fine_face, Index coarse_face) {
  double const from = fine.conductance(fine_face);
  return from > 0 ? coarse.conductance(coarse_face) / from : 0;
}

double source_ratio(Wall const& fine, Wall const& coarse) {
  return fine.source() > 0 ? coarse.source() / fine.source() : 1;
}

ControlVolumes control_volumes(StructuredMesh const& mesh, int axis, Centring centring,
                               BoundaryConditions const& conditions) {
  if (centring != Centring::cell && centring != Centring::node) {
    throw DefectError("control volumes surround cells or nodes");
  }
  Axis const& line = mesh.axis(axis);
  if (axis >= mesh.dimensions()) return cells_of(line);
  bool const periodic = mesh.periodic(axis);
  if (periodic) require_no_wall(axis, conditions);
  auto const given = [&](int side) { return !periodic && conditions.at(axis, side).kind == BoundaryKind::dirichlet; };
  ControlVolumes all = centring == Centring::cell ? cells_of(line) : nodes_of(line, periodic, {given(-1), given(1)});
  if (all.position.empty()) {
    throw InputError("all nodes of an axis lie on walls with a given value: it needs two cells or more");
  }
  double const to_lower = all.position.front() - line.lower();
  double const to_upper = line.upper() - all.position.back();
  if (periodic) {
    all.periodic_gap = to_lower + to_upper;
  } else {
    all.walls = {wall_of(conditions.at(axis, -1), face_name(axis, -1), to_lower),
                 wall_of(conditions.at(axis, 1), face_name(axis, 1), to_upper)};
  }
  return all;
}

}  // namespace halocline
