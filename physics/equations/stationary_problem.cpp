#include "physics/equations/stationary_problem.hpp"

#include <utility>

#include "framework/field/boundary_section.hpp"
#include "framework/grid/volumes.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/right_hand_side.hpp"
#include "framework/operator/state_archive.hpp"
#include "physics/equations/exact_errors.hpp"

namespace halocline {

void declare_stationary_problem(Section& section) {
  section.field("source", "Right-hand side.").defaults_to(std::string("0"));
  section.field("initial", "Initial guess.").defaults_to(std::string("0"));
  section.expression("exact", "Exact solution, if known; error norms are then reported as quantities.").optional();
  section.section(declare_boundary_section(BoundaryKind::dirichlet));
}

template <class Real>
StationaryProblem<Real>::StationaryProblem(PhysicsContext const& context, Options own, ControlVolumeGrid const& grid,
                                           BoundaryConditions const& conditions, std::unique_ptr<Operator> a,
                                           std::string const& name)
    : own_(std::move(own)),
      field_(context.mesh, {.name = name, .centring = grid.centring}),
      walls_(field_, conditions),
      operator_(std::move(a)),
      solve_(context, *operator_),
      u_(operator_->create_vector()),
      b_(operator_->create_vector()),
      volume_(operator_->create_vector()) {
  fill_volumes(grid, as_field_vector<Real>(*volume_).field());
  if (own_.has("initial")) evaluate<Real>(own_.field("initial"), own_.full_name("initial"), 0, *u_);
  integrate_source<Real>(own_.field("source"), own_.full_name("source"), 0, *volume_, *b_);
  show();
  // Throws, before anything is written, if an exact solution is not finite somewhere.
  static_cast<void>(StationaryProblem::quantities());
}

template <class Real>
std::vector<Quantity> StationaryProblem<Real>::quantities() const {
  auto const ones = u_->create();
  ones->fill(1);
  std::vector<Quantity> all{{"mean", u_->dot(*volume_) / ones->dot(*volume_)}, {"maximum", u_->maximum()}};
  add_errors<Real>(own_, *u_, 0, *volume_, all);
  return all;
}

template <class Real>
std::vector<SolveReport> StationaryProblem<Real>::advance(Step const& /*step*/) {
  SolveReport report = solve_.solve(*b_, *u_);
  show();
  return {std::move(report)};
}

template <class Real>
bool StationaryProblem<Real>::serialize(StateArchive& state) {
  state.field(field_.name(), as_field_vector<Real>(*u_).field());
  solve_.serialize(state);
  if (state.restores()) show();
  return true;
}

/// The vector sets the unknowns only; the field also gets the nodes on walls with a given value.
template <class Real>
void StationaryProblem<Real>::show() {
  field_.copy(as_field_vector<Real>(*u_).field());
  walls_.fill(field_, 0);
}

template class StationaryProblem<float>;
template class StationaryProblem<double>;

}  // namespace halocline
