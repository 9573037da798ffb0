#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// Conjugate gradients with one reduction per iteration (Chronopoulos and Gear, 1989, Journal of Computational and
/// Applied Mathematics 25), for symmetric positive definite operators. A is applied to u = M^-1 r instead of the
/// direction p, and A p comes from the recurrence of p. So all products are available at once, and the curvature
/// follows from them: p . A p = u . A u - beta (r . u) / alpha, with the alpha of the previous step. The steps are
/// those of conjugate gradients up to rounding, and stalls are detected in the same way.
class SingleReductionCg : public KrylovSolver {
 public:
  /// A null preconditioner means none; it must not change between iterations.
  explicit SingleReductionCg(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 protected:
  SingleReductionCg(std::string name, Criteria criteria, std::unique_ptr<Preconditioner> preconditioner);

  /// Results of the reduction of an iteration.
  struct Products {
    double gamma = 0;         ///< r . u
    double delta = 0;         ///< u . A u
    double square = 0;        ///< r . r
    std::optional<double> x;  ///< x . x, in some iterations
  };

  void make_vectors(Operator const& a) override;
  /// Called before the first iteration and after each true-residual check: only r, p and x are valid.
  virtual void resume(Operator const& /*a*/) {}
  [[nodiscard]] virtual Products find_products(ResidualSolve const& solve, Operator const& a, Vector const& x);
  /// x = x + alpha p with p = u + beta p, and the other recurrences. With beta zero the previous p is not read.
  virtual void step(double alpha, double beta, Vector& x);

  /// u = M^-1 r (r itself without a preconditioner), and w = A u.
  void apply_to_residual(Operator const& a);
  /// Starts the reduction of all products.
  [[nodiscard]] PendingSum start_products(ResidualSolve const& solve, Vector const& x) const;
  [[nodiscard]] Products products_of(std::span<double const> sums) const;
  [[nodiscard]] bool has_direction() const { return alpha_ != 0; }

  std::unique_ptr<Vector> r_, w_, p_, s_;  ///< b - A x, A u, the direction, A p
  std::unique_ptr<Vector> u_;              ///< if there is a preconditioner

 private:
  /// Checks leave r unchanged: w is recomputed after them.
  [[nodiscard]] Vector& residual() const final { return *w_; }
  [[nodiscard]] Vector* spare() const final { return p_.get(); }
  [[nodiscard]] bool needs_symmetry() const override { return true; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) final;
  [[nodiscard]] std::optional<Outcome> explain(double beta, ResidualSolve& solve, Operator const& a);
  [[nodiscard]] Vector const& u() const { return has_preconditioner() ? *u_ : *r_; }

  double alpha_ = 0;     ///< of the previous step; zero: none
  double gamma_ = 0;     ///< … and its r . u
  double residual_ = 0;  ///< 2-norm of r
};

/// y = x + beta y; with beta zero y is not read.
void renew_direction(Vector& y, Vector const& x, double beta);

}  // namespace halocline
