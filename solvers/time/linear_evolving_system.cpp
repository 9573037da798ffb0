#include "solvers/time/linear_evolving_system.hpp"

#include <algorithm>
#include <utility>

#include "framework/operator/scaled_error.hpp"
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

struct LinearEvolvingSystem::State final : SystemState {
  explicit State(std::size_t its_number) : number(its_number) {}
  std::size_t number;
};

LinearEvolvingSystem::LinearEvolvingSystem(LinearSystem& system, LinearSolver& solver, Vector& u, Solves solves)
    : system_(system), solver_(solver), u_(u), is_split_(solves == Solves::implicit), vectors_{&u} {
  if (is_split_) system_.split();
}

Vector& LinearEvolvingSystem::vector(SystemState const& state) const {
  return *vectors_[static_cast<State const&>(state).number];
}

std::vector<SolveReport> LinearEvolvingSystem::advance(TimeIntegrator& integrator, double time, double step) {
  State u(0);
  auto reports = integrator.advance(*this, time, step, u);
  if (vectors_[0] != &u_) {
    // After swaps another state owns the memory of u, with values that may be needed. They move to a spare vector, and
    // the vector that replaced u becomes the spare one.
    if (spare_ == nullptr) spare_ = u_.create();
    auto const held = std::find(vectors_.begin(), vectors_.end(), &u_);
    spare_->copy(u_);
    u_.copy(*vectors_[0]);
    auto const lent =
        std::find_if(owned_.begin(), owned_.end(), [&](auto const& one) { return one.get() == vectors_[0]; });
    *held = spare_.get();
    lent->swap(spare_);
    vectors_[0] = &u_;
  }
  return reports;
}

double LinearEvolvingSystem::euler_step() {
  if (euler_step_ == 0) euler_step_ = is_split_ ? system_.explicit_euler_step() : system_.euler_step();
  return euler_step_;
}

std::unique_ptr<SystemState> LinearEvolvingSystem::create_state() const {
  owned_.push_back(u_.create());
  vectors_.push_back(owned_.back().get());
  return std::make_unique<State>(vectors_.size() - 1);
}

void LinearEvolvingSystem::swap(SystemState& a, SystemState& b) {
  std::swap(vectors_[static_cast<State const&>(a).number], vectors_[static_cast<State const&>(b).number]);
}

void LinearEvolvingSystem::sum(std::span<Weighted const> terms, Vector& out) {
  // If a term is `out` itself, the pass that adds the first other term also scales it.
  double own = 0;
  bool holds_own = false;
  for (auto const& [weight, x] : terms) {
    if (x != &out) continue;
    own += weight;
    holds_own = true;
  }
  bool is_first = true;
  double first_weight = 1;
  for (auto const& [weight, x] : terms) {
    if (x == &out) continue;
    if (!is_first) {
      out.combine(weight, *x, first_weight);
      first_weight = 1;
    } else if (holds_own) {
      out.combine(weight, *x, own);
    } else {
      out.copy(*x);
      first_weight = weight;
    }
    is_first = false;
  }
  if (is_first)
    out.scale(own);
  else if (first_weight != 1)
    out.scale(first_weight);
}

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

void LinearEvolvingSystem::evaluate(RatePart part, double time, SystemState& y, double own,
                                    std::span<WeightedState const> terms, double scale, SystemState& out,
                                    SystemState* slope) {
  std::vector<Weighted> all;
  if (own != 0) all.push_back({own, &vector(y)});
  for (auto const& [weight, state] : terms) all.push_back({weight, &vector(*state)});
  bool const has_rate = find_rate(part, time, vector(y));
  if (has_rate) all.push_back({scale, rate_.get()});
  if (all.empty())
    vector(out).fill(0);
  else
    sum(all, vector(out));
  if (slope == nullptr) return;
  if (has_rate)
    vector(*slope).copy(*rate_);
  else
    vector(*slope).fill(0);
}

void LinearEvolvingSystem::combine(std::span<WeightedState const> terms, SystemState& out) {
  std::vector<Weighted> all;
  for (auto const& [weight, state] : terms) all.push_back({weight, &vector(*state)});
  sum(all, vector(out));
}

Operator const& LinearEvolvingSystem::prepare(double scale) {
  Operator const& a = system_.shifted(scale);
  if (&a != prepared_ || scale != prepared_scale_) solver_.prepare(a);
  prepared_ = &a;
  prepared_scale_ = scale;
  return a;
}

std::vector<SolveReport> LinearEvolvingSystem::solve(double time, double scale, SystemState const& right,
                                                     SystemState& out) {
  Operator const& a = prepare(scale);
  if (b_ == nullptr) b_ = u_.create();
  b_->multiply(system_.mass(), vector(right));
  system_.add_source(is_split_ ? SourcePart::implicit : SourcePart::whole, time, scale, *b_);
  return {solver_.solve(a, *b_, vector(out))};
}

void LinearEvolvingSystem::serialize(StateArchive& archive, std::string const& name, SystemState& state) {
  FieldBase* const field = vector(state).underlying_field();
  if (field == nullptr)
    throw DefectError("the state `" + name + "` is not a field, and only fields are stored in checkpoints");
  archive.field(name, *field);
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

double LinearEvolvingSystem::scaled_maximum(SystemState const& error, SystemState const& before,
                                            SystemState const& after, double absolute, double relative) {
  return largest_scaled_error(vector(error), vector(before), vector(after), absolute, relative);
}

}  // namespace halocline
