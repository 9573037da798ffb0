#include "solvers/linear/minres.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/linear/residual_solve.hpp"

namespace halocline {

/// One solve.
class MinresIteration {
 public:
  MinresIteration(Minres& solver, Operator const& a, Vector const& b, Vector& x)
      : s_(solver),
        a_(a),
        x_(x),
        solve_("minres", solver.criteria_, solver.observer(), a, b, x, solver.operator_norm_) {}

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
  /// A rotation of two rows that makes the lower entry zero.
  struct Rotation {
    double cosine = 1;
    double sine = 0;
  };

  /// From the residual in r until there is reason to look at b - A x.
  std::optional<Outcome> iterate() {
    s_.v_->copy(*s_.r_);
    for (auto* const vector : {&s_.v_before_, &s_.w_, &s_.w_before_}) (*vector)->fill(0);
    rotation_ = before_ = {};
    if (auto const failure = precondition(*s_.v_, s_.z_.get())) return failure;
    rest_ = gamma_;
    normalise(*s_.v_, s_.z_.get());
    while (solve_.goes_on()) {
      if (auto const failure = step()) return failure;
      if (auto const failure = solve_.measure(residual_)) return failure;
      solve_.note_solution();
      if (gamma_ == 0) break;  // the space holds all that A makes of the residual
    }
    return std::nullopt;
  }

  std::optional<Outcome> step() {
    Vector const& z = s_.preconditioner_ ? *s_.z_ : *s_.v_;
    double const delta = a_.apply_dot(z, *s_.product_);
    double const gamma = gamma_;
    s_.product_->add(-delta, *s_.v_);
    s_.product_->add(-gamma, *s_.v_before_);
    if (auto const failure = precondition(*s_.product_, s_.z_next_.get())) return failure;

    // The new column of the tridiagonal matrix, turned by the two rotations before, then by one of its own.
    double const turned = rotation_.cosine * delta - before_.cosine * rotation_.sine * gamma;
    double const second = rotation_.sine * delta + before_.cosine * rotation_.cosine * gamma;
    double const third = before_.sine * gamma;
    double const diagonal = std::hypot(turned, gamma_);
    if (!std::isfinite(diagonal)) return not_a_number();
    if (diagonal <= epsilon(x_.precision()) * s_.operator_norm_) {
      return solve_.fail(Outcome::breakdown, "the operator is singular");
    }
    before_ = std::exchange(rotation_, {turned / diagonal, gamma_ / diagonal});

    s_.w_before_->combine(1 / diagonal, z, -third / diagonal);
    s_.w_before_->add(-second / diagonal, *s_.w_);
    std::swap(s_.w_, s_.w_before_);
    x_.add(rotation_.cosine * rest_, *s_.w_);
    rest_ *= -rotation_.sine;

    std::swap(s_.v_before_, s_.v_);
    std::swap(s_.v_, s_.product_);
    std::swap(s_.z_, s_.z_next_);
    normalise(*s_.v_, s_.z_.get());
    residual_ = std::abs(rest_);
    if (s_.preconditioner_) {
      s_.r_->combine(rest_ * rotation_.cosine, *s_.v_, rotation_.sine * rotation_.sine);
      residual_ = std::sqrt(s_.r_->square());
    }
    return std::nullopt;
  }

  /// z = M^-1 v, and gamma the norm of v by the preconditioner.
  std::optional<Outcome> precondition(Vector const& v, Vector* z) {
    double const square = s_.preconditioner_ ? s_.preconditioner_->apply_dot(v, *z) : v.square();
    if (square < 0) return solve_.fail(Outcome::indefinite, "the preconditioner is not positive definite");
    if (!std::isfinite(square)) return not_a_number();
    gamma_ = std::sqrt(square);
    return std::nullopt;
  }
  void normalise(Vector& v, Vector* z) const {
    if (gamma_ == 0) return;
    v.scale(1 / gamma_);
    if (z != nullptr) z->scale(1 / gamma_);
  }
  std::optional<Outcome> not_a_number() {
    return solve_.fail(Outcome::not_a_number, "a product of two vectors is not a finite number");
  }

  Minres& s_;
  Operator const& a_;
  Vector& x_;
  ResidualSolve solve_;
  Rotation rotation_;
  Rotation before_;
  double gamma_ = 0;  ///< below the diagonal of the tridiagonal matrix
  double rest_ = 0;   ///< of the right-hand side: its absolute value is the residual's norm by the preconditioner
  double residual_ = 0;
};

Minres::Minres(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : criteria_(criteria), preconditioner_(std::move(preconditioner)) {}
Minres::~Minres() = default;

void Minres::prepare(Operator const& a) {
  obstacle_.clear();
  operator_norm_ = a.norm_bound();
  for (auto* const vector : {&r_, &v_, &v_before_, &w_, &w_before_, &product_}) *vector = a.create_vector();
  if (!preconditioner_) return;
  z_ = a.create_vector();
  z_next_ = a.create_vector();
  try {
    preconditioner_->prepare(a);
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport Minres::solve(Operator const& a, Vector const& b, Vector& x) {
  return MinresIteration(*this, a, b, x).run();
}

}  // namespace halocline
