#include <cmath>
#include <utility>

#include "framework/runtime/error.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/solve_record.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace halocline {

void MultigridSolver::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  residual_ = a.create_vector();
  correction_ = a.create_vector();
  try {
    multigrid_.prepare(a);
  } catch (SolveError const& error) {
    obstacle_ = error.what();
  }
}

SolveReport MultigridSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  SolveRecord record("multigrid", observer());
  Convergence convergence(criteria_);
  double residual = std::sqrt(a.residual(b, x, *residual_));
  auto const end = [&](Outcome outcome, std::string remark = {}) {
    return record.finish(outcome, residual, std::move(remark));
  };
  record.measure(0, residual);
  if (!obstacle_.empty()) return end(Outcome::breakdown, obstacle_);
  if (!std::isfinite(residual)) return end(Outcome::not_a_number, "the initial residual is not a finite number");
  double const b_norm = std::sqrt(b.square());
  convergence.begin(residual);

  for (Index iteration = 1; !convergence.reached(residual); ++iteration) {
    // A residual that no longer falls is worth the norm that tells rounding from failure.
    if (!convergence.falling() || residual <= 1e-12 * convergence.initial()) {
      double const rounding = rounding_level(x.precision(), operator_norm_, std::sqrt(x.square()), b_norm);
      if (residual <= rounding) return end(Outcome::converged_to_rounding);
    }
    if (iteration > criteria_.iterations) {
      return end(Outcome::iteration_limit, "raise the number of iterations or use it as a preconditioner of cg");
    }
    multigrid_.apply(*residual_, *correction_);
    x.add(1, *correction_);
    residual = std::sqrt(a.residual(b, x, *residual_));
    record.measure(iteration, residual);
    if (auto const failure = convergence.failure(residual)) {
      return end(*failure, "multigrid alone does not converge here; use it as a preconditioner of cg");
    }
  }
  return end(Outcome::converged);
}

}  // namespace halocline
