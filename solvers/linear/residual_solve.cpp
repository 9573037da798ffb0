#include "solvers/linear/residual_solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halocline {

namespace {

/// If a residual within the rounding level grows by this factor, its recurrence is no longer trusted.
constexpr double most_growth = 10;

}  // namespace

ResidualSolve::ResidualSolve(std::string method, Criteria const& criteria, IterationObserver const& observer,
                             Operator const& a, Vector const& b, Vector& x, double operator_norm,
                             EndOfSolves const& ends)
    : a_(a),
      b_(b),
      x_(x),
      convergence_(criteria),
      record_(std::move(method), observer),
      operator_norm_(operator_norm),
      ends_(ends) {}

std::optional<Outcome> ResidualSolve::begin(Vector& r) {
  true_residual_ = std::sqrt(a_.residual(b_, x_, r));
  is_checked_ = true;
  b_norm_ = std::sqrt(b_.square());
  residual_ = criterion_norm_ = smallest_ = true_residual_;
  if (auto const failure = what_cannot_be_measured(r)) {
    record_.measure(0, residual_);
    return fail(*failure);
  }
  double const b_criterion_norm = criterion_norm(b_, b_norm_);
  criterion_norm_ = criterion_norm(r, residual_);
  // The method reports at its start why there is no such norm.
  record_.measure(0, std::isfinite(criterion_norm_) ? criterion_norm_ : residual_);
  convergence_.begin(criterion_norm_, b_criterion_norm);
  measure_solution();
  rounding_at_start_ = rounding_;
  initial_ = smallest_restart_ = residual_;
  if (recurrence_converged()) return Outcome::converged;
  // The rounding level is a worst case: the recurrence shows whether there is more to gain.
  if (residual_ <= rounding_) agreed_at_ = residual_;
  return std::nullopt;
}

std::optional<Failure> ResidualSolve::what_cannot_be_measured(Vector const& r) const {
  if (!std::isfinite(residual_)) return why_not_finite(residual_, r);
  if (!std::isfinite(b_norm_)) return why_not_finite(b_norm_, b_);
  if (underflows(residual_, r)) return Failure{Outcome::breakdown, underflow_remark};
  return std::nullopt;
}

double ResidualSolve::criterion_norm(Vector const& r, double norm) const {
  if (!ends_.norm || norm == 0) return norm;
  double const found = ends_.norm(r);
  return found > 0 ? found : std::nan("");
}

double ResidualSolve::find_true_residual(Vector& r) {
  true_residual_ = std::sqrt(a_.residual(b_, x_, r));
  is_checked_ = true;
  measure_solution();
  return true_residual_;
}

std::optional<Outcome> ResidualSolve::measure(double residual, double criterion_norm) {
  residual_ = residual;
  criterion_norm_ = criterion_norm;
  smallest_ = std::min(smallest_, residual);
  is_checked_ = false;
  return measure_at(++iteration_, criterion_norm);
}

std::optional<Outcome> ResidualSolve::measure_true_residual(Index steps, double residual, Vector const& x) {
  iteration_ += steps;
  residual_ = criterion_norm_ = true_residual_ = residual;
  is_checked_ = true;
  if (auto const failure = measure_at(iteration_, residual)) return failure;
  if (recurrence_converged()) return Outcome::converged;
  if (!convergence_.falling() && residual <= rounding_of(x)) return Outcome::converged_to_rounding;
  return std::nullopt;
}

std::optional<Outcome> ResidualSolve::append(SolveReport const& inner) {
  record_.append(inner);
  iteration_ = record_.report().iterations;
  residual_ = criterion_norm_ = true_residual_ = inner.true_residual;
  is_checked_ = true;
  // If a few steps end within rounding, there may still be more to gain.
  bool const may_continue =
      inner.outcome == Outcome::iteration_limit || inner.outcome == Outcome::converged_to_rounding;
  if (!may_continue) return fail({inner.outcome, inner.remark});
  if (auto const failure = convergence_.failure(residual_)) return fail(*failure);
  return std::nullopt;
}

std::optional<Outcome> ResidualSolve::begin_at(Index iteration, double criterion_norm, Vector const& of) {
  record_.measure(iteration, criterion_norm);
  b_norm_ = std::sqrt(b_.square());
  if (!std::isfinite(criterion_norm)) return fail(why_not_finite(criterion_norm, of));
  if (!std::isfinite(b_norm_)) return fail(why_not_finite(b_norm_, b_));
  convergence_.begin(criterion_norm, b_norm_);
  if (auto const failure = convergence_.failure(criterion_norm)) return fail(*failure);
  return std::nullopt;
}

std::optional<Outcome> ResidualSolve::measure_at(Index iteration, double criterion_norm) {
  record_.measure(iteration, criterion_norm);
  if (auto const failure = convergence_.failure(criterion_norm)) return fail(*failure);
  return std::nullopt;
}

