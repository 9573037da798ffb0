#include "solvers/linear/residual_solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halocline {

ResidualSolve::ResidualSolve(std::string method, Criteria const& criteria, IterationObserver const& observer,
                             Operator const& a, Vector const& b, Vector& x, double operator_norm)
    : a_(a),
      b_(b),
      x_(x),
      convergence_(criteria),
      record_(std::move(method), observer),
      operator_norm_(operator_norm) {}

std::optional<Outcome> ResidualSolve::begin(Vector& r) {
  true_residual_ = std::sqrt(a_.residual(b_, x_, r));
  residual_ = true_residual_;
  looked_ = true;
  record_.measure(0, residual_);
  if (!std::isfinite(residual_)) return fail(Outcome::not_a_number, "the initial residual is not a finite number");
  b_norm_ = std::sqrt(b_.square());
  if (underflows(residual_, r)) return fail(Outcome::breakdown, underflow_remark);
  convergence_.begin(residual_);
  measure_solution();
  rounding_at_start_ = rounding_;
  last_start_ = residual_;
  if (convergence_.reached(residual_)) return Outcome::converged;
  if (residual_ <= rounding_) return Outcome::converged_to_rounding;
  return std::nullopt;
}

std::optional<Outcome> ResidualSolve::measure(double residual) {
  residual_ = residual;
  looked_ = false;
  record_.measure(++iteration_, residual_);
  return convergence_.failure(residual_);
}

bool ResidualSolve::goes_on() const {
  return iteration_ < most_iterations() && !convergence_.reached(residual_) && !(residual_ <= rounding_);
}

std::optional<Outcome> ResidualSolve::look(Vector& r) {
  true_residual_ = std::sqrt(a_.residual(b_, x_, r));
  looked_ = true;
  measure_solution();
  if (!std::isfinite(true_residual_)) return fail(Outcome::not_a_number, "the residual is not a finite number");
  if (convergence_.reached(true_residual_)) return Outcome::converged;
  bool const claimed = convergence_.reached(residual_) || residual_ <= rounding_;
  if (claimed && true_residual_ <= rounding_) {
    // Of a solution that has grown and grown rounding explains everything, also that there is none.
    if (rounding_ <= std::max(0.01 * convergence_.initial(), 2 * rounding_at_start_)) {
      return Outcome::converged_to_rounding;
    }
    return fail(Outcome::diverged, "the solution grows without bound: the operator may be singular");
  }
  if (iteration_ >= most_iterations()) {
    return fail(Outcome::iteration_limit, "raise the number of iterations or choose a stronger preconditioner");
  }
  // From where nothing was gained the same would be done once more.
  double const enough = claimed ? 0.5 : 1 - 1e-6;
  if (!(true_residual_ <= enough * last_start_)) {
    return fail(Outcome::stalled, "the residual no longer falls, and rounding does not explain it");
  }
  last_start_ = true_residual_;
  residual_ = true_residual_;
  return std::nullopt;
}

void ResidualSolve::note_solution() {
  if (residual_ <= 0.01 * residual_at_norm_) measure_solution();
}

void ResidualSolve::measure_solution() {
  rounding_ = rounding_level(x_.precision(), operator_norm_, std::sqrt(x_.square()), b_norm_);
  residual_at_norm_ = residual_;
}

std::optional<Outcome> ResidualSolve::fail(Outcome outcome, std::string remark) {
  remark_ = std::move(remark);
  return outcome;
}

SolveReport ResidualSolve::end(Outcome outcome, Vector& r, std::string remark) {
  if (outcome == Outcome::not_a_number) {
    true_residual_ = std::nan("");
  } else if (!looked_) {
    true_residual_ = std::sqrt(a_.residual(b_, x_, r));
  }
  return record_.finish(outcome, true_residual_, remark.empty() ? std::move(remark_) : std::move(remark));
}

}  // namespace halocline
