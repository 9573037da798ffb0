#include "physics/advection/discretisation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/field/finite_value.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline::advection {
namespace {

constexpr char const* velocity_options[] = {"velocity.x", "velocity.y", "velocity.z"};

}  // namespace

Discretisation::Discretisation(Description description)
    : description_(std::move(description)),
      grid_(control_volume_grid(description_.mesh, Centring::cell, description_.conditions)) {}

double Discretisation::value(PointValues const& given, char const* option, std::array<double, 3> const& at) const {
  double const result = given(at);
  if (!std::isfinite(result)) throw_not_finite(description_.called + "." + option, given.text(), at, 0);
  return result;
}

Row Discretisation::row(Extents const& cell) const {
  Row row;
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    for (int const side : {-1, 1}) add_face(axis, side, cell, row);
  }
  std::array<double, 3> centre{};
  double volume = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid_.dimensions()); ++a) {
    auto const n = static_cast<std::size_t>(cell[a]);
    centre[a] = grid_.volumes[a].position[n];
    volume *= grid_.volumes[a].width[n];
  }
  row.weights[0] += volume * value(description_.reaction, "reaction", centre);
  return row;
}

void Discretisation::add_face(int axis, int side, Extents const& cell, Row& row) const {
  auto const along = static_cast<std::size_t>(axis);
  ControlVolumes const& line = grid_.volumes[along];
  Index const face = cell[along] + (side > 0 ? 1 : 0);
  // Both cells beside it see the same coefficients, also of no period.
  bool const closes_a_period = line.periodic_gap > 0 && face == line.size();
  std::array<double, 3> at{};
  double area = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid_.dimensions()); ++a) {
    auto const n = static_cast<std::size_t>(cell[a]);
    at[a] = a == along ? description_.mesh->axis(axis).edge(closes_a_period ? 0 : face) : grid_.volumes[a].position[n];
    if (a != along) area *= grid_.volumes[a].width[n];
  }
  double const outflow = side * value(description_.velocity[along], velocity_options[axis], at);
  double const k = value(description_.diffusivity, "diffusivity", at);
  if (!(k > 0)) throw_not_positive(description_.called + ".diffusivity", description_.diffusivity.described(), at);
  bool const upwind = description_.scheme == Scheme::upwind;
  double const downwind_share = outflow < 0 ? 1 : 0;  // of the value on the other side of the face

  bool const at_wall = line.periodic_gap <= 0 && (face == 0 || face == line.size());
  if (at_wall) {
    Wall const& wall = line.walls[side < 0 ? 0 : 1];
    double const share = upwind ? downwind_share : 1;
    double const weight = area * wall.source() * (k - outflow * wall.distance * share);
    row.weights[0] += wall.a * weight;
    BoundaryCondition const& condition = description_.conditions.at(axis, side);
    if (condition.kind == BoundaryKind::reflecting) return;
    double const given = condition.value(at[0], at[1], at[2], 0);
    if (!std::isfinite(given)) throw_not_finite("boundary." + face_name(axis, side), condition.value.text(), at, 0);
    row.source += weight * given;
    return;
  }
  double const conductance = line.conductance(face);
  double const half = line.width[static_cast<std::size_t>(cell[along])] / 2;
  double const share = upwind ? downwind_share : half * conductance;
  double const weight = area * (outflow * share - k * conductance);
  row.weights[2 * along + (side > 0 ? 2 : 1)] = weight;
  row.weights[0] -= weight;
  if (conductance > 0) row.peclet = larger(row.peclet, std::abs(outflow) / (k * conductance));
}

}  // namespace halocline::advection
