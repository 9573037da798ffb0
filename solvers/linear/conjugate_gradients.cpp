#include "solvers/linear/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

namespace {

/// Of the recurrence's deviation from b - A x, relative to the residual, above which that converges no longer.
double most_deviation(Vector const& x) { return std::sqrt(epsilon(x.precision())); }

/// Growth of a residual that rounding explains after which its recurrence is not believed any more.
constexpr double most_growth = 10;

}  // namespace

/// One solve.
class CgIteration {
 public:
  CgIteration(ConjugateGradients& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver),
        a_(a),
        steps_(cg_steps(a)),
        b_(b),
        x_(x),
        convergence_(solver.criteria_),
        record_("cg", solver.observer()) {
    bool const is_plain = s_.preconditioner_ == nullptr && !s_.options_.flexible && !s_.options_.replaces_residuals;
    ahead_ = is_plain ? steps_->ahead() : nullptr;
    takes_steps_ = ahead_ != nullptr;
  }

  SolveReport run() {
    if (!s_.obstacle_.empty()) return end(Outcome::breakdown, s_.obstacle_);
    if (auto const outcome = begin()) return end(*outcome);
    while (iteration_ < convergence_.criteria().iterations) {
      if (auto const outcome = step()) return end(*outcome);
    }
    return end_at_limit();
  }

 private:
  std::optional<Outcome> begin() {
    true_residual_ = std::sqrt(a_.residual(b_, x_, *s_.r_));
    residual_ = true_residual_;
    b_norm_ = std::sqrt(b_.square());
    auto failure = what_cannot_be_measured();
    double b_measure = b_norm_;
    if (!failure && is_natural()) {
      b_measure = std::sqrt(s_.preconditioner_->apply_dot(b_, *s_.z_));
      if (auto const outcome = precondition_to_measure()) failure = Failure{*outcome, std::move(remark_)};
    }
    record_.measure(0, failure ? residual_ : measure());
    if (failure) return fail(*failure);
    convergence_.begin(measure(), b_measure);
    measure_solution();
    if (convergence_.reached(measure())) return Outcome::converged;
    last_start_ = residual_;
    last_residual_ = residual_;
    if (starts_by_preconditioner()) return std::nullopt;
    return start();
  }

  [[nodiscard]] std::optional<Failure> what_cannot_be_measured() const {
    if (!std::isfinite(residual_)) return why_not_finite(residual_, *s_.r_);
    if (!std::isfinite(b_norm_)) return why_not_finite(b_norm_, b_);
    if (underflows(residual_, *s_.r_)) return Failure{Outcome::breakdown, underflow_remark};
    return std::nullopt;
  }

  /// Without a preconditioner both norms are one.
  [[nodiscard]] bool is_natural() const {
    return s_.options_.norm == ResidualNorm::natural && s_.preconditioner_ != nullptr;
  }
  /// What the criteria are held to, of the recurrence …
  [[nodiscard]] double measure() const { return is_natural() ? std::sqrt(rz_) : residual_; }
  /// … and of b - A x after a look. What z was is lost.
  [[nodiscard]] double true_measure() {
    if (!is_natural()) return true_residual_;
    is_preconditioned_ = false;
    return std::sqrt(s_.preconditioner_->apply_dot(*s_.work_, *s_.z_));
  }
  std::optional<Outcome> precondition_to_measure() {
    rz_ = 0;
    if (residual_ == 0) return std::nullopt;
    auto const outcome = precondition();
    is_preconditioned_ = true;
    return outcome;
  }

  /// A first direction that is no M^-1 r: the step along it ends where conjugate gradients as they are begin.
  bool starts_by_preconditioner() {
    if (s_.preconditioner_ == nullptr || !s_.preconditioner_->has_start()) return false;
    is_preconditioned_ = false;
    rz_ = s_.preconditioner_->start_dot(*s_.r_, *s_.z_);
    starts_again_ = rz_ > 0 && std::isfinite(rz_);
    smallest_ = residual_;
    return starts_again_;
  }

