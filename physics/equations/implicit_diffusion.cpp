#include "physics/equations/implicit_diffusion.hpp"

#include <utility>

#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

template <class Real>
ImplicitDiffusion<Real>::ImplicitDiffusion(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                                           Diffusivity<Real> diffusivity, std::unique_ptr<LinearSolver> solver)
    : description_{.mesh = std::move(mesh), .conditions = walls, .mass = 1},
      diffusivity_(std::move(diffusivity)),
      material_{.conductivity = diffusivity_.of_cells.get()},
      solver_(std::move(solver)),
      walls_(description_, material_) {}

template <class Real>
void ImplicitDiffusion<Real>::prepare(double scale) {
  if (operator_ != nullptr && scale == scale_) return;
  scale_ = scale;
  description_.conductivity = factor(scale);
  operator_ = make_diffusion<Real>(description_, material_);
  solver_->prepare(*operator_);
  if (volume_ != nullptr) return;
  volume_ = operator_->create_vector();
  b_ = operator_->create_vector();
  x_ = operator_->create_vector();
  fill_mass<Real>(description_, {}, *volume_);
}

template <class Real>
SolveReport ImplicitDiffusion<Real>::solve(double time, double scale, std::shared_ptr<Field<Real>> const& right,
                                           std::shared_ptr<Field<Real>> const& out) {
  prepare(scale);
  FieldVector<Real> solution(out);
  b_->multiply(*volume_, FieldVector<Real>(right));
  walls_.add(time, factor(scale), *b_);
  x_->copy(solution);
  SolveReport report = solver_->solve(*operator_, *b_, *x_);
  solution.copy(*x_);
  return report;
}

template <class Real>
void ImplicitDiffusion<Real>::serialize(StateArchive& state, std::string const& group) {
  serialize_prepared(state, group, scale_, *solver_, [this](double scale) { prepare(scale); });
}

template <class Real>
void DiffusionOfFields<Real>::add(std::string name, std::optional<ImplicitDiffusion<Real>> diffusion) {
  parts_.push_back({std::move(name), std::move(diffusion)});
}

template <class Real>
std::vector<SolveReport> DiffusionOfFields<Real>::solve(double time, double scale, Fields<Real> const& right,
                                                        Fields<Real> const& out) {
  if (parts_.empty()) throw DefectError("a rate without an implicit part was asked to solve for it");
  std::vector<SolveReport> reports;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    if (parts_[n].diffusion) {
      reports.push_back(parts_[n].diffusion->solve(time, scale, right[n], out[n]));
    } else {
      FieldVector<Real>(out[n]).copy(FieldVector<Real>(right[n]));
    }
  }
  return reports;
}

template <class Real>
void DiffusionOfFields<Real>::serialize(StateArchive& state) {
  for (Part& part : parts_) {
    if (part.diffusion) part.diffusion->serialize(state, "solver/" + part.name);
  }
}

template class ImplicitDiffusion<float>;
template class ImplicitDiffusion<double>;
template class DiffusionOfFields<float>;
template class DiffusionOfFields<double>;

}  // namespace halocline
