#include "solvers/linear/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/jacobi_preconditioner.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

namespace {

constexpr Index first_look = 2;
constexpr Index look_every = 10;
/// Ritz values lie inside the spectrum: the interval reaches this much further on both sides.
constexpr double margin = 0.05;

/// Hull of both intervals; zeros stand for none.
EigenvalueBounds hull(EigenvalueBounds const& a, EigenvalueBounds const& b) {
  if (a.largest == 0) return b;
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

}  // namespace

ChebyshevRecurrence::ChebyshevRecurrence(EigenvalueBounds const& interval)
    : centre_((interval.largest + interval.smallest) / 2), half_width_((interval.largest - interval.smallest) / 2) {}

ChebyshevCoefficients ChebyshevRecurrence::next() {
  if (steps_++ == 0) {
    rho_ = half_width_ / centre_;
    return {.direction = 0, .residual = 1 / centre_};
  }
  double const before = rho_;
  rho_ = 1 / (2 * centre_ / half_width_ - before);
  return {.direction = rho_ * before, .residual = 2 * rho_ / half_width_};
}

double ChebyshevRecurrence::reduction() const {
  double const sigma = centre_ / half_width_;
  return 1 / std::cosh(static_cast<double>(steps_) * std::acosh(sigma));
}

/// One solve.
class ChebyshevIteration {
 public:
  ChebyshevIteration(Chebyshev& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver),
        a_(a),
        steps_(chebyshev_steps(a)),
        b_(b),
        x_(x),
        convergence_(solver.settings_.criteria),
        record_("chebyshev", solver.observer()) {}

  SolveReport run() {
    if (!s_.obstacle_.empty()) return record_.finish(Outcome::breakdown, look(), s_.obstacle_);
    auto outcome = begin();
    while (!outcome && left() > 0) {
      if (s_.interval_.largest == 0 || widen_) outcome = presteps();
      if (!outcome && s_.interval_.largest > 0 && left() > 0) outcome = sweep();
    }
    if (!outcome) return record_.finish(Outcome::iteration_limit, residual_, "raise the number of iterations");
    return record_.finish(*outcome, residual_, std::move(remark_));
  }

 private:
  [[nodiscard]] Index left() const { return s_.settings_.criteria.iterations - record_.report().iterations; }

  std::optional<Outcome> begin() {
    b_norm_ = std::sqrt(b_.square());
    record_.measure(0, look());
    if (!std::isfinite(residual_)) return fail(why_not_finite(residual_, *s_.next_));
    if (!std::isfinite(b_norm_)) return fail(why_not_finite(b_norm_, b_));
    if (underflows(residual_, *s_.next_)) return fail({Outcome::breakdown, underflow_remark});
    convergence_.begin(residual_, b_norm_);
    if (convergence_.reached(residual_)) return Outcome::converged;
    return std::nullopt;
  }

  /// Conjugate gradients from the present x: a better x, and the interval.
  std::optional<Outcome> presteps() {
    Index const steps = std::min(left(), s_.settings_.presteps);
    s_.presteps_.set_criteria({.relative = 0, .absolute = convergence_.target(), .iterations = steps});
    SolveReport const report = s_.presteps_.solve(a_, b_, x_);
    record_.append(report);
    residual_ = report.true_residual;
    // A few steps that rounding ended do not say that there is no more to be had.
    bool const goes_on = report.outcome == Outcome::iteration_limit || report.outcome == Outcome::converged_to_rounding;
    if (!goes_on) return fail({report.outcome, report.remark});
    if (auto const failure = convergence_.failure(residual_)) return fail(*failure);
    widen_ = false;
    if (s_.presteps_.coefficients().empty()) return std::nullopt;
    EigenvalueBounds const found = lanczos_bounds(s_.presteps_.coefficients());
    s_.interval_ = hull(s_.interval_, {found.smallest * (1 - margin), found.largest * (1 + margin)});
    return std::nullopt;
  }