  /// Takes the residual in r as the first of a new sequence of directions.
  std::optional<Outcome> start() {
    s_.coefficients_.clear();
    taken_ = {};
    checked_at_ = std::numeric_limits<double>::infinity();
    smallest_ = residual_;
    alpha_ = 0;
    beta_ = 0;
    drop_steps_ahead();
    auto const outcome = precondition();
    if (ahead_ != nullptr && !takes_steps_ && !outcome) ahead_->start(rz_);
    return outcome;
  }

  /// What a step that was in vain measured is not asked for.
  void drop_steps_ahead() {
    if (started_ > iteration_) [[maybe_unused]]
      auto const dropped = ahead_->squares(static_cast<int>(started_ % 2));
    started_ = iteration_;
  }

  /// Enqueues a step unless that has been done.
  void start_step(Index iteration) {
    if (started_ >= iteration) return;
    ahead_->start_step(static_cast<int>(iteration % 2), x_, s_.p_, s_.work_, *s_.r_);
    started_ = iteration;
  }

  /// What the next step measures, of steps that the operator takes by itself: none of them but the last is one that
  /// more than `next_direction` is done after.
  [[nodiscard]] std::optional<CgSquares> square_of_taken() {
    if (taken_.empty()) {
      double const enough = std::max({convergence_.target(), rounding_, look_at()});
      Index const most = smallest_ <= rounding_ ? 1 : std::min(convergence_.patience(), left());
      taken_ = ahead_->take_steps(
          {.beta = beta_, .square = rz_, .enough = enough, .too_much = convergence_.most(), .most = most}, x_, *s_.p_,
          *s_.r_);
    }
    if (taken_.empty()) return std::nullopt;
    CgSquares const next = taken_.front();
    taken_ = taken_.subspan(1);
    return next;
  }

  /// The same with the one after it already under way: that pays what this one owes x, and all else that it does is of
  /// no matter if this one is the last.
  [[nodiscard]] CgSquares squares_of_next() {
    if (takes_steps_) {
      if (auto const next = square_of_taken()) return *next;
      takes_steps_ = false;
      ahead_->start(rz_);
    }
    start_step(iteration_ + 1);
    if (iteration_ + 1 < convergence_.criteria().iterations) start_step(iteration_ + 2);
    return ahead_->squares(static_cast<int>((iteration_ + 1) % 2));
  }

  std::optional<Outcome> step() {
    CgSquares const measured = ahead_ != nullptr ? squares_of_next() : CgSquares{};
    double const curvature =
        ahead_ != nullptr ? measured.curvature : steps_->step(alpha_, beta_, preconditioned(), x_, s_.p_, s_.work_);
    alpha_ = 0;
    if (!std::isfinite(curvature)) return fail(why_not_finite(curvature, *s_.p_));
    if (!(curvature > 0)) return not_curved();
    alpha_ = rz_ / curvature;
    rz_before_ = rz_;
    convergence_.descend(alpha_ * rz_);
    s_.coefficients_.push_back({alpha_, 0});
    if (s_.r_before_) s_.r_before_->copy(*s_.r_);
    residual_ = std::sqrt(ahead_ != nullptr ? measured.residual : steps_->residual(alpha_, *s_.p_, *s_.work_, *s_.r_));
    if (takes_steps_ || started_ > iteration_ + 1) alpha_ = 0;  // paid
    if (s_.options_.replaces_residuals) replace_residual();
    if (is_natural() && std::isfinite(residual_)) {
      if (auto const outcome = precondition_to_measure()) return outcome;
    }
    record_.measure(++iteration_, measure());
    if (auto const failure = convergence_.failure(measure())) return fail(*failure);
    smallest_ = std::min(smallest_, residual_);
    if (convergence_.reached(measure()) || residual_ <= std::min(rounding_, checked_at_ / 10) ||
        convergence_.on_plateau()) {
      return check();
    }
    if (residual_ <= look_at()) measure_solution();
    // What rounding leaves in the null space of A is never taken out of r, and feeds on itself.
    if (smallest_ <= rounding_ && residual_ > most_growth * smallest_) {
      if (auto const outcome = end_within_rounding()) return outcome;
      smallest_ = residual_;
    }
    return next_direction();
  }

