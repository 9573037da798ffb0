#include "physics/equations/coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "framework/field/boundary.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/field_extremes.hpp"

namespace halocline {
namespace {

/// The resistance of half a cell, in a unit in which the largest diffusivity is 1: infinite where nothing diffuses.
template <class Real>
struct Resistance {
  static constexpr Shape shape = point;
  Real largest;
  template <class P, class K>
  KOKKOS_FUNCTION Real operator()(P const&, K const& k) const {
    return Real{0.5} * (largest / k[here]);
  }
};

/// The error of this rank's first cell with a diffusivity that is below 0 or not finite; null if there is none.
template <class Real>
std::exception_ptr error_at_wrong_cell(StructuredMesh const& mesh, Field<Real> const& field) {
  for (Block const& block : mesh.blocks()) {
    IndexRange const owned = field.owned(block);
    std::vector<Real> cells(static_cast<std::size_t>(owned.size()));
    field.copy_owned(block, 0, std::as_writable_bytes(std::span(cells)));
    auto const wrong =
        std::find_if(cells.begin(), cells.end(), [](Real value) { return !(value >= 0) || std::isinf(value); });
    if (wrong == cells.end()) continue;
    Index const row = (wrong - cells.begin()) / owned.extent(0);
    Extents const cell{(wrong - cells.begin()) % owned.extent(0), row % owned.extent(1), row / owned.extent(1)};
    std::string place;
    for (int axis = 0; axis < mesh.dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      if (axis > 0) place += ", ";
      place += shortest_text(mesh.coordinate(axis, Centring::cell, block.cells.begin[a] + cell[a]));
    }
    return std::make_exception_ptr(InputError("the " + field.name() + ", which follows from the coefficients, is " +
                                              shortest_text(static_cast<double>(*wrong)) + " at (" + place +
                                              "), but must be at least 0 and finite"));
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
void fill_ghosts_of_coefficients(StructuredMesh const& mesh, Fields<Real> const& coefficients, bool corners) {
  if (coefficients.empty()) return;
  std::vector<FieldBase const*> like;
  std::vector<FieldBase*> all;
  for (auto const& field : coefficients) {
    like.push_back(field.get());
    all.push_back(field.get());
  }
  Exchange(like, {.corners = corners}).exchange(all);
  BoundaryConditions walls = BoundaryConditions::all({.kind = BoundaryKind::neumann});
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    if (!mesh.periodic(axis)) continue;
    for (int const side : {-1, 1}) walls.at(axis, side).kind = BoundaryKind::periodic;
  }
  for (auto const& field : coefficients) {
    BoundaryFill(*field, walls).fill(*field, 0, corners ? BoundaryReach::corners : BoundaryReach::faces);
  }
}

template <class Real>
VaryingDiffusivity<Real> varying_diffusivity(StructuredMesh const& mesh, Fields<Real> const& of_cells,
                                             bool is_solved_for) {
  VaryingDiffusivity<Real> all;
  bool varies = false;
  for (auto const& field : of_cells) {
    double const least = extreme<reduce::Minimum>(*field);
    double const largest = extreme<reduce::Maximum>(*field);
    if (!(least >= 0) || !std::isfinite(largest)) mesh.communicator().agree(error_at_wrong_cell(mesh, *field));
    all.of_fields.push_back({largest, nullptr});
    varies = varies || least != largest;
  }
  if (!varies) return all;
  fill_ghosts_of_coefficients(mesh, of_cells, false);
  for (std::size_t n = 0; n < of_cells.size(); ++n) {
    std::shared_ptr<Field<Real>> resistance = of_cells[n];
    if (is_solved_for) {
      all.of_fields[n].of_cells = of_cells[n];
      resistance = make_fields<Real>(of_cells[n]->shared_mesh(), {"resistance"}, of_cells[n]->ghosts()).front();
    }
    auto const largest = static_cast<Real>(all.of_fields[n].largest);
    for (Block const& block : mesh.blocks()) {
      sweep(execution(block), resistance->owned(block), Geometry<Real>{}, resistance->view(block),
            Resistance<Real>{largest}, std::as_const(*of_cells[n]).view(block));
    }
    all.resistances.push_back(std::move(resistance));
  }
  fill_ghosts_of_coefficients(mesh, all.resistances, false);
  return all;
}

#define HALOCLINE_INSTANTIATE(Real)                                                                            \
  template Fields<Real> make_fields(std::shared_ptr<Mesh const> const&, std::vector<std::string> const&, int); \
  template void fill_ghosts_of_coefficients(StructuredMesh const&, Fields<Real> const&, bool);                 \
  template VaryingDiffusivity<Real> varying_diffusivity(StructuredMesh const&, Fields<Real> const&, bool);
HALOCLINE_INSTANTIATE(float)
HALOCLINE_INSTANTIATE(double)
#undef HALOCLINE_INSTANTIATE

}  // namespace halocline
