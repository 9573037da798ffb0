#include "solvers/linear/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "framework/operator/state_archive.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"

namespace halocline {

namespace {

constexpr Index first_check = 2;
constexpr Index check_interval = 10;
/// Ritz values lie inside the spectrum, so the interval is widened by this fraction on both sides.
constexpr double margin = 0.05;

/// Hull of both intervals; zeros stand for an empty one.
EigenvalueBounds hull(EigenvalueBounds const& a, EigenvalueBounds const& b) {
  if (a.largest == 0) return b;
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

/// The norm of the residual may lag behind the bound by the condition number of the scaling. Once the promised
/// reduction is below a hundredth, its square root is far above any such lag. Growth is detected at once.
bool too_slow(double fallen, double promised) {
  return fallen > 10 || (promised < 0.01 && fallen > std::sqrt(promised));
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

Chebyshev::Chebyshev(Settings const& settings)
    : KrylovSolver("chebyshev", settings.criteria, nullptr),
      settings_(settings),
      presteps_({}, std::make_unique<JacobiPreconditioner>()),
      interval_(settings_.interval) {}

void Chebyshev::make_vectors(Operator const& a) {
  interval_ = settings_.interval;
  next_ = a.create_vector();
  direction_ = a.create_vector();
  [[maybe_unused]] auto const usable = inverse_diagonal(a);
  presteps_.prepare(a);
}

void Chebyshev::serialize(StateArchive& state, std::string const& group) {
  state.number(group + "/smallest_eigenvalue", interval_.smallest);
  state.number(group + "/largest_eigenvalue", interval_.largest);
}

std::optional<Outcome> Chebyshev::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  is_narrow_ = false;
  while (solve.left() > 0) {
    if (interval_.largest == 0 || is_narrow_) {
      if (auto const outcome = find_interval(solve, a, x)) return outcome;
    }
    if (interval_.largest > 0 && solve.left() > 0) {
      if (auto const outcome = sweep(solve, a, x)) return outcome;
    }
  }
  return solve.fail({Outcome::iteration_limit, "raise the number of iterations"});
}

std::optional<Outcome> Chebyshev::find_interval(ResidualSolve& solve, Operator const& a, Vector& x) {
  Index const steps = std::min(solve.left(), settings_.presteps);
  presteps_.set_criteria({.relative = 0, .absolute = solve.convergence().target(), .iterations = steps});
  if (auto const failure = solve.append(presteps_.solve(a, solve.b(), x))) return failure;
  is_narrow_ = false;
  if (presteps_.coefficients().empty()) return std::nullopt;
  EigenvalueBounds const found = lanczos_bounds(presteps_.coefficients());
  interval_ = hull(interval_, {found.smallest * (1 - margin), found.largest * (1 + margin)});
  return std::nullopt;
}

std::optional<Outcome> Chebyshev::sweep(ResidualSolve& solve, Operator const& a, Vector& x) {
  auto const steps = chebyshev_steps(a);
  ChebyshevRecurrence recurrence(interval_);
  double const first = solve.residual();
  Vector* now = &x;
  Vector* next = next_.get();
  std::optional<Outcome> outcome;
  // The first check comes early: with an interval far too narrow the iteration diverges within a few steps.
  Index next_check = first_check;
  while (!outcome && !is_narrow_ && solve.left() > 0) {
    Index const count = std::min(solve.left(), std::exchange(next_check, check_interval));
    for (Index n = 0; n < count; ++n) {
      steps->step(recurrence.next(), solve.b(), *now, *direction_, *next);
      std::swap(now, next);
    }
    outcome = solve.measure_true_residual(count, std::sqrt(a.residual(solve.b(), *now, *next)), *now);
    is_narrow_ = !outcome && too_slow(solve.residual() / first, recurrence.reduction());
  }
  if (now != &x) x.copy(*now);
  return outcome;
}

void ChebyshevPreconditioner::prepare(Operator const& a) {
  double const largest = 1.1 * estimate_eigenvalues(a, 10).largest;
  interval_ = {largest / ratio_, largest};
  stepper_.emplace(a);
}

void ChebyshevPreconditioner::apply(Vector const& r, Vector& z) {
  ChebyshevRecurrence recurrence(interval_);
  stepper_->run(degree_, true, r, z, [&] { return recurrence.next(); });
}

}  // namespace halocline
