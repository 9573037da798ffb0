#include "solvers/linear/jacobi.hpp"

#include <cmath>
#include <utility>

#include "solvers/linear/convergence.hpp"
#include "solvers/linear/jacobi_preconditioner.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

/// One solve.
class JacobiIteration {
 public:
  JacobiIteration(Jacobi& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver), a_(a), b_(b), x_(x), convergence_(solver.criteria_), record_("jacobi", solver.observer()) {}

  SolveReport run() {
    if (!s_.obstacle_.empty()) return end(Outcome::breakdown, s_.obstacle_);
    b_norm_ = std::sqrt(b_.square());
    Vector* x = &x_;
    Vector* next = s_.next_.get();
    std::optional<Outcome> outcome;
    for (Index iteration = 1; !outcome && iteration <= s_.criteria_.iterations; ++iteration) {
      outcome = step(iteration, *x, *next);
      record_.set_iterations(iteration);
      std::swap(x, next);
    }
    if (x != &x_) x_.copy(*x);
    return outcome ? end(*outcome, std::move(remark_)) : end_at_limit();
  }

 private:
  [[nodiscard]] bool watches_change() const { return s_.quantity_ == StoppingQuantity::change; }

  std::optional<Outcome> step(Index iteration, Vector& x, Vector& next) {
    JacobiSquares const squares = a_.jacobi_step(s_.weight_, b_, x, next);
    auto const unknowns = static_cast<double>(x.size());
    watched_ = std::sqrt(watches_change() ? squares.change / unknowns : squares.residual);
    // The residual measured is that of the x before this step.
    record_.measure(watches_change() ? iteration : iteration - 1, watched_);
    if (iteration == 1) {
      if (!std::isfinite(watched_)) return Outcome::not_a_number;
      if (watched_ == 0 && !unchanged(x, next)) return fail(Outcome::breakdown, underflow_remark);
      begin(next);
    }
    if (auto const failure = convergence_.failure(watched_)) return failure;
    // The x before met the criteria; the new one must too. The old one's memory is free.
    if (convergence_.reached(watched_) && (watches_change() || convergence_.reached(residual_of(next, x)))) {
      return Outcome::converged;
    }
    if (watched_ <= 0.01 * watched_at_norm_) measure_solution(next);
    bool const noise = iteration > 1 && !convergence_.falling();
    if (watched_ <= rounding_ && noise) {
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

  std::optional<Outcome> fail(Outcome outcome, std::string remark) {
    remark_ = std::move(remark);
    return outcome;
  }

  void begin(Vector const& x) {
    convergence_.begin(watched_);
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
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  std::string remark_;
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
