#include "solvers/linear/conjugate_gradients.hpp"

#include <cmath>
#include <utility>

namespace halocline {

namespace {

/// Bound of |r - (b - A x)| / |r|, above which the residual of the recurrence is replaced.
double most_deviation(Vector const& x) { return std::sqrt(epsilon(x.precision())); }

}  // namespace

ConjugateGradients::ConjugateGradients(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner,
                                       CgOptions options)
    : KrylovSolver("cg", criteria, std::move(preconditioner)), options_(options) {}
ConjugateGradients::~ConjugateGradients() = default;

void ConjugateGradients::make_vectors(Operator const& a) {
  for (auto* const vector : {&r_, &p_, &q_}) *vector = a.create_vector();
  if (!has_preconditioner()) return;
  z_ = a.create_vector();
  if (options_.flexible) r_before_ = a.create_vector();
}

std::optional<Outcome> ConjugateGradients::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  bool starts = begin(solve, a, x);
  while (solve.should_iterate()) {
    // z = M^-1 r, and beta from r . z
    bool const is_first = std::exchange(starts, false) || begins_again_;
    if (is_first) begin_directions(solve);
    if (auto const failure = precondition(solve)) return failure;
    if (is_first) {
      recurrence_ = {.product = product_};
      engine_->start(recurrence_);
    } else {
      double const other = r_before_ ? z_->dot(*r_before_) : 0;  // zero if M is the same in every iteration
      if (!std::isfinite(other)) return solve.fail(why_not_finite(other, *z_));
      recurrence_.find_beta(product_, other);
      coefficients_.back().beta = recurrence_.beta;
    }
    if (r_before_) r_before_->copy(*r_);

    // p = z + beta p, and alpha = r . z / p . A p
    double const curvature = engine_->direction_apply_and_dot(recurrence_, z());
    if (!recurrence_.find_alpha(curvature)) return end_without_curvature(solve, curvature);

    // x = x + alpha p, r = r - alpha A p
    CgUpdate const updated = engine_->update_and_square(recurrence_.alpha);
    residual_ = std::sqrt(updated.square);
    scaled_product_ = updated.product;
    solve.descend(recurrence_.alpha * recurrence_.product);
    coefficients_.push_back({recurrence_.alpha, 0});
    if (options_.replaces_residuals) replace_residual(solve, x);

    // Whether that is enough
    double norm = residual_;
    if (is_natural() && residual_ > 0 && std::isfinite(residual_)) {
      if (auto const failure = precondition(solve)) return failure;
      is_preconditioned_ = true;
      norm = std::sqrt(product_);
    }
    if (auto const failure = solve.measure(residual_, norm)) return failure;
    if (!solve.should_iterate()) break;
    solve.note_solution();
    if (solve.grows_from_rounding()) {
      if (auto const outcome = end_within_rounding(solve)) return outcome;
    }
  }
  recurrence_converged_ = solve.recurrence_converged();
  engine_->apply_deferred_update();
  return std::nullopt;
}

bool ConjugateGradients::begin(ResidualSolve& solve, Operator const& a, Vector& x) {
  bool const is_new = solve.iterations() == 0;
  if (is_new) {
    // Nothing but a step's own sums then determines the next one.
    bool const is_plain = !options_.flexible && !options_.replaces_residuals && !is_natural() && !has_start();
    CgScaling const applied{is_plain ? scaling() : nullptr, z_.get()};
    engine_ = make_cg_engine(a, {x, r_, p_, q_, applied}, is_plain && (!has_preconditioner() || applied), solve);
    begins_again_ = false;
    residual_before_ = solve.residual();
    deviation_ = deviation_then_ = 0;
  }
  // If b - A x agrees with r, the iteration continues as if there had been no check.
  bool const starts = is_new || recurrence_converged_ || !(solve.residual() <= 2 * residual_);
  if (starts) {
    std::swap(r_, q_);
  } else {
    is_preconditioned_ = false;
  }
  return starts;
}

void ConjugateGradients::begin_directions(ResidualSolve const& solve) {
  residual_ = solve.residual();
  scaled_product_.reset();
  coefficients_.clear();
  begins_again_ = solve.iterations() == 0 && has_start();
  if (!begins_again_) return;
  product_ = start_dot(*r_, z_);
  begins_again_ = is_preconditioned_ = product_ > 0 && std::isfinite(product_);
}

std::optional<Outcome> ConjugateGradients::precondition(ResidualSolve& solve) {
  if (std::exchange(is_preconditioned_, false)) return std::nullopt;
  if (scaled_product_) {
    product_ = *scaled_product_;
  } else {
    product_ = has_preconditioner() ? precondition_dot(*r_, z_) : residual_ * residual_;
  }
  if (product_ > 0 && std::isfinite(product_)) return std::nullopt;
  if (product_ < 0)
    return solve.fail({Outcome::indefinite, "the preconditioner is not positive definite; choose another one"});
  if (product_ == 0) {
    return solve.fail({Outcome::breakdown,
                       "the preconditioned residual is orthogonal to the residual; choose another preconditioner"});
  }
  return solve.fail(why_not_finite(product_, z()));
}

std::optional<Outcome> ConjugateGradients::end_without_curvature(ResidualSolve& solve, double curvature) {
  if (!std::isfinite(curvature)) return solve.fail(why_not_finite(curvature, *p_));
  // The direction consists of rounding errors, because nothing else is left of the residual.
  if (auto const outcome = end_within_rounding(solve)) return outcome;
  return solve.fail({Outcome::indefinite, "conjugate gradients need a positive definite operator; use minres"});
}

std::function<double(Vector const&)> ConjugateGradients::norm() {
  if (!is_natural()) return {};
  return [this](Vector const& r) {
    product_ = precondition_dot(r, z_);
    is_preconditioned_ = product_ > 0 && std::isfinite(product_);
    return std::sqrt(product_);
  };
}

std::optional<Outcome> ConjugateGradients::end_within_rounding(ResidualSolve& solve) {
  engine_->apply_deferred_update();
  auto const outcome = solve.end_within_rounding(*q_);
  is_preconditioned_ = false;  // z may now belong to b - A x
  return outcome;
}

void ConjugateGradients::replace_residual(ResidualSolve& solve, Vector const& x) {
  double const limit = most_deviation(x);
  double const before = deviation_;
  deviation_ += solve.rounding() / rounding_factor;
  bool const is_due =
      before <= limit * residual_before_ && deviation_ > limit * residual_ && deviation_ > 1.1 * deviation_then_;
  residual_before_ = residual_;
  if (!is_due) return;
  engine_->apply_deferred_update();
  residual_ = solve.find_true_residual(*q_);
  std::swap(r_, q_);
  deviation_ = deviation_then_ = solve.rounding() / rounding_factor;
}

void ConjugateGradients::finish(Outcome outcome) {
  if (engine_) engine_->finish();
  engine_.reset();
  // With beta = 0, 0 * NaN would give NaN in the next solve.
  if (outcome == Outcome::not_a_number) p_->fill(0);
}

}  // namespace halocline
