#include "solvers/linear/single_reduction_cg.hpp"

#include "framework/operator/generic_steps.hpp"

#include <cmath>
#include <utility>

namespace halocline {

void renew_direction(Vector& y, Vector const& x, double beta) {
  if (beta == 0) return y.copy(x);
  y.combine(1, x, beta);
}

SingleReductionCg::SingleReductionCg(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : SingleReductionCg("cg, one reduction", criteria, std::move(preconditioner)) {}

SingleReductionCg::SingleReductionCg(std::string name, Criteria criteria,
                                     std::unique_ptr<Preconditioner> preconditioner)
    : KrylovSolver(std::move(name), criteria, std::move(preconditioner)) {}

void SingleReductionCg::make_vectors(Operator const& a) {
  for (auto* const vector : {&r_, &w_, &p_, &s_}) *vector = a.create_vector();
  if (has_preconditioner()) u_ = a.create_vector();
}

std::optional<Outcome> SingleReductionCg::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  // If b - A x agrees with r, the iteration continues as if there had been no check.
  bool const starts = solve.iterations() == 0 || !(solve.residual() <= 2 * residual_);
  if (starts) {
    std::swap(r_, w_);
    alpha_ = 0;
  }
  resume(a);
  for (bool looked = true;; looked = false) {
    Products const now = find_products(solve, a, x);
    if (!std::isfinite(now.gamma) || !std::isfinite(now.delta)) return solve.not_a_number();
    residual_ = std::sqrt(now.square);
    if (!looked) {
      if (auto const failure = solve.measure(residual_)) return failure;
      if (now.x) solve.note_solution(*now.x);
      if (!solve.should_iterate()) return std::nullopt;
    }
    double const beta = has_direction() ? now.gamma / gamma_ : 0;
    double const curvature = has_direction() ? now.delta - beta * now.gamma / alpha_ : now.delta;
    if (!(now.gamma > 0) || !(curvature > 0)) return explain(beta, solve, a);
    alpha_ = now.gamma / curvature;
    gamma_ = now.gamma;
    solve.descend(alpha_ * gamma_);
    step(alpha_, beta, x);
  }
}

/// Finds out, without recurrences, why a product is not positive. Returns none if only the recurrences have lost the
/// sign, so that a restart from b - A x suffices.
std::optional<Outcome> SingleReductionCg::explain(double beta, ResidualSolve& solve, Operator const& a) {
  double const product = precondition_dot(*r_, u_);
  if (product < 0)
    return solve.fail({Outcome::indefinite, "the preconditioner is not positive definite; choose another one"});
  if (product == 0) {
    return solve.fail({Outcome::breakdown,
                       "the preconditioned residual is orthogonal to the residual; choose another preconditioner"});
  }
  renew_direction(*p_, u(), beta);
  double const curvature = apply_dot(a, *p_, *s_);
  if (!std::isfinite(product) || !std::isfinite(curvature)) return solve.not_a_number();
  if (!(curvature > 0)) {
    // The direction consists of rounding errors, because nothing else is left of the residual.
    if (auto const outcome = solve.end_within_rounding(*w_)) return outcome;
    return solve.fail({Outcome::indefinite, "conjugate gradients need a positive definite operator; use minres"});
  }
  residual_ = 0;
  return std::nullopt;
}

SingleReductionCg::Products SingleReductionCg::find_products(ResidualSolve const& solve, Operator const& a,
                                                             Vector const& x) {
  apply_to_residual(a);
  PendingSum sums = start_products(solve, x);
  return products_of(sums.finish());
}

void SingleReductionCg::step(double alpha, double beta, Vector& x) {
  renew_direction(*p_, u(), beta);
  renew_direction(*s_, *w_, beta);
  x.add(alpha, *p_);
  r_->add(-alpha, *s_);
}

void SingleReductionCg::apply_to_residual(Operator const& a) { a.apply(preconditioned(*r_, u_), *w_); }

PendingSum SingleReductionCg::start_products(ResidualSolve const& solve, Vector const& x) const {
  std::vector<Factors> pairs{{u(), *r_}, {u(), *w_}};
  if (has_preconditioner()) pairs.push_back({*r_, *r_});
  if (solve.solution_is_old()) pairs.push_back({x, x});
  return r_->start_products(pairs);
}

SingleReductionCg::Products SingleReductionCg::products_of(std::span<double const> sums) const {
  std::size_t const own = has_preconditioner() ? 3 : 2;
  Products products;
  products.gamma = sums[0];
  products.delta = sums[1];
  products.square = has_preconditioner() ? sums[2] : sums[0];
  if (sums.size() > own) products.x = sums[own];
  return products;
}

}  // namespace halocline
