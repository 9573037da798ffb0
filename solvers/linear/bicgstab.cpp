#include "solvers/linear/bicgstab.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "solvers/linear/residual_solve.hpp"

namespace halocline {

/// One solve.
class BiCgStabIteration {
 public:
  BiCgStabIteration(BiCgStab& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver),
        a_(a),
        x_(x),
        solve_("bicgstab", solver.criteria_, solver.observer(), a, b, x, solver.operator_norm_) {}

  SolveReport run() {
    if (!s_.obstacle_.empty()) return solve_.end(Outcome::breakdown, *s_.r_, s_.obstacle_);
    auto outcome = solve_.begin(*s_.r_);
    while (!outcome) {
      outcome = iterate();
      if (!outcome) outcome = solve_.look(*s_.r_);
    }
    return solve_.end(*outcome, *s_.r_);
  }

 private:
  /// From the residual in r until there is reason to look at b - A x.
  std::optional<Outcome> iterate() {
    s_.shadow_->copy(*s_.r_);
    s_.p_->copy(*s_.r_);
    shadow_norm_ = solve_.residual();
    rho_ = shadow_norm_ * shadow_norm_;
    for (Index steps = 0; solve_.goes_on(); ++steps) {
      Step const step = this->step();
      if (step == Step::not_a_number) {
        return solve_.fail(Outcome::not_a_number, "a product of two vectors is not a finite number");
      }
      if (step == Step::breakdown) {
        // A start that takes no step is where the next one would be too.
        if (steps == 0) return solve_.fail(Outcome::breakdown, "a product that the method divides by has vanished");
        return std::nullopt;
      }
      if (auto const failure = solve_.measure(residual_)) return failure;
      solve_.note_solution();
      if (step == Step::last) return std::nullopt;
    }
    return std::nullopt;
  }

  enum class Step { taken, last, breakdown, not_a_number };

  Step step() {
    Vector const& direction = preconditioned(*s_.p_);
    a_.apply(direction, *s_.v_);
    auto const [product, square] = products_of(*s_.v_, *s_.shadow_);
    if (!std::isfinite(product) || !std::isfinite(square)) return Step::not_a_number;
    if (vanishes(product, std::sqrt(square))) return Step::breakdown;
    double const alpha = rho_ / product;
    x_.add(alpha, direction);
    double const half_way = std::sqrt(s_.r_->add_and_square(-alpha, *s_.v_));
    residual_ = half_way;
    if (half_way == 0) return Step::last;

    Vector const& second = preconditioned(*s_.r_);
    a_.apply(second, *s_.t_);
    auto const [along, length] = products_of(*s_.t_, *s_.r_);
    if (!std::isfinite(along) || !std::isfinite(length)) return Step::not_a_number;
    // Nothing to be had along the second direction: half a step has been taken all the same.
    if (std::abs(along) <= small_ * half_way * std::sqrt(length)) return Step::last;
    double const omega = along / length;
    x_.add(omega, second);
    residual_ = std::sqrt(s_.r_->add_and_square(-omega, *s_.t_));

    double const rho = s_.r_->dot(*s_.shadow_);
    if (!std::isfinite(rho)) return Step::not_a_number;
    if (vanishes(rho, residual_)) return Step::last;
    double const beta = rho / rho_ * (alpha / omega);
    rho_ = rho;
    s_.p_->add(-omega, *s_.v_);
    s_.p_->combine(1, *s_.r_, beta);
    return Step::taken;
  }

  /// Whether the product of the shadow residual with a vector of some norm is nothing but rounding.
  [[nodiscard]] bool vanishes(double product, double norm) const {
    return std::abs(product) <= small_ * shadow_norm_ * norm;
  }

  /// x . y and x . x
  static std::array<double, 2> products_of(Vector const& x, Vector const& y) {
    std::array<double, 2> products{};
    x.dots(std::array<Vector const*, 2>{&y, &x}, products);
    return products;
  }

  Vector const& preconditioned(Vector const& r) {
    if (!s_.preconditioner_) return r;
    s_.preconditioner_->apply(r, *s_.z_);
    return *s_.z_;
  }

  BiCgStab& s_;
  Operator const& a_;
  Vector& x_;
  ResidualSolve solve_;
  double small_ = epsilon(x_.precision());
  double rho_ = 0;  ///< of the residual and the shadow residual
  double shadow_norm_ = 0;
  double residual_ = 0;
};

BiCgStab::BiCgStab(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : criteria_(criteria), preconditioner_(std::move(preconditioner)) {}
BiCgStab::~BiCgStab() = default;

void BiCgStab::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  for (auto* const vector : {&r_, &shadow_, &p_, &v_, &t_}) *vector = a.create_vector();
  if (!preconditioner_) return;
  z_ = a.create_vector();
  try {
    preconditioner_->prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport BiCgStab::solve(Operator const& a, Vector const& b, Vector& x) {
  return BiCgStabIteration(*this, a, b, x).run();
}

}  // namespace halocline
