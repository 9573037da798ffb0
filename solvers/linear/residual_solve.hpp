#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "framework/operator/cg_steps.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

/// How the ends of solves differ between methods.
struct EndOfSolves {
  /// The solve has stalled after this many restarts in a row without progress.
  int max_restarts_without_progress = 1;
  /// Whether a restart can be without progress only if its recurrence converged: for methods that guarantee no
  /// decrease.
  bool converged_recurrences_only = false;
  char const* advice = "";  ///< if the limit of iterations ends a solve
  /// Norm of a residual or right-hand side for the criteria. Empty: the 2-norm.
  std::function<double(Vector const&)> norm = {};
};

/// One solve by a method that monitors the residual of its own recurrence. It iterates as long as `should_iterate`;
/// then `check_true_residual` compares the recurrence with b - A x, from which rounding lets it drift away, and the
/// solve has ended or restarts from b - A x:
///
///     recurrence has                            b - A x                           the solve
///     anything                                  meets the criteria                has converged
///     converged, or drifted within rounding     is as small as rounding lets it   has converged to rounding
///     converged, not drifted                    misses the criteria by little     restarts, once
///     anything                                  is smaller than at restarts       restarts
///     anything                                  is not, max_restarts_without_progress times in a row: has stalled
class ResidualSolve {
 public:
  /// \param operator_norm Operator::norm_bound
  ResidualSolve(std::string method, Criteria const& criteria, IterationObserver const& observer, Operator const& a,
                Vector const& b, Vector& x, double operator_norm, EndOfSolves const& ends);

  /// r = b - A x, the residual of iteration 0. Returns the outcome if no iteration is needed.
  [[nodiscard]] std::optional<Outcome> begin(Vector& r);
  /// Takes the residual of the recurrence after one more iteration; returns the outcome of a failed solve.
  [[nodiscard]] std::optional<Outcome> measure(double residual) { return measure(residual, residual); }
  /// The same with the residual's norm for the criteria, `criterion_norm`.
  [[nodiscard]] std::optional<Outcome> measure(double residual, double criterion_norm);
  /// For methods that compute b - A x themselves: takes its 2-norm after `steps` more iterations, at x. Returns the
  /// outcome if the solve has ended.
  [[nodiscard]] std::optional<Outcome> measure_true_residual(Index steps, double residual, Vector const& x);
  /// For methods made of steps of others: appends the history of those.
  [[nodiscard]] std::optional<Outcome> append(SolveReport const& inner);
  /// Replaces `begin` for methods whose steps compute the residual that they start from. Takes the first residual in
  /// the norm of the criteria; `of` is a vector for finding the reason if that is not finite.
  [[nodiscard]] std::optional<Outcome> begin_at(Index iteration, double criterion_norm, Vector const& of);
  /// The same for each later step.
  [[nodiscard]] std::optional<Outcome> measure_at(Index iteration, double criterion_norm);
  /// Takes the decrease of the squared norm that the method reduces in every iteration: while that falls, a plateau of
  /// residuals is not a stall. Methods that never call it have no plateaus.
  void descend(double decrease);
  /// Whether to continue without a true-residual check: not at the limit of iterations, nor if the recurrence has
  /// converged or reached the rounding level, nor at the end of a plateau.
  [[nodiscard]] bool should_iterate() const;
  /// When a batch of iterations must end, for `should_iterate` and `note_solution`.
  [[nodiscard]] CgBounds bounds() const;
  /// Whether the recurrence meets the criteria.
  [[nodiscard]] bool recurrence_converged() const { return convergence_.reached(criterion_norm_); }
  /// Whether the residual has grown from within the rounding level: rounding errors in the null space of A are never
  /// removed from a recurrence, and amplify themselves.
  [[nodiscard]] bool grows_from_rounding() const;
  /// r = b - A x for the current x. Returns the outcome; none: the next start is from r.
  [[nodiscard]] std::optional<Outcome> check_true_residual(Vector& r);
  /// If a method cannot continue: the outcome if the rounding level explains b - A x; r is spare memory.
  [[nodiscard]] std::optional<Outcome> end_within_rounding(Vector& r);
  /// r = b - A x for the current x; returns its 2-norm.
  double find_true_residual(Vector& r);
  /// For methods with x available in every iteration: updates the rounding level.
  void note_solution();
  /// The same in two parts, for methods that add x . x to their own reduction.
  [[nodiscard]] bool solution_is_old() const { return residual_ <= note_at(); }
  void note_solution(double square);

