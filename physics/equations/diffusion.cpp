#include "physics/equations/diffusion.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/cell_level.hpp"
#include "physics/equations/constant_level.hpp"
#include "physics/equations/face_assembly.hpp"
#include "physics/equations/field_extremes.hpp"

namespace halocline {
namespace {

void validate(DiffusionDescription const& description) {
  auto const is_weight = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!is_weight(description.mass)) throw InputError("diffusion: the mass must be finite and not below zero");
  if (!is_weight(description.conductivity)) {
    throw InputError("diffusion: the conductivity must be finite and not below zero");
  }
}

ControlVolumeGrid grid_of(DiffusionDescription const& description) {
  validate(description);
  return control_volume_grid(description.mesh, description.centring, description.conditions);
}

bool is_uniform(ControlVolumeGrid const& grid) {
  for (ControlVolumes const& line : grid.volumes) {
    if (!line.is_uniform()) return false;
  }
  return true;
}

double volume_of_cells(ControlVolumeGrid const& grid) {
  double volume = 1;
  for (ControlVolumes const& line : grid.volumes) volume *= line.width[0];
  return volume;
}

/// Of the faces between unknowns of a uniform axis; a single unknown that is its own neighbour has no flux to itself.
double inner_conductance(ControlVolumes const& line) {
  return line.periodic_gap > 0 ? line.conductance(0) : 1 / line.width[0];
}

template <class Real, int Dimensions>
ConstantDiffusion<Real, Dimensions> constants(DiffusionDescription const& description, ControlVolumeGrid const& grid) {
  ConstantDiffusion<Real, Dimensions> functor;
  double const volume = volume_of_cells(grid);
  for (std::size_t a = 0; a < Dimensions; ++a) {
    ControlVolumes const& line = grid.volumes[a];
    double const area = volume / line.width[0];
    auto const coupling = [&](double conductance) {
      return static_cast<Real>(description.conductivity * area * conductance);
    };
    bool const periodic = line.periodic_gap > 0;
    functor.coupling[a] = coupling(inner_conductance(line));
    functor.wall[a][0] = periodic ? functor.coupling[a] : coupling(line.walls[0].conductance());
    functor.wall[a][1] = periodic ? functor.coupling[a] : coupling(line.walls[1].conductance());
  }
  functor.shift = static_cast<Real>(description.mass * volume);
  return functor;
}

/// Converts volumes to mass terms.
template <class Real>
struct MassTerms {
  BlockView<Real const> mass;  ///< null: 1 everywhere
  BlockView<Real const> volumes;
  Real factor;

  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    return factor * volumes(i, j, k) * (mass.origin == nullptr ? Real{1} : mass(i, j, k));
  }
};

template <class Real>
void fill_mass_terms(ControlVolumeGrid const& grid, DiffusionMaterial<Real> const& material, double factor,
                     Field<Real>& out) {
  fill_volumes(grid, out);
  for (Block const& block : grid.mesh->blocks()) {
    MassTerms<Real> terms{{}, std::as_const(out).view(block), static_cast<Real>(factor)};
    if (material.mass != nullptr) terms.mass = material.mass->view(block);
    set_values(execution(block), grid.unknowns(block), out.view(block), terms);
    execution(block).fence();
  }
}

Regularity regularity_of(DiffusionDescription const& description, ControlVolumeGrid const& grid) {
  if (description.mass > 0) return Regularity::regular;
  for (ControlVolumes const& line : grid.volumes) {
    bool const is_held = line.walls[0].a != 0 || line.walls[1].a != 0;
    if (is_held && !(line.periodic_gap > 0)) return Regularity::regular;
  }
  return Regularity::singular;
}

template <class Real>
FaceCoefficients<Real> assembled(DiffusionDescription const& description, ControlVolumeGrid const& grid,
                                 DiffusionMaterial<Real> const& material) {
  FaceCoefficients<Real> all(grid);
  fill_mass_terms(grid, material, description.mass, *all.shift);
  for (Block const& block : grid.mesh->blocks()) {
    BlockWidths<Real> const widths(grid, block);
    for (int axis = 0; axis < grid.dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      IndexRange faces = grid.unknowns(block);
      if (faces.empty()) continue;
      Index const first = grid.first_unknown(block)[a];
      std::vector<double> factor;
      for (Index f = 0; f <= faces.extent(axis); ++f) {
        factor.push_back(description.conductivity * grid.volumes[a].conductance(first + f));
      }
      ++faces.end[a];
      auto const factors = on_device<double>(factor);
      for_box(execution(block), faces,
              face_terms(grid, block, axis, material, widths, factors, all.faces[a]->view(block)));
      execution(block).fence();
    }
  }
  sum_diagonal(grid, all);
  return all;
}

/// What half a cell contributes to a face, for CellDiffusion, in a unit in which the largest conductivity is 1.
template <class Real>
struct HalfOfCell {
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  FaceConductivity<Real> conductivity;  ///< with its mean
  BlockView<Real> half;
  double largest;

