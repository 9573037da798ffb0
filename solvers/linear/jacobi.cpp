#include "solvers/linear/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/jacobi_preconditioner.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

/// One solve.
class JacobiIteration {
 public:
  JacobiIteration(Jacobi& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver),
        a_(a),
        steps_(jacobi_steps(a)),
        b_(b),
        x_(x),
        convergence_(solver.criteria_),
        record_("jacobi", solver.observer()) {}

  SolveReport run() {
    if (!s_.obstacle_.empty()) return end(Outcome::breakdown, s_.obstacle_);
    b_norm_ = std::sqrt(b_.square());
    std::optional<Outcome> outcome;
    Index iteration = 0;
    while (!outcome && iteration < s_.criteria_.iterations) {
      outcome = step(++iteration);
      record_.set_iterations(iteration);
    }
    if (&after(iteration) != &x_) x_.copy(after(iteration));
    return outcome ? end(*outcome, std::move(remark_)) : end_at_limit();
  }

 private:
  [[nodiscard]] bool watches_change() const { return s_.quantity_ == StoppingQuantity::change; }

  /// The iterate after so many steps, until the step after the next writes over it.
  [[nodiscard]] Vector& after(Index steps) { return steps % 2 == 0 ? x_ : *s_.next_; }

  /// Enqueues a step unless that has been done.
  void start(Index iteration) {
    if (started_ >= iteration) return;
    steps_->start_step(static_cast<int>(iteration % 2), s_.weight_, b_, after(iteration - 1), after(iteration));
    started_ = iteration;
  }

  /// The iterate before the step that is judged, as scratch. The step after it, if under way, writes there too: it is
  /// made again.
  [[nodiscard]] Vector& spare(Index iteration) {
    started_ = iteration;
    return after(iteration - 1);
  }

  /// What the step measured, with the next one already under way where that costs nothing: if this one is the last,
  /// its iterate is still there, for the next one only reads it.
  [[nodiscard]] JacobiSquares squares(Index iteration) {
    start(iteration);
    if (iteration > 1 && iteration < s_.criteria_.iterations && steps_->run_ahead()) start(iteration + 1);
    return steps_->squares(static_cast<int>(iteration % 2));
  }

  std::optional<Outcome> step(Index iteration) {
    JacobiSquares const squares = this->squares(iteration);
    Vector const& next = after(iteration);
    auto const unknowns = static_cast<double>(x_.size());
    watched_ = std::sqrt(watches_change() ? squares.change / unknowns : squares.residual);
    // The residual measured is that of the x before this step.
    record_.measure(watches_change() ? iteration : iteration - 1, watched_);
    if (iteration == 1) {
      if (!std::isfinite(watched_)) return fail(why_not_finite(watched_, next));
      if (!std::isfinite(b_norm_)) return fail(why_not_finite(b_norm_, b_));
      if (watched_ == 0 && !unchanged(spare(iteration), next)) return fail({Outcome::breakdown, underflow_remark});
      begin(next);
    }
    if (auto const failure = convergence_.failure(watched_)) return fail(*failure);
    if (convergence_.since_smallest() >= std::max<Index>(1000, 10 * x_.size())) {
      return fail({Outcome::stalled, stalled_remark});
    }
    // The x before met the criteria; the new one must too.
    if (convergence_.reached(watched_) &&
        (watches_change() || convergence_.reached(residual_of(next, spare(iteration))))) {
      return Outcome::converged;
    }
    if (watched_ <= 0.01 * watched_at_norm_) measure_solution(next);
    if (watched_ <= rounding_ && !convergence_.falling()) {
      measure_solution(next);
      if (watched_ <= rounding_) return Outcome::converged_to_rounding;
    }
    return std::nullopt;
  }

  /// Whether the first step changed nothing at all. Spoils the x before.
  static bool unchanged(Vector& x, Vector const& next) {
    x.add(-1, next);
    return x.maximum() == 0;
  }

  std::optional<Outcome> fail(Failure failure) {
    remark_ = std::move(failure.remark);
    return failure.outcome;
  }

  void begin(Vector const& x) {
    convergence_.begin(watched_, b_norm_);
    measure_solution(x);
  }

  /// How much of what is watched rounding explains: of x itself when the change is watched.
  void measure_solution(Vector const& x) {
    double const x_norm = std::sqrt(x.square());
    rounding_ = watches_change()
                    ? rounding_level(x.precision(), 1, x_norm, 0) / std::sqrt(static_cast<double>(x.size()))
                    : rounding_level(x.precision(), s_.operator_norm_, x_norm, b_norm_);
    watched_at_norm_ = watched_;
  }

  SolveReport end_at_limit() {
    double const truth = residual_of(x_, *s_.next_);
    bool const measured = !watches_change() && s_.criteria_.iterations > 0;
    if (measured && convergence_.reached(truth)) return record_.finish(Outcome::converged, truth);
    return record_.finish(Outcome::iteration_limit, truth,
                          "raise the number of iterations or choose a stronger method");
  }

  SolveReport end(Outcome outcome, std::string remark = {}) {
    double const truth = residual_of(x_, *s_.next_);
    return record_.finish(outcome, truth, std::move(remark));
  }

  double residual_of(Vector const& x, Vector& scratch) { return std::sqrt(a_.residual(b_, x, scratch)); }

  Jacobi& s_;
  Operator const& a_;
  std::shared_ptr<JacobiSteps const> steps_;
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  std::string remark_;
  Index started_ = 0;  ///< steps that have been enqueued
  double b_norm_ = 0;
  double watched_ = 0;
  double watched_at_norm_ = 0;
  double rounding_ = 0;
};

void Jacobi::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  next_ = a.create_vector();
  try {
    [[maybe_unused]] auto const usable = inverse_diagonal(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport Jacobi::solve(Operator const& a, Vector const& b, Vector& x) {
  return JacobiIteration(*this, a, b, x).run();
}

}  // namespace halocline
