#include "physics/equations/implicit_diffusion.hpp"

#include <utility>

#include "framework/operator/field_vector.hpp"
#include "framework/operator/state_archive.hpp"

namespace halocline {

template <class Real>
ImplicitDiffusion<Real>::ImplicitDiffusion(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                                           double diffusivity, std::unique_ptr<LinearSolver> solver)
    : description_{.mesh = std::move(mesh), .conditions = walls, .mass = 1},
      diffusivity_(diffusivity),
      solver_(std::move(solver)),
      walls_(description_) {}

template <class Real>
void ImplicitDiffusion<Real>::prepare(double scale) {
  if (operator_ != nullptr && scale == scale_) return;
  scale_ = scale;
  description_.conductivity = scale * diffusivity_;
  operator_ = make_diffusion<Real>(description_);
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
  walls_.add(time, scale * diffusivity_, *b_);
  x_->copy(solution);
  SolveReport report = solver_->solve(*operator_, *b_, *x_);
  solution.copy(*x_);
  return report;
}

template <class Real>
void ImplicitDiffusion<Real>::serialize(StateArchive& state, std::string const& group) {
  if (!state.has(group)) return;
  double scale = scale_;
  state.number(group + "/scale", scale);
  if (scale == 0) return;
  prepare(scale);
  solver_->serialize(state, group);
}

template class ImplicitDiffusion<float>;
template class ImplicitDiffusion<double>;

}  // namespace halocline
