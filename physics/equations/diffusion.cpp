#include "physics/equations/diffusion.hpp"

#include <cmath>
#include <utility>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/constant_level.hpp"
#include "physics/equations/face_assembly.hpp"

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

template <class Real, int Dimensions>
ConstantDiffusion<Real, Dimensions> constants(DiffusionDescription const& description, ControlVolumeGrid const& grid) {
  ConstantDiffusion<Real, Dimensions> functor;
  double volume = 1;
  for (ControlVolumes const& line : grid.volumes) volume *= line.width[0];
  for (std::size_t a = 0; a < Dimensions; ++a) {
    ControlVolumes const& line = grid.volumes[a];
    double const area = volume / line.width[0];
    auto const coupling = [&](double conductance) {
      return static_cast<Real>(description.conductivity * area * conductance);
    };
    bool const periodic = line.periodic_gap > 0;
    functor.coupling[a] = periodic ? coupling(line.conductance(0)) : coupling(1 / line.width[0]);
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

template <class Real, int Dimensions>
std::unique_ptr<Operator> make(DiffusionDescription const& description, DiffusionMaterial<Real> const& material,
                               ControlVolumeGrid const& grid) {
  bool const constant = material.conductivity == nullptr && material.mass == nullptr && is_uniform(grid);
  Regularity const regularity = regularity_of(description, grid);
  if (constant) {
    return make_constant_operator<Real, Dimensions>(grid, constants<Real, Dimensions>(description, grid), regularity);
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
