#include "solvers/linear/bicgstab.hpp"
#include "framework/operator/fused_passes.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace halocline {

namespace {

/// x . x and x . y
std::array<double, 2> products_of(Vector const& x, Vector const& y) {
  std::array<double, 2> products{};
  x.dots(std::array<Vector const*, 2>{&x, &y}, products);
  return products;
}

}  // namespace

BiCgStab::BiCgStab(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : KrylovSolver("bicgstab", criteria, std::move(preconditioner)) {}

void BiCgStab::make_vectors(Operator const& a) {
  for (auto* const vector : {&r_, &shadow_, &p_, &v_, &t_}) *vector = a.create_vector();
  if (has_preconditioner()) z_ = a.create_vector();
}

std::optional<Outcome> BiCgStab::iterate(ResidualSolve& solve, Operator const& a, Vector& x) {
  shadow_->copy(*r_);
  p_->copy(*r_);
  shadow_norm_ = solve.residual();
  rho_ = shadow_norm_ * shadow_norm_;
  for (bool first = true; solve.should_iterate(); first = false) {
    Step const step = this->step(a, x);
    if (step == Step::not_a_number) return solve.not_a_number();
    if (step == Step::breakdown) {
      // A start without a step leaves the next one in the same place.
      if (first)
        return solve.fail({Outcome::breakdown, "a product that the method divides by is zero to rounding; use gmres"});
      return std::nullopt;
    }
    if (auto const failure = solve.measure(residual_)) return failure;
    solve.note_solution();
    if (step == Step::last) return std::nullopt;
  }
  return std::nullopt;
}

BiCgStab::Step BiCgStab::step(Operator const& a, Vector& x) {
  double const small = epsilon(x.precision());
  Vector const& direction = preconditioned(*p_, z_);
  a.apply(direction, *v_);
  auto const [square, product] = products_of(*v_, *shadow_);
  if (!std::isfinite(product) || !std::isfinite(square)) return Step::not_a_number;
  if (std::abs(product) <= small * shadow_norm_ * std::sqrt(square)) return Step::breakdown;
  double const alpha = rho_ / product;
  x.add(alpha, direction);
  residual_ = std::sqrt(add_and_square(*r_, -alpha, *v_));
  if (residual_ == 0) return Step::last;

  Vector const& second = preconditioned(*r_, z_);
  a.apply(second, *t_);
  auto const [length, along] = products_of(*t_, *r_);
  if (!std::isfinite(along) || !std::isfinite(length)) return Step::not_a_number;
  // No gain along the second direction, but half a step has been made.
  if (std::abs(along) <= small * residual_ * std::sqrt(length)) return Step::last;
  double const omega = along / length;
  x.add(omega, second);
  residual_ = std::sqrt(add_and_square(*r_, -omega, *t_));

  double const rho = r_->dot(*shadow_);
  if (!std::isfinite(rho)) return Step::not_a_number;
  if (std::abs(rho) <= small * shadow_norm_ * residual_) return Step::last;
  double const beta = rho / rho_ * (alpha / omega);
  rho_ = rho;
  p_->add(-omega, *v_);
  p_->combine(1, *r_, beta);
  return Step::taken;
}

}  // namespace halocline