  /// Takes b - A x for r once the bound of what sets them apart is no longer small beside it.
  void replace_residual() {
    double const limit = most_deviation(x_);
    double const before = deviation_;
    deviation_ += rounding_ / rounding_factor;
    bool const due = before <= limit * last_residual_ && deviation_ > limit * residual_ &&
                     deviation_ > 1.1 * deviation_at_replacement_;
    last_residual_ = residual_;
    if (!due) return;
    look();
    std::swap(s_.r_, s_.work_);
    residual_ = true_residual_;
    deviation_ = rounding_ / rounding_factor;
    deviation_at_replacement_ = deviation_;
  }

  /// Where a method can go no further: how the solve ended if rounding explains b - A x.
  std::optional<Outcome> end_within_rounding() {
    if (!(smallest_ <= rounding_)) return std::nullopt;
    double const before = rounding_;
    look();
    if (convergence_.reached(true_measure())) return Outcome::converged;
    // Of a solution that has grown and grown rounding explains everything.
    if (true_residual_ <= std::min(rounding_, 2 * before)) return Outcome::converged_to_rounding;
    return std::nullopt;
  }

  /// A direction without curvature: made of rounding errors, where nothing else is left of the residual.
  std::optional<Outcome> not_curved() {
    if (auto const outcome = end_within_rounding()) return outcome;
    return fail({Outcome::indefinite, "conjugate gradients need a positive definite operator; take minres"});
  }

  std::optional<Outcome> next_direction() {
    if (std::exchange(starts_again_, false)) {
      pay();
      last_start_ = residual_;
      return start();
    }
    if (auto const outcome = precondition()) return outcome;
    // Polak and Ribiere's choice: with one preconditioner throughout the second product is zero.
    double const other = s_.r_before_ ? s_.z_->dot(*s_.r_before_) : 0;
    if (!std::isfinite(other)) return fail(why_not_finite(other, *s_.z_));
    beta_ = (rz_ - other) / rz_before_;
    s_.coefficients_.back().beta = beta_;
    return std::nullopt;
  }

  /// z = M^-1 r and its product with r.
  std::optional<Outcome> precondition() {
    if (std::exchange(is_preconditioned_, false)) return std::nullopt;
    rz_ = s_.preconditioner_ ? s_.preconditioner_->apply_dot(*s_.r_, *s_.z_) : residual_ * residual_;
    if (rz_ > 0 && std::isfinite(rz_)) return std::nullopt;
    if (rz_ < 0) return fail({Outcome::indefinite, "the preconditioner is not positive definite; choose another one"});
    if (rz_ == 0)
      return fail({Outcome::breakdown,
                   "the preconditioned residual is orthogonal to the residual; choose another preconditioner"});
    return fail(why_not_finite(rz_, preconditioned()));
  }
  [[nodiscard]] Vector const& preconditioned() const { return s_.preconditioner_ ? *s_.z_ : *s_.r_; }

  /// Compares the recurrence with b - A x, which is left in the spare vector.
  std::optional<Outcome> check() {
    bool const claimed = convergence_.reached(measure());
    look();
    if (convergence_.reached(true_measure())) return Outcome::converged;
    bool const drifted = drifted_from_truth();
    bool const descends = !convergence_.on_plateau() || convergence_.descended(x_.precision());
    if (!drifted && !claimed && descends) {
      checked_at_ = residual_;
      return next_direction();
    }
    if (true_residual_ <= rounding_) return Outcome::converged_to_rounding;
    if (!descends) return fail({Outcome::stalled, descent_stalled_remark});
    if (!(true_residual_ <= 0.5 * last_start_)) {
      return fail({Outcome::stalled, stalled_remark});
    }
    last_start_ = true_residual_;
    std::swap(s_.r_, s_.work_);
    residual_ = true_residual_;
    return start();
  }

