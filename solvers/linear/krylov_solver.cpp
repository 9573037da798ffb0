#include "solvers/linear/krylov_solver.hpp"

#include <utility>

namespace halocline {

KrylovSolver::KrylovSolver(std::string name, Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : name_(std::move(name)), criteria_(criteria), preconditioner_(std::move(preconditioner)) {}
KrylovSolver::~KrylovSolver() = default;

void KrylovSolver::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  try {
    make_vectors(a);
    if (preconditioner_) preconditioner_->prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport KrylovSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  ResidualSolve solve(
      name_, criteria_, observer(), a, b, x, operator_norm_,
      {.fruitless_starts = fruitless_starts(), .only_claims = !falls(), .advice = advice(), .norm = norm()});
  Vector& r = residual();
  if (!obstacle_.empty()) return solve.end(Outcome::breakdown, r, obstacle_);
  std::optional<Outcome> outcome = solve.begin(r);
  while (!outcome) {
    outcome = iterate(solve, a, x);
    if (!outcome) outcome = solve.check_true_residual(residual());
  }
  finish(*outcome);
  return solve.end(*outcome, residual());
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
