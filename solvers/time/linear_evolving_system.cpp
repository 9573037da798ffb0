#include "solvers/time/linear_evolving_system.hpp"

#include <utility>

#include "framework/operator/state_archive.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {
namespace {

/// 1 / M
std::unique_ptr<Vector> inverse_of(Vector const& mass) {
  auto inverse = mass.create();
  inverse->copy(mass);
  inverse->invert();
  return inverse;
}

}  // namespace

double LinearSystem::spectral_bound() { return stiffness().norm_bound() * inverse_of(mass())->maximum(); }

double LinearSystem::euler_step() { return 2 / spectral_bound(); }

LinearEvolvingSystem::LinearEvolvingSystem(LinearSystem& system, LinearSolver& solver, Vector& u, Solves solves)
    : system_(system), solver_(solver), u_(u), is_split_(solves == Solves::implicit) {
  if (is_split_) system_.split();
}

std::vector<SolveReport> LinearEvolvingSystem::advance(TimeIntegrator& integrator, double time, double step) {
  return integrator.advance(*this, time, step, u_);
}

double LinearEvolvingSystem::euler_step() {
  if (euler_step_ == 0) euler_step_ = is_split_ ? system_.explicit_euler_step() : system_.euler_step();
  return euler_step_;
}

std::unique_ptr<Vector> LinearEvolvingSystem::create_state() const { return u_.create(); }

bool LinearEvolvingSystem::find_rate(RatePart part, double time, Vector const& y) {
  bool const is_whole = part == RatePart::whole;
  if (!is_whole && !is_split_) return false;
  Operator const* const stiffness = is_whole ? &system_.stiffness() : system_.explicit_stiffness();
  if (stiffness == nullptr && !system_.has_explicit_source()) return false;
  if (rate_ == nullptr) {
    rate_ = u_.create();
    minus_inverse_mass_ = inverse_of(system_.mass());
    minus_inverse_mass_->scale(-1);
  }
  if (stiffness != nullptr)
    stiffness->apply(y, *rate_);
  else
    rate_->fill(0);
  system_.add_source(is_whole ? SourcePart::whole : SourcePart::explicit_, time, -1, *rate_);
  rate_->multiply(*minus_inverse_mass_, *rate_);
  return true;
}

void LinearEvolvingSystem::evaluate(RatePart part, double time, Vector& y, double own,
                                    std::span<WeightedVector const> terms, double scale, Vector& out, Vector* slope) {
  std::vector<WeightedVector> all(terms.begin(), terms.end());
  if (own != 0) all.push_back({own, &y});
  bool const has_rate = find_rate(part, time, y);
  if (has_rate) all.push_back({scale, rate_.get()});
  out.assign(all);
  if (slope == nullptr) return;
  if (has_rate)
    slope->copy(*rate_);
  else
    slope->fill(0);
}

Operator const& LinearEvolvingSystem::prepare(double scale) {
  Operator const& a = system_.shifted(scale);
  if (&a != prepared_ || scale != prepared_scale_) solver_.prepare(a);
  prepared_ = &a;
  prepared_scale_ = scale;
  return a;
}

std::vector<SolveReport> LinearEvolvingSystem::solve(double time, double scale, Vector const& right, Vector& out) {
  Operator const& a = prepare(scale);
  if (b_ == nullptr) b_ = u_.create();
  b_->multiply(system_.mass(), right);
  system_.add_source(is_split_ ? SourcePart::implicit : SourcePart::whole, time, scale, *b_);
  return {solver_.solve(a, *b_, out)};
}

void LinearEvolvingSystem::serialize(StateArchive& archive, std::string const& name, Vector& state) {
  std::vector<FieldBase*> const fields = state.underlying_fields();
  if (fields.size() != 1)
    throw DefectError("the state `" + name + "` is not a field, and only fields are stored in checkpoints");
  archive.field(name, *fields.front());
}

bool LinearEvolvingSystem::serialize(StateArchive& archive, TimeIntegrator& integrator,
                                     std::string const& integrator_group) {
  if (archive.has("solver/scale")) {
    double scale = prepared_scale_;
    archive.number("solver/scale", scale);
    if (scale > 0) prepare(scale);
    if (scale > 0) solver_.serialize(archive, "solver");
  }
  return integrator.serialize(archive, integrator_group, *this);
}

}  // namespace halocline
