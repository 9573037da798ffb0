#include <cmath>
#include <utility>

#include "solvers/linear/convergence.hpp"
#include "solvers/linear/solve_record.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace halocline {

void MultigridSolver::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  residual_ = a.create_vector();
  correction_ = a.create_vector();
  image_ = a.create_vector();
  try {
    multigrid_.prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport MultigridSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  SolveRecord record("multigrid", observer());
  Convergence convergence(criteria_);
  double residual = std::sqrt(a.residual(b, x, *residual_));
  auto const end = [&](Outcome outcome, std::string remark = {}) {
    double const truth = outcome == Outcome::not_a_number ? std::nan("") : std::sqrt(a.residual(b, x, *residual_));
    return record.finish(outcome, truth, std::move(remark));
  };
  record.measure(0, residual);
  if (!obstacle_.empty()) return end(Outcome::breakdown, obstacle_);
  if (!std::isfinite(residual)) return end(Outcome::not_a_number, "the initial residual is not a finite number");
  double const b_norm = std::sqrt(b.square());
  auto const rounding = [&] { return rounding_level(x.precision(), operator_norm_, std::sqrt(x.square()), b_norm); };
  if (underflows(residual, *residual_)) return end(Outcome::breakdown, underflow_remark);
  convergence.begin(residual);
  if (convergence.reached(residual)) return end(Outcome::converged);
  if (residual <= rounding()) return end(Outcome::converged_to_rounding);

  for (Index iteration = 1; iteration <= criteria_.iterations; ++iteration) {
    double const descent = multigrid_.apply_dot(*residual_, *correction_);
    double const curvature = a.apply_dot(*correction_, *image_);
    if (!std::isfinite(descent) || !std::isfinite(curvature)) return end(Outcome::not_a_number);
    if (!(curvature > 0) || !(descent > 0)) {
      return end(Outcome::indefinite, "multigrid as a solver needs a positive definite operator");
    }
    double const length = descent / curvature;
    x.add(length, *correction_);
    residual = std::sqrt(residual_->add_and_square(-length, *image_));
    // What is recurred drifts away by rounding: b - A x decides, where it matters.
    if (convergence.reached(residual) || residual <= 1e-12 * convergence.initial()) {
      residual = std::sqrt(a.residual(b, x, *residual_));
    }
    record.measure(iteration, residual);
    if (convergence.reached(residual)) return end(Outcome::converged);
    if (auto const failure = convergence.failure(residual)) return end(*failure);
    bool const small = residual <= 1e-8 * convergence.initial() || !convergence.falling();
    if (small && residual <= rounding()) return end(Outcome::converged_to_rounding);
  }
  return end(Outcome::iteration_limit, "raise the number of iterations or use it as a preconditioner of cg");
}

}  // namespace halocline