  /// Chebyshev steps with the present interval until it proves too narrow.
  std::optional<Outcome> sweep() {
    ChebyshevRecurrence recurrence(s_.interval_);
    double const first = residual_;
    Vector* x = &x_;
    Vector* next = s_.next_.get();
    std::optional<Outcome> outcome;
    // The first look comes early: with an interval far too narrow the iteration blows up within a few steps.
    Index next_look = first_look;
    while (!outcome && !widen_ && left() > 0) {
      Index const steps = std::min(left(), std::exchange(next_look, look_every));
      for (Index n = 0; n < steps; ++n) {
        steps_->step(recurrence.next(), b_, *x, *s_.direction_, *next);
        std::swap(x, next);
      }
      residual_ = std::sqrt(a_.residual(b_, *x, *next));
      record_.measure(record_.report().iterations + steps, residual_);
      outcome = judge(*x);
      widen_ = !outcome && too_slow(residual_ / first, recurrence.reduction());
    }
    if (x != &x_) x_.copy(*x);
    return outcome;
  }

  std::optional<Outcome> judge(Vector const& x) {
    if (auto const failure = convergence_.failure(residual_)) return fail(*failure);
    if (convergence_.reached(residual_)) return Outcome::converged;
    if (!convergence_.falling() && residual_ <= rounding_of(x)) return Outcome::converged_to_rounding;
    return std::nullopt;
  }

  /// The norm of the residual may lag behind the bound by the condition of the scaling; the square root of what is
  /// promised, once that is a hundredth, is far more than any such lag. Growth needs no waiting.
  static bool too_slow(double fallen, double promised) {
    return fallen > 10 || (promised < 0.01 && fallen > std::sqrt(promised));
  }

  double look() { return residual_ = std::sqrt(a_.residual(b_, x_, *s_.next_)); }
  [[nodiscard]] double rounding_of(Vector const& x) const {
    return rounding_level(x.precision(), s_.operator_norm_, std::sqrt(x.square()), b_norm_);
  }

  std::optional<Outcome> fail(Failure failure) {
    remark_ = std::move(failure.remark);
    return failure.outcome;
  }

  Chebyshev& s_;
  Operator const& a_;
  std::shared_ptr<ChebyshevSteps const> steps_;
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  std::string remark_;
  double residual_ = 0;
  double b_norm_ = 0;
  bool widen_ = false;
};

Chebyshev::Chebyshev(Settings const& settings)
    : settings_(settings), presteps_({}, std::make_unique<JacobiPreconditioner>()), interval_(settings_.interval) {}

void Chebyshev::prepare(Operator const& a) {
  obstacle_.clear();
  interval_ = settings_.interval;
  operator_norm_ = a.norm_bound();
  next_ = a.create_vector();
  direction_ = a.create_vector();
  try {
    [[maybe_unused]] auto const usable = inverse_diagonal(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
  presteps_.prepare(a);
}

SolveReport Chebyshev::solve(Operator const& a, Vector const& b, Vector& x) {
  return ChebyshevIteration(*this, a, b, x).run();
}

void ChebyshevPreconditioner::prepare(Operator const& a) {
  steps_ = chebyshev_steps(a);
  double const largest = 1.1 * estimate_eigenvalues(a, 10).largest;
  interval_ = {largest / ratio_, largest};
  next_ = a.create_vector();
  direction_ = a.create_vector();
}

void ChebyshevPreconditioner::apply(Vector const& r, Vector& z) {
  ChebyshevRecurrence recurrence(interval_);
  Vector* x = &z;
  Vector* next = next_.get();
  z.fill(0);
  for (Index n = 0; n < degree_; ++n) {
    steps_->step(recurrence.next(), r, *x, *direction_, *next);
    std::swap(x, next);
  }
  if (x != &z) z.copy(*x);
}

}  // namespace halocline