void ResidualSolve::descend(double decrease) {
  descends_ = true;
  convergence_.descend(decrease);
}

bool ResidualSolve::should_iterate() const {
  return iteration_ < most_iterations() && !recurrence_converged() && !recurrence_is_rounding() && !on_plateau();
}

CgBounds ResidualSolve::bounds() const {
  return {.enough = std::max({convergence_.target(), rounding_, note_at()}),
          .too_much = convergence_.most(),
          .most = smallest_ <= rounding_ ? 1 : std::min(convergence_.until_plateau(), left())};
}

bool ResidualSolve::grows_from_rounding() const {
  return smallest_ <= rounding_ && residual_ > most_growth * smallest_;
}

// The rounding level is a worst case: as long as b - A x agrees with the recurrence, there may be more to gain.
bool ResidualSolve::recurrence_is_rounding() const { return residual_ <= std::min(rounding_, agreed_at_ / 10); }

bool ResidualSolve::rounding_is_credible() const {
  return true_residual_ <= std::max(0.1 * initial_, 2 * rounding_at_start_);
}

std::optional<Outcome> ResidualSolve::check_true_residual(Vector& r) {
  find_true_residual(r);
  if (!std::isfinite(true_residual_)) return fail(why_not_finite(true_residual_, r));
  bool const had_converged = recurrence_converged();
  criterion_norm_ = criterion_norm(r, true_residual_);
  if (convergence_.reached(criterion_norm_)) return Outcome::converged;

  bool const drifted = recurrence_drifted();
  bool const has_nothing_to_gain = had_converged || (drifted && recurrence_is_rounding());
  bool const misses_by_little = has_nothing_to_gain && !drifted;
  bool const tries_once_more = misses_by_little && !missed_by_little_;
  missed_by_little_ = misses_by_little;
  if (has_nothing_to_gain && !tries_once_more && rounding_explains_residual()) {
    if (rounding_is_credible()) return Outcome::converged_to_rounding;
    return fail(
        {Outcome::diverged,
         "the solution grows without bound: the operator may be singular; verify: true checks for a null space"});
  }
  if (iteration_ >= most_iterations()) return fail({Outcome::iteration_limit, ends_.advice});

  if (recurrence_is_rounding()) agreed_at_ = std::min(residual_, true_residual_);
  bool const plateau = on_plateau();
  bool const descended = plateau && convergence_.descended(x_.precision());
  if (plateau && !descended && !rounding_explains_residual()) return fail({Outcome::stalled, descent_stalled_remark});

  // A recurrence that had more to gain and agrees with b - A x need not make that smaller in every restart.
  bool const may_rest = !has_nothing_to_gain && !drifted && (descended || ends_.converged_recurrences_only);
  double const enough = (has_nothing_to_gain ? 0.5 : 1 - epsilon(x_.precision())) * smallest_restart_;
  bool const progresses = tries_once_more || may_rest || true_residual_ <= enough;
  restarts_without_progress_ = progresses ? 0 : restarts_without_progress_ + 1;
  if (restarts_without_progress_ >= ends_.max_restarts_without_progress) {
    if (rounding_explains_residual() && rounding_is_credible()) return Outcome::converged_to_rounding;
    return fail({Outcome::stalled, stalled_remark});
  }
  smallest_restart_ = std::min(smallest_restart_, true_residual_);
  residual_ = smallest_ = true_residual_;
  return std::nullopt;
}

std::optional<Outcome> ResidualSolve::end_within_rounding(Vector& r) {
  if (!(smallest_ <= rounding_)) return std::nullopt;
  double const before = rounding_;
  find_true_residual(r);
  smallest_ = residual_;
  if (convergence_.reached(criterion_norm(r, true_residual_))) return Outcome::converged;
  // For a solution that grew without bound, the rounding level explains any residual.
  if (true_residual_ <= std::min(rounding_, 2 * before)) return Outcome::converged_to_rounding;
  return std::nullopt;
}

void ResidualSolve::note_solution() {
  if (solution_is_old()) measure_solution();
}

double ResidualSolve::rounding_of(Vector const& x) const {
  return rounding_level(x.precision(), operator_norm_, std::sqrt(x.square()), b_norm_);
}

void ResidualSolve::note_solution(double square) {
  rounding_ = rounding_level(x_.precision(), operator_norm_, std::sqrt(square), b_norm_);
  residual_at_norm_ = residual_;
}

std::optional<Outcome> ResidualSolve::fail(Failure failure) {
  remark_ = std::move(failure.remark);
  return failure.outcome;
}

SolveReport ResidualSolve::end(Outcome outcome, Vector& r, std::string remark) {
  if (outcome == Outcome::not_a_number) {
    true_residual_ = std::nan("");
  } else if (!is_checked_) {
    true_residual_ = std::sqrt(a_.residual(b_, x_, r));
  }
  return record_.finish(outcome, true_residual_, remark.empty() ? std::move(remark_) : std::move(remark));
}

}  // namespace halocline
