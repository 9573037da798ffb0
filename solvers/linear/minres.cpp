#include "solvers/linear/minres.hpp"

#include "framework/operator/generic_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halocline {

Minres::Minres(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : KrylovSolver("minres", criteria, std::move(preconditioner)) {}

void Minres::make_vectors(Operator const& a) {
  for (auto* const vector : {&r_, &v_, &v_before_, &w_, &w_before_, &product_}) *vector = a.create_vector();
  if (!has_preconditioner()) return;
  z_ = a.create_vector();
  z_next_ = a.create_vector();
}

std::optional<Outcome> Minres::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  v_->copy(*r_);
  for (auto* const vector : {&v_before_, &w_, &w_before_}) (*vector)->fill(0);
  rotation_ = before_ = {};
  largest_ = 0;
  if (auto const failure = find_norm(solve, *v_, z_)) return failure;
  rest_ = gamma_;
  normalise(*v_, z_.get());
  gamma_ = 0;  // the first column has no entry above the diagonal; the norm of b - A x would be in other units
  while (solve.should_iterate()) {
    if (auto const failure = step(solve, a, x)) return failure;
    if (auto const failure = solve.measure(residual_)) return failure;
    solve.note_solution();
    if (gamma_ == 0) break;  // the Krylov space is exhausted
  }
  return std::nullopt;
}

std::optional<Outcome> Minres::step(ResidualSolve& solve, Operator const& a, Vector& x) {
  Vector const& z = has_preconditioner() ? *z_ : *v_;
  double const delta = apply_dot(a, z, *product_);
  double const gamma = gamma_;
  product_->add(-delta, *v_);
  product_->add(-gamma, *v_before_);
  if (auto const failure = find_norm(solve, *product_, z_next_)) return failure;

  // The new column of the tridiagonal matrix, after the two previous rotations, then after its own.
  double const turned = rotation_.cosine * delta - before_.cosine * rotation_.sine * gamma;
  double const second = rotation_.sine * delta + before_.cosine * rotation_.cosine * gamma;
  double const third = before_.sine * gamma;
  double const diagonal = std::hypot(turned, gamma_);
  if (!std::isfinite(diagonal)) return solve.not_a_number();
  largest_ = std::max(largest_, std::hypot(gamma, delta, gamma_));
  if (diagonal <= epsilon(x.precision()) * largest_) {
    return solve.fail({Outcome::breakdown, "the operator is singular"});
  }
  before_ = std::exchange(rotation_, {turned / diagonal, gamma_ / diagonal});

  w_before_->combine(1 / diagonal, z, -third / diagonal);
  w_before_->add(-second / diagonal, *w_);
  std::swap(w_, w_before_);
  x.add(rotation_.cosine * rest_, *w_);
  // Decrease of the squared norm of the residual, in the norm of the preconditioner.
  solve.descend(std::pow(rotation_.cosine * rest_, 2));
  rest_ *= -rotation_.sine;

  std::swap(v_before_, v_);
  std::swap(v_, product_);
  std::swap(z_, z_next_);
  normalise(*v_, z_.get());
  residual_ = std::abs(rest_);
  if (has_preconditioner()) {
    r_->combine(rest_ * rotation_.cosine, *v_, rotation_.sine * rotation_.sine);
    residual_ = std::sqrt(r_->square());
  }
  return std::nullopt;
}

std::optional<Outcome> Minres::find_norm(ResidualSolve& solve, Vector const& v, std::unique_ptr<Vector> const& z) {
  double const square = precondition_dot(v, z);
  if (square < 0)
    return solve.fail({Outcome::indefinite, "the preconditioner is not positive definite; choose another one"});
  if (!std::isfinite(square)) return solve.not_a_number();
  gamma_ = std::sqrt(square);
  return std::nullopt;
}

void Minres::normalise(Vector& v, Vector* z) const {
  if (gamma_ == 0) return;
  v.scale(1 / gamma_);
  if (z != nullptr) z->scale(1 / gamma_);
}

}  // namespace halocline