  SolveReport end_at_limit() {
    look();
    if (convergence_.reached(true_measure())) return end(Outcome::converged);
    if (drifted_from_truth() && true_residual_ <= rounding_) return end(Outcome::converged_to_rounding);
    return end(Outcome::iteration_limit, "raise the number of iterations or choose a stronger preconditioner");
  }

  [[nodiscard]] bool drifted_from_truth() const { return !(true_residual_ <= 2 * residual_); }

  /// Pays the update owed to x and computes b - A x into the spare vector.
  void look() {
    pay();
    true_residual_ = std::sqrt(a_.residual(b_, x_, *s_.work_));
    measure_solution();
  }
  void pay() {
    if (alpha_ != 0) x_.add(alpha_, *s_.p_);
    alpha_ = 0;
  }
  /// Residual at which the solution has changed so much that its norm is asked for again.
  [[nodiscard]] double look_at() const { return 0.01 * residual_at_norm_; }
  [[nodiscard]] Index left() const { return convergence_.criteria().iterations - iteration_; }
  void measure_solution() {
    rounding_ = rounding_level(x_.precision(), s_.operator_norm_, std::sqrt(x_.square()), b_norm_);
    residual_at_norm_ = residual_;
  }

  std::optional<Outcome> fail(Failure failure) {
    remark_ = std::move(failure.remark);
    return failure.outcome;
  }

  SolveReport end(Outcome outcome, std::string remark = {}) {
    drop_steps_ahead();
    bool const looked = reached(outcome) || outcome == Outcome::iteration_limit;
    if (!looked && outcome != Outcome::not_a_number) look();
    if (outcome == Outcome::not_a_number) {
      true_residual_ = std::nan("");
      s_.p_->fill(0);  // its product with beta = 0 would be no number in the next solve either
    }
    if (remark.empty()) remark = std::move(remark_);
    return record_.finish(outcome, true_residual_, std::move(remark));
  }

  ConjugateGradients& s_;
  Operator const& a_;
  std::shared_ptr<CgSteps const> steps_;
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  std::string remark_;
  Index iteration_ = 0;
  CgStepsAhead const* ahead_ = nullptr;  ///< where steps need not wait for what the ones before measured
  bool takes_steps_ = false;             ///< as long as the operator takes steps by itself
  std::span<CgSquares const> taken_;     ///< what those that are over measured, but for what has been looked at
  Index started_ = 0;                    ///< the last step that was enqueued, where they run ahead
  double alpha_ = 0;                     ///< of the update that x is still owed
  double beta_ = 0;
  double rz_ = 0;
  double rz_before_ = 0;            ///< of the step before
  bool is_preconditioned_ = false;  ///< z and rz_ are those of r already
  double deviation_ = 0;            ///< bound of what rounding has set the recurrence apart from b - A x by
  double deviation_at_replacement_ = 0;
  double last_residual_ = 0;  ///< of the step before, for that
  double smallest_ = 0;       ///< residual since the start
  double residual_ = 0;       ///< of the recurrence
  double true_residual_ = 0;
  double b_norm_ = 0;
  double rounding_ = 0;  ///< what rounding explains, with the x of the last look
  double residual_at_norm_ = 0;
  /// Residual of the recurrence when b - A x last agreed with it.
  double checked_at_ = std::numeric_limits<double>::infinity();
  double last_start_ = 0;
  bool starts_again_ = false;  ///< the direction of this step is not one to go on from
};

ConjugateGradients::ConjugateGradients(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner,
                                       CgOptions options)
    : criteria_(criteria), preconditioner_(std::move(preconditioner)), options_(options) {}
ConjugateGradients::~ConjugateGradients() = default;

void ConjugateGradients::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  r_ = a.create_vector();
  p_ = a.create_vector();
  work_ = a.create_vector();
  if (!preconditioner_) return;
  z_ = a.create_vector();
  if (options_.flexible) r_before_ = a.create_vector();
  try {
    preconditioner_->prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport ConjugateGradients::solve(Operator const& a, Vector const& b, Vector& x) {
  return CgIteration(*this, a, b, x).run();
}

}  // namespace halocline
