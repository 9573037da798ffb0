#include "solvers/linear/krylov_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/linear/operator_checks.hpp"

namespace halocline {

KrylovSolver::KrylovSolver(std::string name, Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : name_(std::move(name)), criteria_(criteria), preconditioner_(std::move(preconditioner)) {}
KrylovSolver::~KrylovSolver() = default;

void KrylovSolver::prepare(Operator const& a) {
  is_prepared_ = true;
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  is_singular_ = a.null_space_measure() != nullptr;
  try {
    make_vectors(a);
    if (preconditioner_) preconditioner_->prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport KrylovSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  require_prepared(is_prepared_);
  ResidualSolve solve(name_, criteria_, observer(), a, b, x, operator_norm_,
                      {.max_restarts_without_progress = max_restarts_without_progress(),
                       .converged_recurrences_only = !falls(),
                       .advice = advice(),
                       .norm = norm()});
  Vector& r = residual();
  if (!obstacle_.empty()) return solve.end(Outcome::breakdown, r, obstacle_);
  std::optional<Outcome> outcome = solve.begin(r);
  while (!outcome) {
    outcome = iterate(solve, a, x);
    if (!outcome) outcome = solve.check_true_residual(residual());
  }
  finish(*outcome);
  SolveReport report = solve.end(*outcome, residual());
  if (!reached(report.outcome)) explain(a, b, report);
  if (reached(report.outcome) && is_singular_ && report.remark.empty()) report.remark = constants_in_null_space;
  return report;
}

void KrylovSolver::explain(Operator const& a, Vector const& b, SolveReport& report) const {
  bool const has_numbers = std::isfinite(report.initial_residual) && report.outcome != Outcome::not_a_number;
  // Numbers out of range are the reason that the method itself gives, and spoil the sums below.
  if (report.remark == underflow_remark) return;
  // Without symmetry a right-hand side with a mean may have a solution.
  if (!has_numbers || !(is_singular_ || needs_symmetry())) return;
  // The method's own vectors are free now, so that a failed solve needs no more memory than others.
  Vector* const own = spare();
  auto const made = own == nullptr ? a.create_vector() : nullptr;
  Vector& ones = own == nullptr ? *made : *own;
  ones.fill(1);
  if (!in_null_space(a, operator_norm_, ones, residual())) return;
  double const mean_part = std::abs(ones.dot(b)) / std::sqrt(static_cast<double>(b.size()));
  double const b_norm = std::sqrt(b.square());
  double const rounding = rounding_level(b.precision(), 0, 0, b_norm);
  if (!(mean_part > std::max(criteria_.target(report.initial_residual, b_norm), rounding))) return;
  if (is_singular_) {
    report.outcome = Outcome::inconsistent;
    report.remark = constants_without_solution;
  } else {
    report.remark += std::string(report.remark.empty() ? "" : "; ") +
                     "up to rounding constants are in the null space of the operator, and the right-hand side has a "
                     "non-zero mean: there is no solution";
  }
}

Vector const& KrylovSolver::preconditioned(Vector const& r, std::unique_ptr<Vector> const& z) const {
  if (!preconditioner_) return r;
  preconditioner_->apply(r, *z);
  return *z;
}

double KrylovSolver::precondition_dot(Vector const& r, std::unique_ptr<Vector> const& z) const {
  return preconditioner_ ? preconditioner_->apply_dot(r, *z) : r.square();
}

double KrylovSolver::start_dot(Vector const& r, std::unique_ptr<Vector> const& z) const {
  return preconditioner_->start_dot(r, *z);
}

}  // namespace halocline
