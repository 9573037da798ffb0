#include "physics/equations/linear_terms.hpp"

#include <utility>

namespace halocline {

template <class Real>
DiffusionTerms<Real>::DiffusionTerms(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                                     Diffusivity<Real> diffusivity)
    : description_{.mesh = std::move(mesh), .conditions = walls},
      diffusivity_(std::move(diffusivity)),
      material_{.conductivity = diffusivity_.of_cells.get(), .mean = diffusivity_.mean},
      walls_(description_, material_) {}

template <class Real>
std::unique_ptr<Operator> DiffusionTerms<Real>::make_operator(double mass, double scale) {
  DiffusionDescription scaled = description_;
  scaled.mass = mass;
  scaled.conductivity = factor(scale);
  return make_diffusion<Real>(scaled, material_);
}

template class DiffusionTerms<float>;
template class DiffusionTerms<double>;

}  // namespace halocline