  /// Rounding level of b - A x, with x of the last check or note.
  [[nodiscard]] double rounding() const { return rounding_; }
  [[nodiscard]] Convergence const& convergence() const { return convergence_; }
  [[nodiscard]] Vector const& b() const { return b_; }
  [[nodiscard]] double rounding_of(Vector const& x) const;
  /// 2-norm of the recurrence's residual, or of b - A x after a check.
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] Index iterations() const { return iteration_; }
  [[nodiscard]] Index left() const { return most_iterations() - iteration_; }
  [[nodiscard]] Index most_iterations() const { return convergence_.criteria().iterations; }

  [[nodiscard]] std::optional<Outcome> fail(Failure failure);
  [[nodiscard]] std::optional<Outcome> not_a_number() {
    return fail({Outcome::not_a_number,
                 "a product of two vectors is not finite; scale the problem, or check its coefficients"});
  }
  /// Sets the number of steps, if that is not the iteration of the last residual.
  void set_iterations(Index iterations) { record_.set_iterations(iterations); }
  /// Makes the report; `r` is spare memory.
  [[nodiscard]] SolveReport end(Outcome outcome, Vector& r, std::string remark = {});

 private:
  void measure_solution() { note_solution(x_.square()); }
  [[nodiscard]] std::optional<Failure> what_cannot_be_measured(Vector const& r) const;
  /// The norm of a residual for the criteria, given its 2-norm. NaN, which meets no criteria, if it is not a norm
  /// because the preconditioner is not positive definite.
  [[nodiscard]] double criterion_norm(Vector const& r, double norm) const;
  [[nodiscard]] double note_at() const { return 0.01 * residual_at_norm_; }
  /// Whether the recurrence may consist of rounding errors: it is within their level, and ten times smaller than when
  /// b - A x last agreed with it.
  [[nodiscard]] bool recurrence_is_rounding() const;
  /// Whether b - A x, just found, is no longer what the recurrence says.
  [[nodiscard]] bool recurrence_drifted() const { return !(true_residual_ <= 2 * residual_); }
  [[nodiscard]] bool rounding_explains_residual() const { return true_residual_ <= rounding_; }
  /// For a solution that grew without bound the rounding level explains any residual, even if there is no solution.
  [[nodiscard]] bool rounding_is_credible() const;
  [[nodiscard]] bool on_plateau() const { return descends_ && convergence_.on_plateau(); }

  Operator const& a_;
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  std::string remark_;
  double operator_norm_;
  EndOfSolves ends_;
  int restarts_without_progress_ = 0;
  Index iteration_ = 0;
  double residual_ = 0;
  double criterion_norm_ = 0;  ///< its norm for the criteria
  double smallest_ = 0;        ///< smallest residual since the last check
  double true_residual_ = 0;
  double initial_ = 0;
  double smallest_restart_ = 0;  ///< smallest residual that a restart began from
  double b_norm_ = 0;
  double rounding_ = 0;  ///< rounding level of b - A x
  double rounding_at_start_ = 0;
  /// Residual of the recurrence, within the rounding level, when b - A x last agreed with it.
  double agreed_at_ = std::numeric_limits<double>::infinity();
  double residual_at_norm_ = 0;
  bool descends_ = false;          ///< the method calls `descend`
  bool missed_by_little_ = false;  ///< at the last check, b - A x was above the target and the recurrence just below
  bool is_checked_ = false;        ///< true_residual_ is that of the current x
};

}  // namespace halocline
