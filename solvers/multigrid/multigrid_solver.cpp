#include <cmath>
#include <memory>

#include "solvers/multigrid/multigrid.hpp"

#include "framework/operator/fused_passes.hpp"
#include "framework/operator/generic_steps.hpp"

namespace halocline {

MultigridSolver::MultigridSolver(Criteria const& criteria, MultigridSettings const& settings)
    : KrylovSolver("multigrid", criteria, make_multigrid(settings)) {}

void MultigridSolver::make_vectors(Operator const& a) {
  for (auto* const vector : {&residual_, &correction_, &image_}) *vector = a.create_vector();
}

std::optional<Outcome> MultigridSolver::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  while (solve.should_iterate()) {
    bool const is_first = has_start() && solve.iterations() == 0;
    double const descent = is_first ? start_dot(*residual_, correction_) : precondition_dot(*residual_, correction_);
    double const curvature = apply_dot(a, *correction_, *image_);
    if (!std::isfinite(descent) || !std::isfinite(curvature)) return solve.not_a_number();
    if (!(curvature > 0) || !(descent > 0)) {
      return solve.fail({Outcome::indefinite, multigrid_needs_definite});
    }
    double const length = descent / curvature;
    x.add(length, *correction_);
    solve.descend(length * descent);
    if (auto const failure = solve.measure(std::sqrt(add_and_square(*residual_, -length, *image_)))) return failure;
    solve.note_solution();
  }
  return std::nullopt;
}

}  // namespace halocline
