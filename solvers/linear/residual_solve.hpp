#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "framework/operator/cg_steps.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

/// What sets methods apart in the way their solves end.
struct EndOfSolves {
  /// After as many in a row that gained nothing the solve has stalled.
  int fruitless_starts = 1;
  /// Whether that holds only for starts after which a residual was claimed: where a method guarantees nothing to fall.
  bool only_claims = false;
  char const* advice = "";  ///< where the limit of iterations has come
  /// Of a residual, or of the right-hand side: what the criteria are held to. Empty: the 2-norm.
  std::function<double(Vector const&)> norm = {};
};

/// One solve by a method that watches the residual of its own recurrence: how it begins, when b - A x is looked at, and
/// how it ends. Rounding lets the recurrence drift away from b - A x, so a recurrence that meets the criteria is
/// believed when b - A x meets them too; until then the method starts again from there.
class ResidualSolve {
 public:
  /// \param operator_norm Operator::norm_bound
  ResidualSolve(std::string method, Criteria const& criteria, IterationObserver const& observer, Operator const& a,
                Vector const& b, Vector& x, double operator_norm, EndOfSolves const& ends);

  /// r = b - A x, the residual of iteration 0. How the solve ended if there is nothing to iterate for.
  [[nodiscard]] std::optional<Outcome> begin(Vector& r);
  /// Takes the residual of the recurrence after one more iteration; says how the solve failed, if it did.
  [[nodiscard]] std::optional<Outcome> measure(double residual) { return measure(residual, residual); }
  /// The same with its norm that the criteria are held to.
  [[nodiscard]] std::optional<Outcome> measure(double residual, double judged);
  /// For methods that look at b - A x themselves: takes its 2-norm after `steps` more iterations, at x. How the solve
  /// ended, if it did.
  [[nodiscard]] std::optional<Outcome> measure_true_residual(Index steps, double residual, Vector const& x);
  /// For methods that are made of steps of others: takes over what those measured.
  [[nodiscard]] std::optional<Outcome> append(SolveReport const& inner);
  /// For methods whose steps measure what they start from, in place of `begin`: what the criteria are held to, of the
  /// first of them and this vector.
  [[nodiscard]] std::optional<Outcome> begin_at(Index iteration, double judged, Vector const& of);
  /// The same of each step after it.
  [[nodiscard]] std::optional<Outcome> measure_at(Index iteration, double judged);
  /// Takes by how much the square of the norm fell that the method makes smaller in every iteration: no solve stalls on
  /// a plateau of residuals while that gets on. Methods that never call it have no plateaus.
  void descend(double decrease);
  /// Whether to go on before b - A x is looked at: not at the limit, nor where the recurrence has got where it should,
  /// nor at the end of a plateau.
  [[nodiscard]] bool goes_on() const;
  /// When iterations that are measured together must end, for `goes_on` and `note_solution`.
  [[nodiscard]] CgBounds bounds() const;
  /// Whether the recurrence says that the criteria are met.
  [[nodiscard]] bool claims() const { return convergence_.reached(judged_); }
  /// Whether the residual has grown from where rounding explains it: what rounding leaves in the null space of A is
  /// never taken out of a recurrence, and feeds on itself.
  [[nodiscard]] bool grows_from_rounding() const;
  /// r = b - A x for the x of now. How the solve ended; nothing: the next start is from r.
  [[nodiscard]] std::optional<Outcome> check_true_residual(Vector& r);
  /// Where a method can go no further: how the solve ended if rounding explains b - A x; r is spare memory.
  [[nodiscard]] std::optional<Outcome> end_within_rounding(Vector& r);
  /// r = b - A x for the x of now; its 2-norm.
  double find_true_residual(Vector& r);
  /// For methods whose x is there in every iteration: keeps what rounding explains up with it.
  void note_solution();
  /// The same in two halves, for methods that add x . x to a reduction of their own.
  [[nodiscard]] bool solution_is_old() const { return residual_ <= note_at(); }
  void note_solution(double square);

  /// What rounding explains of b - A x, with the x of the last look or note.
  [[nodiscard]] double rounding() const { return rounding_; }
  [[nodiscard]] Convergence const& convergence() const { return convergence_; }
  [[nodiscard]] Vector const& b() const { return b_; }
  [[nodiscard]] double rounding_of(Vector const& x) const;
  /// Of the recurrence, or b - A x after a look.
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] Index iterations() const { return iteration_; }
  [[nodiscard]] Index left() const { return most_iterations() - iteration_; }
  [[nodiscard]] Index most_iterations() const { return convergence_.criteria().iterations; }

  [[nodiscard]] std::optional<Outcome> fail(Failure failure);
  [[nodiscard]] std::optional<Outcome> not_a_number() {
    return fail({Outcome::not_a_number,
                 "a product of two vectors is not a finite number; scale the problem, or look at its coefficients"});
  }
  /// Steps done, where that is not the iteration last measured.
  void set_iterations(Index iterations) { record_.set_iterations(iterations); }
  /// Reports; `r` is spare memory.
  [[nodiscard]] SolveReport end(Outcome outcome, Vector& r, std::string remark = {});

 private:
  void measure_solution() { note_solution(x_.square()); }
  [[nodiscard]] std::optional<Failure> what_cannot_be_measured(Vector const& r) const;
  /// The norm of a residual that the criteria are held to, whose 2-norm is known. No number, which meets no criteria,
  /// where that is no norm: by a preconditioner that is not positive definite.
  [[nodiscard]] double judged(Vector const& r, double norm) const;
  [[nodiscard]] double note_at() const { return 0.01 * residual_at_norm_; }
  [[nodiscard]] bool below_rounding() const;
  [[nodiscard]] bool on_plateau() const { return descends_ && convergence_.on_plateau(); }

  Operator const& a_;
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  std::string remark_;
  double operator_norm_;
  EndOfSolves ends_;
  int fruitless_starts_ = 0;
  Index iteration_ = 0;
  double residual_ = 0;
  double judged_ = 0;    ///< the norm of it that the criteria are held to
  double smallest_ = 0;  ///< residual since the last look
  double true_residual_ = 0;
  double initial_ = 0;
  double smallest_start_ = 0;
  double b_norm_ = 0;
  double rounding_ = 0;  ///< what rounding explains
  double rounding_at_start_ = 0;
  /// Residual of the recurrence, below what rounding explains, when b - A x last agreed with it.
  double checked_at_ = std::numeric_limits<double>::infinity();
  double residual_at_norm_ = 0;
  bool descends_ = false;    ///< the method tells what falls
  bool missed_ = false;      ///< b - A x was above the target at the last look, and the recurrence just below
  bool is_checked_ = false;  ///< true_residual_ is that of the x of now
};

}  // namespace halocline
