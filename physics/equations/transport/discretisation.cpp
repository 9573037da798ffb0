#include "physics/equations/transport/discretisation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/field/finite_value.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "physics/equations/face_means.hpp"

namespace halocline::transport {
namespace {

constexpr char const* axes[] = {".x", ".y", ".z"};

/// How much shorter than 2 k / v^2 steps of imex_ark3 must be, relative to its stable factor.
constexpr double central_transport = 2.5;

double finite(PointValues const& given, std::string const& section, char const* option,
              std::array<double, 3> const& at) {
  double const result = given(at);
  if (!std::isfinite(result)) throw_not_finite(section + option, given.text(), at, 0);
  return result;
}

}  // namespace

Discretisation::Discretisation(Description description)
    : description_(std::move(description)),
      grid_(control_volume_grid(description_.mesh, Centring::cell, description_.conditions)) {}

std::array<double, 3> Discretisation::centre(Extents const& cell) const {
  std::array<double, 3> centre{};
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid_.dimensions()); ++a)
    centre[a] = grid_.volumes[a].position[static_cast<std::size_t>(cell[a])];
  return centre;
}

double Discretisation::diffusivity(std::array<double, 3> const& at) const {
  double const k = finite(description_.diffusivity, description_.called, ".diffusivity", at);
  if (k > 0 || (k == 0 && description_.may_lack_diffusion)) return k;
  std::string const called = description_.called + ".diffusivity";
  if (description_.may_lack_diffusion) throw_negative(called, description_.diffusivity.described(), at);
  throw_not_positive(called, description_.diffusivity.described(), at);
}

Row Discretisation::row(Extents const& cell) const {
  Row row;
  Rates rates;
  double const inside = diffusivity(centre(cell));
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    for (int const side : {-1, 1}) add_face(axis, side, cell, inside, row, rates);
  }
  double volume = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid_.dimensions()); ++a)
    volume *= grid_.volumes[a].width[static_cast<std::size_t>(cell[a])];
  bool const reacts = description_.terms != Terms::diffusion;
  double const reaction =
      reacts ? volume * finite(description_.reaction, description_.called, ".reaction", centre(cell)) : 0;
  row.weights[0] += reaction;
  double twice = 0;
  if (description_.scheme == Scheme::upwind) {
    for (double const weight : row.weights) twice += std::abs(weight);
  } else {
    bool const alone = description_.terms == Terms::transport;
    for (std::size_t a = 0; a < 3; ++a)
      twice += alone ? central_transport * rates.advection[a] : std::max(rates.diffusion[a], rates.advection[a]);
    twice += std::abs(rates.reaction + reaction);
  }
  row.rate = twice / (2 * volume);
  if (description_.scale != 1) {
    for (double& weight : row.weights) weight *= description_.scale;
  }
  row.weights[0] += description_.mass * volume;
  return row;
}

Discretisation::Face Discretisation::face(int axis, int side, Extents const& cell) const {
  auto const along = static_cast<std::size_t>(axis);
  ControlVolumes const& line = grid_.volumes[along];
  Index const number = cell[along] + (side > 0 ? 1 : 0);
  // Both cells beside the face use the same coefficients, even if these are not periodic.
  bool const closes_a_period = line.periodic_gap > 0 && number == line.size();
  Face face;
  face.at = centre(cell);
  face.at[along] = description_.mesh->axis(axis).edge(closes_a_period ? 0 : number);
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid_.dimensions()); ++a) {
    if (a != along) face.area *= grid_.volumes[a].width[static_cast<std::size_t>(cell[a])];
  }
  if (description_.terms != Terms::diffusion)
    face.outflow = side * finite(description_.velocity[along], description_.flow_called, axes[axis], face.at);
  bool const at_wall = line.periodic_gap <= 0 && (number == 0 || number == line.size());
  if (at_wall) {
    face.wall = &line.walls[side < 0 ? 0 : 1];
    face.k = diffusivity(face.at);
  }
  return face;
}

double Discretisation::wall_weight(Face const& face) const {
  bool const takes_value = description_.scheme == Scheme::central || face.outflow < 0;
  double const share = takes_value ? 1 : 0;
  return face.area * face.wall->source() * (diffusive() * face.k - face.outflow * face.wall->distance * share);
}

double Discretisation::wall_weight(int axis, int side, Extents const& cell) const {
  return wall_weight(face(axis, side, cell));
}

void Discretisation::add_face(int axis, int side, Extents const& cell, double inside, Row& row, Rates& rates) const {
  auto const along = static_cast<std::size_t>(axis);
  Face face = this->face(axis, side, cell);
  if (face.wall != nullptr) {
    double const weight = wall_weight(face);
    row.weights[0] += face.wall->a * weight;
    double const diffusion = diffusive() * face.area * face.wall->conductance() * face.k;
    rates.diffusion[along] += diffusion;
    rates.reaction += face.wall->a * weight - diffusion;
    return;
  }
  ControlVolumes const& line = grid_.volumes[along];
  Extents neighbour = cell;
  neighbour[along] = (cell[along] + side + line.size()) % line.size();
  face.k = harmonic_mean(inside, diffusivity(centre(neighbour)));
  double const conductance = line.conductance(cell[along] + (side > 0 ? 1 : 0));
  double const half = line.width[static_cast<std::size_t>(cell[along])] / 2;
  // Weight of the value on the other side of the face.
  double const downwind_share = face.outflow < 0 ? 1 : 0;
  double const share = description_.scheme == Scheme::upwind ? downwind_share : half * conductance;
  double const weight = face.area * (face.outflow * share - diffusive() * face.k * conductance);
  row.weights[2 * along + (side > 0 ? 2 : 1)] = weight;
  row.weights[0] -= weight;
  if (conductance > 0 && face.outflow != 0)
    row.peclet = larger(row.peclet, std::abs(face.outflow) / (face.k * conductance));
  double const flow = face.area * face.outflow;
  double const diffusion = face.area * face.k * conductance;
  row.left_over += flow;
  row.flow_through = larger(row.flow_through, std::abs(flow));
  rates.diffusion[along] += 2 * diffusion;
  if (flow != 0) rates.advection[along] += flow * flow / (2 * diffusion);
  rates.reaction -= flow * share;
}

}  // namespace halocline::transport
