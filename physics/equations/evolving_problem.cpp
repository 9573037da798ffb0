#include "physics/equations/evolving_problem.hpp"

#include <cmath>
#include <utility>

#include "framework/grid/volumes.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/right_hand_side.hpp"
#include "framework/operator/state_archive.hpp"
#include "physics/equations/exact_errors.hpp"
#include "solvers/linear/factory.hpp"

namespace halocline {

template <class Real>
VolumeSystem<Real>::VolumeSystem(ControlVolumeGrid const& grid, BoundarySource<Real> walls, Options const& own,
                                 double start, Vector const& like)
    : walls_(std::move(walls)),
      source_(own.field("source")),
      source_name_(own.full_name("source")),
      volume_(like.create()) {
  fill_volumes(grid, as_field_vector<Real>(*volume_).field());
  require_in_range(*volume_, "the volume of a cell");
  if (source_.is_zero()) return;
  source_terms_ = like.create();
  evaluate_source(start);
}

template <class Real>
void VolumeSystem<Real>::split_walls(BoundarySource<Real> implicit_part, BoundarySource<Real> explicit_part) {
  walls_ = std::move(implicit_part);
  explicit_walls_.emplace(std::move(explicit_part));
}

template <class Real>
void VolumeSystem<Real>::add_source(SourcePart part, double time, double scale, Vector& b) {
  if (part != SourcePart::explicit_) walls_.add(time, scale, b);
  if (part == SourcePart::implicit) return;
  if (explicit_walls_) explicit_walls_->add(time, scale, b);
  if (source_terms_ == nullptr) return;
  if (source_.depends_on_time()) evaluate_source(time);
  b.add(scale, *source_terms_);
}

template <class Real>
void VolumeSystem<Real>::evaluate_source(double time) {
  integrate_source<Real>(source_, source_name_, time, *volume_, *source_terms_);
}

template <class Real>
EvolvingProblem<Real>::EvolvingProblem(PhysicsContext const& context, Options own, std::string const& integrator)
    : own_(std::move(own)),
      time_(context.deck.section("time").real("start")),
      field_(std::make_shared<Field<Real>>(context.mesh, FieldDescription{.name = "u"})),
      u_(field_),
      receivers_(own_.list("receivers"), context.mesh, u_.fields()),
      integrator_name_(chosen_integrator(context.deck.section("time"), integrator)->name),
      integrator_(make_time_integrator(context.deck.section("time"), integrator)),
      treatment_(chosen_integrator(context.deck.section("time"), integrator)->treatment),
      solver_(make_solver(context.deck.section("solver"))) {
  solver_->set_observer(context.observer);
}

template <class Real>
void EvolvingProblem<Real>::begin(std::unique_ptr<LinearSystem> system) {
  system_ = std::move(system);
  evolution_.emplace(*system_, *solver_, u_, treatment_ == Treatment::imex ? Solves::implicit : Solves::whole);
  if (treatment_ != Treatment::implicit) {
    euler_step_ = evolution_->euler_step();
    integrator_->set_euler_step(euler_step_);
  }
  receivers_.record(time_, u_.fields());
  std::vector<Quantity> errors;
  add_errors<Real>(own_, u_, time_, volume(), errors);
}

template <class Real>
std::vector<SolveReport> EvolvingProblem<Real>::advance(Step const& step) {
  auto reports = evolution_->advance(*integrator_, step.time, step.size);
  time_ = step.time + step.size;
  receivers_.record(time_, u_.fields());
  return reports;
}

template <class Real>
bool EvolvingProblem<Real>::serialize(StateArchive& state) {
  state.field("u", *field_);
  state.number("time", time_);
  std::string const group = "integrator/" + integrator_name_;
  return !state.has(group) || evolution_->serialize(state, *integrator_, group);
}

template class VolumeSystem<float>;
template class VolumeSystem<double>;
template class EvolvingProblem<float>;
template class EvolvingProblem<double>;

}  // namespace halocline
