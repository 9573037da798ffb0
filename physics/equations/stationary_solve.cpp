#include "physics/equations/stationary_solve.hpp"

#include "framework/operator/state_archive.hpp"
#include "solvers/linear/factory.hpp"

namespace halocline {

StationarySolve::StationarySolve(PhysicsContext const& context, Operator const& a)
    : a_(a), solver_(make_solver(context.deck.section("solver"))) {
  solver_->set_observer([this, observer = context.observer](Index iteration, double residual) {
    if (!first_residual_) first_residual_ = residual;
    if (observer) observer(iteration, residual);
  });
  solver_->prepare(a_);
}

void StationarySolve::serialize(StateArchive& state) {
  double first = first_residual_.value_or(0);
  state.number("first_residual", first);
  if (!state.restores() || first == 0) return;  // zero: no iteration was measured
  first_residual_ = first;
  Criteria criteria = solver_->criteria();
  if (criteria.relative_to == RelativeTo::initial_residual) {
    criteria.absolute = criteria.target(first, 0);
    criteria.relative = 0;
    solver_->set_criteria(criteria);
  }
}

}  // namespace halocline
