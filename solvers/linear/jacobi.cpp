#include "solvers/linear/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/residual_solve.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"

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
        solve_("jacobi", solver.criteria_, solver.observer(), a, b, x, solver.operator_norm_, {}) {}

  SolveReport run() {
    if (!s_.obstacle_.empty()) return solve_.end(Outcome::breakdown, *s_.next_, s_.obstacle_);
    std::optional<Outcome> outcome;
    Index iteration = 0;
    while (!outcome && iteration < s_.criteria_.iterations) {
      outcome = step(++iteration);
    }
    solve_.set_iterations(iteration);
    if (&after(iteration) != &x_) x_.copy(after(iteration));
    if (!outcome) outcome = at_limit();
    return solve_.end(*outcome, *s_.next_);
  }

 private:
  [[nodiscard]] bool watches_change() const { return s_.quantity_ == StoppingQuantity::change; }

  /// The iterate after this many steps; valid until the second step after it overwrites it.
  [[nodiscard]] Vector& after(Index steps) { return steps % 2 == 0 ? x_ : *s_.next_; }

  /// Enqueues a step if that has not been done.
  void start(Index iteration) {
    if (started_ >= iteration) return;
    steps_->start_step(static_cast<int>(iteration % 2), s_.weight_, b_, after(iteration - 1), after(iteration));
    started_ = iteration;
  }

  /// The previous iterate, as scratch memory. The next step, if enqueued, also writes there: it must be repeated.
  [[nodiscard]] Vector& spare(Index iteration) {
    started_ = iteration;
    return after(iteration - 1);
  }

  /// The squares of a step. The next step is enqueued first if steps run asynchronously: it only reads this step's
  /// iterate, which stays valid if this one is the last.
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
    // The residual is that of x before this step.
    Index const measured = watches_change() ? iteration : iteration - 1;
    auto const failure =
        iteration == 1 ? solve_.begin_at(measured, watched_, next) : solve_.measure_at(measured, watched_);
    if (failure) return failure;
    if (iteration == 1) {
      if (watched_ == 0 && !unchanged(spare(iteration), next)) {
        return solve_.fail({Outcome::breakdown, underflow_remark});
      }
      measure_solution(next);
    }
    Convergence const& convergence = solve_.convergence();
    if (convergence.since_smallest() >= std::max<Index>(1000, 10 * x_.size())) {
      return solve_.fail({Outcome::stalled, stalled_remark});
    }
    // The previous x met the criteria; the new one must, too.
    if (convergence.reached(watched_) &&
        (watches_change() || convergence.reached(residual_of(next, spare(iteration))))) {
      return Outcome::converged;
    }
    if (watched_ <= 0.01 * watched_at_norm_) measure_solution(next);
    if (watched_ <= rounding_ && !convergence.falling()) {
      measure_solution(next);
      if (watched_ <= rounding_) return Outcome::converged_to_rounding;
    }
    return std::nullopt;
  }

  /// Whether the first step changed nothing at all. Overwrites the previous x.
  static bool unchanged(Vector& x, Vector const& next) {
    x.add(-1, next);
    return x.maximum() == 0;
  }

  /// Updates the rounding level of the monitored quantity: of x itself if that is the change.
  void measure_solution(Vector const& x) {
    double const x_norm = std::sqrt(x.square());
    rounding_ = watches_change()
                    ? rounding_level(x.precision(), 1, x_norm, 0) / std::sqrt(static_cast<double>(x.size()))
                    : solve_.rounding_of(x);
    watched_at_norm_ = watched_;
  }

  Outcome at_limit() {
    double const truth = solve_.find_true_residual(*s_.next_);
    bool const measured = !watches_change() && s_.criteria_.iterations > 0;
    if (measured && solve_.convergence().reached(truth)) return Outcome::converged;
    return *solve_.fail({Outcome::iteration_limit, "raise the number of iterations or choose a stronger method"});
  }

  double residual_of(Vector const& x, Vector& scratch) { return std::sqrt(a_.residual(b_, x, scratch)); }

  Jacobi& s_;
  Operator const& a_;
  std::shared_ptr<JacobiSteps const> steps_;
  Vector const& b_;
  Vector& x_;
  ResidualSolve solve_;
  Index started_ = 0;  ///< steps that have been enqueued
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
  require_prepared(next_ != nullptr);
  return JacobiIteration(*this, a, b, x).run();
}

}  // namespace halocline
