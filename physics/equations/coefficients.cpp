#include "physics/equations/coefficients.hpp"

#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "framework/field/boundary.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/closed_walls.hpp"
#include "physics/equations/equation_point.hpp"
#include "physics/equations/face_means.hpp"
#include "physics/equations/field_extremes.hpp"
#include "physics/equations/owned_cells.hpp"

namespace halocline {
namespace {

/// The resistance of half a cell, in a unit in which the largest diffusivity is 1: infinite where nothing diffuses,
/// also for a zero with a sign, and where no cell does.
template <class Real>
struct Resistance {
  static constexpr Shape shape = point;
  static constexpr Real infinite = std::numeric_limits<Real>::infinity();
  Real largest;
  template <class P, class K>
  KOKKOS_FUNCTION Real operator()(P const&, K const& k) const {
    return select(k[here] > 0, Real{0.5} * (largest / k[here]), Real{infinite});
  }
};

/// The inverse of the stable step of explicit Euler at a point, in units of `largest`: half the sum of the magnitudes
/// of a row of the operator, by Gershgorin's circles.
template <class Real, int Axes>
struct EulerRate {
  static constexpr Shape shape = star<1, Axes>;
  DifferenceWeights<Real> differences;
  template <class P, class R>
  KOKKOS_FUNCTION Result<double, 0, 1> operator()(P const&, R const& resistance) const {
    double sum = along_axis<0>(resistance);
    if constexpr (Axes > 1) sum += along_axis<1>(resistance);
    if constexpr (Axes > 2) sum += along_axis<2>(resistance);
    return {{}, {sum}};
  }
  template <int Axis, class R>
  KOKKOS_FUNCTION double along_axis(R const& resistance) const {
    return static_cast<double>(differences.inverse_square[Axis]) *
           (1 / static_cast<double>(resistance[here] + resistance[along<Axis, -1>]) +
            1 / static_cast<double>(resistance[here] + resistance[along<Axis, 1>]));
  }
};

template <class Real, int Axes>
double euler_rate(StructuredMesh const& mesh, Field<Real> const& resistance) {
  double largest = 0;
  for (Block const& block : mesh.blocks()) {
    Reduction<Execution, Maximum> found;
    sweep_reduce(execution(block), resistance.owned(block), Geometry<Real>{}, found, no_outputs,
                 EulerRate<Real, Axes>{difference_weights<Real>(mesh)}, resistance.view(block));
    largest = larger(largest, found.value());
  }
  return mesh.communicator().max(largest);
}

/// Sets the ghosts beyond a wall so that the sum across it is one over the diffusivity on the wall.
template <class Real>
struct ExtrapolateToWall {
  BlockView<Real> resistance;
  int axis;
  Index inward;

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index l) const {
    Index const x = axis == 0 ? inward : 0;
    Index const y = axis == 1 ? inward : 0;
    Index const z = axis == 2 ? inward : 0;
    Real const of_cell = resistance(i, j, l);
    Real const inside = Real{0.5} / of_cell;
    Real const next = Real{0.5} / resistance(i + x, j + y, l + z);
    Real const wall = wall_conductivity(inside, next, Real{0.5});
    resistance(i - x, j - y, l - z) = wall > 0 ? 1 / wall - of_cell : of_cell;
  }
};

/// On walls with a derivative, as solvers do.
template <class Real>
void extrapolate_to_walls(StructuredMesh const& mesh, BoundaryConditions const& walls, Field<Real>& resistance) {
  for (Block const& block : mesh.blocks()) {
    for (int axis = 0; axis < mesh.dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      if (mesh.axis(axis).cells() == 1) continue;
      for (int const side : {-1, 1}) {
        BoundaryKind const kind = walls.at(axis, side).kind;
        bool const has_derivative = kind == BoundaryKind::neumann || kind == BoundaryKind::robin;
        if (block.neighbour(axis, side) || !has_derivative) continue;
        IndexRange beside = resistance.owned(block);
        (side < 0 ? beside.end[a] : beside.begin[a]) = side < 0 ? beside.begin[a] + 1 : beside.end[a] - 1;
        for_box(execution(block), beside,
                ExtrapolateToWall<Real>{resistance.view(block), axis, side < 0 ? Index{1} : Index{-1}});
      }
    }
    execution(block).fence();
  }
}

/// The error of this rank's first cell with a diffusivity that is below 0 or not finite; null if there is none.
template <class Real>
std::exception_ptr error_at_wrong_cell(StructuredMesh const& mesh, Field<Real> const& field,
                                       std::string const& options) {
  try {
    for_owned_cells(mesh, field, [&](double value, auto const& position) {
      if (value >= 0 && std::isfinite(value)) return;
      std::string text = "the " + field.name();
      text.append(", which follows from ").append(options).append(", is ").append(shortest_text(value)).append(" at (");
      for (int axis = 0; axis < mesh.dimensions(); ++axis) {
        if (axis > 0) text += ", ";
        text += shortest_text(position(axis));
      }
      throw InputError(text.append("), but must be at least 0 and finite"));
    });
  } catch (InputError const&) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

template <class Real>
Fields<Real> make_fields(std::shared_ptr<Mesh const> const& mesh, std::vector<std::string> const& names, int ghosts) {
  Fields<Real> all;
  for (std::string const& name : names) {
    all.push_back(std::make_shared<Field<Real>>(mesh, FieldDescription{.name = name, .ghosts = ghosts}));
  }
  return all;
}

template <class Real>
void fill_ghosts_of_coefficients(StructuredMesh const& mesh, Fields<Real> const& fields, bool corners) {
  if (fields.empty()) return;
  std::vector<FieldBase const*> like;
  std::vector<FieldBase*> all;
  for (auto const& field : fields) {
    like.push_back(field.get());
    all.push_back(field.get());
  }
  Exchange(like, {.corners = corners}).exchange(all);
  std::vector const walls(all.size(), walls_of_kind(BoundaryKind::neumann, mesh));
  BoundaryFill(like, walls).fill(all, 0, corners ? BoundaryReach::corners : BoundaryReach::faces);
}

template <class Real>
DiffusivityOfCells<Real> diffusivity_of_cells(StructuredMesh const& mesh, Fields<Real> const& of_cells,
                                              Coefficients<Real> const& coefficients) {
  DiffusivityOfCells<Real> all;
  for (auto const& field : of_cells) {
    double const least = extreme<reduce::Minimum>(*field);
    double const largest = extreme<reduce::Maximum>(*field);
    if (!(least >= 0) || !std::isfinite(largest)) {
      mesh.communicator().agree(error_at_wrong_cell(mesh, *field, coefficients.options));
    }
    all.of_fields.push_back({largest, nullptr});
  }
  if (!coefficients.vary) return all;
  fill_ghosts_of_coefficients(mesh, of_cells, false);
  for (std::size_t n = 0; n < of_cells.size(); ++n) {
    std::shared_ptr<Field<Real>> resistance = of_cells[n];
    if (coefficients.is_solved_for || !coefficients.is_swept) {
      all.of_fields[n].of_cells = of_cells[n];
      all.of_fields[n].mean = coefficients.mean;
    }
    if (!coefficients.is_swept) continue;
    if (coefficients.is_solved_for) {
      resistance = make_fields<Real>(of_cells[n]->shared_mesh(), {"resistance"}, of_cells[n]->ghosts()).front();
    }
    auto const largest = static_cast<Real>(all.of_fields[n].largest);
    for (Block const& block : mesh.blocks()) {
      sweep(execution(block), resistance->owned(block), Geometry<Real>{}, resistance->view(block),
            Resistance<Real>{largest}, std::as_const(*of_cells[n]).view(block));
    }
    all.resistances.push_back(std::move(resistance));
  }
  if (!coefficients.is_swept) return all;
  fill_ghosts_of_coefficients(mesh, all.resistances, false);
  for (std::size_t n = 0; n < of_cells.size(); ++n) {
    Field<Real>& resistance = *all.resistances[n];
    extrapolate_to_walls(mesh, coefficients.walls[n], resistance);
    double const in_units_of_largest = mesh.dimensions() == 1   ? euler_rate<Real, 1>(mesh, resistance)
                                       : mesh.dimensions() == 2 ? euler_rate<Real, 2>(mesh, resistance)
                                                                : euler_rate<Real, 3>(mesh, resistance);
    all.of_fields[n].euler_rate = in_units_of_largest * all.of_fields[n].largest;
  }
  return all;
}

#define HALOCLINE_INSTANTIATE(Real)                                                                            \
  template Fields<Real> make_fields(std::shared_ptr<Mesh const> const&, std::vector<std::string> const&, int); \
  template void fill_ghosts_of_coefficients(StructuredMesh const&, Fields<Real> const&, bool);                 \
  template DiffusivityOfCells<Real> diffusivity_of_cells(StructuredMesh const&, Fields<Real> const&,           \
                                                         Coefficients<Real> const&);
HALOCLINE_INSTANTIATE(float)
HALOCLINE_INSTANTIATE(double)
#undef HALOCLINE_INSTANTIATE

}  // namespace halocline
