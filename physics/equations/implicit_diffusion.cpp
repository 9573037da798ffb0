#include "physics/equations/implicit_diffusion.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/error.hpp"
#include "physics/equations/closed_walls.hpp"

namespace halocline {
template <class Real>
void ImplicitRate<Real>::evaluate(double, FieldVector<Real> const&, FieldVector<Real>&) {
  throw DefectError("a rate that sweeps evaluate was asked to do so by operators");
}

template <class Real>
double ImplicitRate<Real>::euler_rate() {
  throw DefectError("a rate that sweeps evaluate was asked for the stable step of its operators");
}

template <class Real>
ImplicitDiffusion<Real>::ImplicitDiffusion(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                                           Diffusivity<Real> diffusivity,
                                           std::shared_ptr<FieldVector<Real> const> volume,
                                           std::unique_ptr<LinearSolver> solver)
    : description_{.mesh = std::move(mesh), .conditions = walls, .mass = 1},
      diffusivity_(std::move(diffusivity)),
      material_{.conductivity = diffusivity_.of_cells.get(), .mean = diffusivity_.mean},
      solver_(std::move(solver)),
      walls_(description_, material_),
      volume_(std::move(volume)) {}

template <class Real>
void ImplicitDiffusion<Real>::prepare(double scale) {
  if (operator_ != nullptr && scale == scale_) return;
  scale_ = scale;
  description_.conductivity = factor(scale);
  operator_ = make_diffusion<Real>(description_, material_);
  solver_->prepare(*operator_);
  if (b_ == nullptr) b_ = operator_->create_vector();
}

template <class Real>
SolveReport ImplicitDiffusion<Real>::solve(double time, double scale, FieldVector<Real> const& right,
                                           FieldVector<Real>& out) {
  prepare(scale);
  b_->multiply(*volume_, right);
  walls_.add(time, factor(scale), *b_);
  if (out.field().ghosts() == as_field_vector<Real>(*b_).field().ghosts()) {
    if (!zero_walls_) zero_walls_.emplace(out.field(), walls_of_kind(BoundaryKind::zero, *description_.mesh));
    zero_walls_->fill(out.field(), time);
    return solver_->solve(*operator_, *b_, out);
  }
  if (x_ == nullptr) x_ = operator_->create_vector();
  x_->copy(out);
  SolveReport report = solver_->solve(*operator_, *b_, *x_);
  out.copy(*x_);
  return report;
}

template <class Real>
void ImplicitDiffusion<Real>::prepare_stiffness() {
  if (stiffness_ != nullptr) return;
  DiffusionDescription alone = description_;
  alone.conductivity = factor(1);
  alone.mass = 0;
  stiffness_ = make_diffusion<Real>(alone, material_);
  minus_inverse_volume_ = volume_->create();
  minus_inverse_volume_->copy(*volume_);
  minus_inverse_volume_->invert();
  minus_inverse_volume_->scale(-1);
}

template <class Real>
void ImplicitDiffusion<Real>::evaluate(double time, FieldVector<Real> const& y, FieldVector<Real>& out) {
  prepare_stiffness();
  stiffness_->apply(y, out);
  walls_.add(time, -factor(1), out);
  out.multiply(*minus_inverse_volume_, out);
}

/// By Gershgorin's circles: the diagonal is the sum of a cell's face coefficients and at least the sum of its
/// neighbours' entries.
template <class Real>
double ImplicitDiffusion<Real>::euler_rate() {
  prepare_stiffness();
  auto const diagonal = volume_->create();
  if (!stiffness_->diagonal(*diagonal)) throw DefectError("the operator of diffusion has no diagonal");
  diagonal->multiply(*minus_inverse_volume_, *diagonal);
  return diagonal->maximum();  // of magnitudes
}

template <class Real>
void ImplicitDiffusion<Real>::serialize(StateArchive& state, std::string const& group) {
  serialize_prepared(state, group, scale_, *solver_, [this](double scale) { prepare(scale); });
}

template <class Real>
void DiffusionOfFields<Real>::add(std::string group, std::optional<ImplicitDiffusion<Real>> diffusion) {
  parts_.push_back({std::move(group), std::move(diffusion)});
}

template <class Real>
std::vector<SolveReport> DiffusionOfFields<Real>::solve(double time, double scale, FieldVector<Real> const& right,
                                                        FieldVector<Real>& out) {
  if (parts_.empty()) throw DefectError("a rate without an implicit part was asked to solve for it");
  if (parts_.size() == 1 && parts_[0].diffusion) return {parts_[0].diffusion->solve(time, scale, right, out)};
  std::vector<SolveReport> reports;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    FieldVector<Real> const from = right.of_field(n);
    FieldVector<Real> to = out.of_field(n);
    if (parts_[n].diffusion) {
      reports.push_back(parts_[n].diffusion->solve(time, scale, from, to));
    } else {
      to.copy(from);
    }
  }
  return reports;
}

template <class Real>
void DiffusionOfFields<Real>::evaluate(double time, FieldVector<Real> const& y, FieldVector<Real>& out) {
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    FieldVector<Real> to = out.of_field(n);
    if (parts_[n].diffusion) {
      parts_[n].diffusion->evaluate(time, y.of_field(n), to);
    } else {
      to.fill(0);
    }
  }
}

template <class Real>
double DiffusionOfFields<Real>::euler_rate() {
  double largest = 0;
  for (Part& part : parts_) {
    if (part.diffusion) largest = std::max(largest, part.diffusion->euler_rate());
  }
  return largest;
}

template <class Real>
void DiffusionOfFields<Real>::serialize(StateArchive& state) {
  for (Part& part : parts_) {
    if (part.diffusion) part.diffusion->serialize(state, part.group);
  }
}

template class ImplicitRate<float>;
template class ImplicitRate<double>;
template class ImplicitDiffusion<float>;
template class ImplicitDiffusion<double>;
template class DiffusionOfFields<float>;
template class DiffusionOfFields<double>;

}  // namespace halocline