  /// From the conductivity of a face of which this would be the only half.
  [[nodiscard]] KOKKOS_FUNCTION double of(double k) const {
    double const relative = k > 0 ? k / largest : 0;
    if (conductivity.mean == FaceMean::arithmetic) return relative;
    return relative > 0 ? 1 / relative : infinite;
  }
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index l) const {
    half(i, j, l) = static_cast<Real>(0.5 * of(conductivity.k(i, j, l)));
  }
};

/// Sets the ghosts beyond a wall to the difference between what the wall takes and the half of the cell beside it.
template <class Real>
struct HalfBeyondWall {
  HalfOfCell<Real> halves;
  int axis;
  Index inward;
  double reach;     ///< extrapolation distance of the conductivity to the wall, in gaps between unknowns
  double relative;  ///< conductance of the wall in units of those of other faces

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index l) const {
    Index const x = axis == 0 ? inward : 0;
    Index const y = axis == 1 ? inward : 0;
    Index const z = axis == 2 ? inward : 0;
    auto const whole = halves.of(relative * halves.conductivity.at_wall(axis, inward, reach, i, j, l));
    double const inside = halves.half(i, j, l);
    // Beside a cell that conducts nothing both are infinite.
    halves.half(i - x, j - y, l - z) = static_cast<Real>(whole < HalfOfCell<Real>::infinite ? whole - inside : whole);
  }
};

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_by_cells(DiffusionDescription const& description,
                                        DiffusionMaterial<Real> const& material, ControlVolumeGrid const& grid,
                                        Regularity regularity) {
  double const largest = extreme<reduce::Maximum>(*material.conductivity);
  auto const halves = std::make_shared<Field<Real>>(grid.mesh, FieldDescription{.name = "half of a face", .ghosts = 1});
  for (Block const& block : grid.mesh->blocks()) {
    HalfOfCell<Real> const half{{material.conductivity->view(block), material.mean}, halves->view(block), largest};
    IndexRange const owned = grid.unknowns(block);
    IndexRange known = owned;
    for (int axis = 0; axis < Dimensions; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      if (block.neighbour(axis, -1)) --known.begin[a];
      if (block.neighbour(axis, 1)) ++known.end[a];
    }
    for_box(execution(block), known, half);
    for (int axis = 0; axis < Dimensions; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      ControlVolumes const& line = grid.volumes[a];
      for (int const side : {-1, 1}) {
        if (block.neighbour(axis, side)) continue;
        Wall const& wall = line.walls[side < 0 ? 0 : 1];
        double const reach = wall.b != 0 && line.size() > 1 ? 0.5 : 0;
        IndexRange beside = owned;
        (side < 0 ? beside.end[a] : beside.begin[a]) = side < 0 ? owned.begin[a] + 1 : owned.end[a] - 1;
        for_box(execution(block), beside,
                HalfBeyondWall<Real>{half, axis, -side, reach, wall.conductance() * line.width[0]});
      }
    }
    execution(block).fence();
  }
  halves->mark_ghosts_valid(1);
  double const volume = volume_of_cells(grid);
  CellDiffusion<Real, Dimensions> functor{.shift = static_cast<Real>(description.mass * volume),
                                          .in_series = material.mean == FaceMean::harmonic};
  for (std::size_t a = 0; a < Dimensions; ++a) {
    ControlVolumes const& line = grid.volumes[a];
    double const factor = description.conductivity * inner_conductance(line);
    functor.coupling[a] = static_cast<Real>(product_in_range(largest, volume / line.width[0], factor));
  }
  return make_cell_operator<Real, Dimensions>(grid, functor, halves, regularity);
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make(DiffusionDescription const& description, DiffusionMaterial<Real> const& material,
                               ControlVolumeGrid const& grid) {
  Regularity const regularity = regularity_of(description, grid);
  if (material.mass == nullptr && is_uniform(grid)) {
    if (material.conductivity == nullptr) {
      return make_constant_operator<Real, Dimensions>(grid, constants<Real, Dimensions>(description, grid), regularity);
    }
    if (description.evaluates_faces && grid.centring == Centring::cell) {
      return make_by_cells<Real, Dimensions>(description, material, grid, regularity);
    }
  }
  return make_face_operator<Real, Dimensions>(grid, assembled(description, grid, material), regularity);
}

}  // namespace

template <class Real>
std::unique_ptr<Operator> make_diffusion(DiffusionDescription const& description,
                                         DiffusionMaterial<Real> const& material) {
  ControlVolumeGrid const grid = grid_of(description);
  if (grid.dimensions() == 1) return make<Real, 1>(description, material, grid);
  if (grid.dimensions() == 2) return make<Real, 2>(description, material, grid);
  return make<Real, 3>(description, material, grid);
}

template std::unique_ptr<Operator> make_diffusion(DiffusionDescription const&, DiffusionMaterial<float> const&);
template std::unique_ptr<Operator> make_diffusion(DiffusionDescription const&, DiffusionMaterial<double> const&);

}  // namespace halocline
