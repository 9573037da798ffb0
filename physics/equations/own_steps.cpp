#include "physics/equations/own_steps.hpp"

#include <utility>

#include "framework/operator/state_archive.hpp"

namespace halocline {
template <class Real>
Leapfrog<Real>::Leapfrog(std::shared_ptr<StructuredMesh const> mesh, EquationSystem<Real>& system, FieldVector<Real>& u,
                         std::unique_ptr<Vector> rate, std::optional<Sponge> const& sponge, double time, double step)
    : mesh_(std::move(mesh)),
      system_(system),
      before_(std::move(rate)),
      change_(system.create_state()),
      sponge_(sponge),
      step_(step) {
  set_before(time, u, 1, -step, step * step / 2);
  set_damping();
}

template <class Real>
void Leapfrog<Real>::set_before(double time, FieldVector<Real>& u, double own, double weight, double scale) {
  FieldVector<Real>& before = as_state<Real>(*before_);
  system_.step(time, u, own, {weight, &before}, scale, before);
  system_.add_sources(time, scale, before);
}

template <class Real>
void Leapfrog<Real>::set_damping() {
  if (sponge_) damping_.set(*mesh_, *sponge_, step_);
}

template <class Real>
std::vector<SolveReport> Leapfrog<Real>::advance(EvolvingSystem&, double time, double step, Vector& state) {
  FieldVector<Real>& u = as_state<Real>(state);
  FieldVector<Real>& before = as_state<Real>(*before_);
  if (step != step_) {
    double const ratio = step / step_;
    set_before(time, u, 1 - ratio, ratio, (step * step - step * step_) / 2);
    step_ = step;
    set_damping();
  }
  // What is subtracted from the previous state is added to the next one.
  system_.add_sources(time, -step * step, before);
  system_.repeated_step(time, u, 2, {-1, &before}, step * step, before, sponge_ ? &damping_ : nullptr);
  u.swap(before);
  return {};
}

template <class Real>
double Leapfrog<Real>::energy(FieldVector<Real>& u, double time) {
  FieldVector<Real>& change = as_state<Real>(*change_);
  system_.step(time, u, 0, {0, &u}, step_ * step_, change);
  return system_.energy(u, as_state<Real>(*before_), change) / (2 * step_ * step_);
}

template <class Real>
bool Leapfrog<Real>::serialize(StateArchive& archive, std::string const&, EvolvingSystem&) {
  for (auto const& field : as_state<Real>(*before_).fields()) archive.field(field->name() + "_before", *field);
  archive.number("step", step_);
  if (archive.restores()) set_damping();
  return true;
}

template <class Real>
std::vector<SolveReport> Replacement<Real>::advance(EvolvingSystem&, double time, double, Vector& state) {
  FieldVector<Real>& u = as_state<Real>(state);
  FieldVector<Real>& next = as_state<Real>(*next_);
  system_.repeated_step(time, u, 0, {0, &u}, 1, next);
  u.swap(next);
  return {};
}

template class Leapfrog<float>;
template class Leapfrog<double>;
template class Replacement<float>;
template class Replacement<double>;

}  // namespace halocline
