#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// Conjugate gradients with one reduction an iteration (Chronopoulos and Gear, 1989, Journal of Computational and
/// Applied Mathematics 25), for symmetric positive definite operators. A is applied to u = M^-1 r instead of the
/// direction p, and A p comes by the recurrence of p. So all products are there at once, and the curvature follows from
/// them: p . A p = u . A u - beta (r . u) / alpha, with the alpha of the step before. The steps are those of conjugate
/// gradients but for rounding, and a stall is told as there.
class SingleReductionCg : public KrylovSolver {
 public:
  /// A null preconditioner means none; it must be the same one throughout.
  explicit SingleReductionCg(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 protected:
  SingleReductionCg(std::string name, Criteria criteria, std::unique_ptr<Preconditioner> preconditioner);

  /// What comes from the reduction of an iteration.
  struct Products {
    double gamma = 0;         ///< r . u
    double delta = 0;         ///< u . A u
    double square = 0;        ///< r . r
    std::optional<double> x;  ///< x . x, now and then
  };

  void make_vectors(Operator const& a) override;
  /// Before the first iteration, and wherever b - A x was looked at: r, p and x are there, everything else is not.
  virtual void resume(Operator const& /*a*/) {}
  [[nodiscard]] virtual Products find_products(ResidualSolve const& solve, Operator const& a, Vector const& x);
  /// x = x + alpha p with p = u + beta p, and what goes along. With beta zero the p of before is not read.
  virtual void step(double alpha, double beta, Vector& x);

  /// u = M^-1 r, which is r without a preconditioner, and w = A u.
  void apply_to_residual(Operator const& a);
  /// Starts the reduction of all products.
  [[nodiscard]] PendingSum start_products(ResidualSolve const& solve, Vector const& x) const;
  [[nodiscard]] Products products_of(std::span<double const> sums) const;
  [[nodiscard]] bool has_direction() const { return alpha_ != 0; }

  std::unique_ptr<Vector> r_, w_, p_, s_;  ///< b - A x, A u, the direction, A p
  std::unique_ptr<Vector> u_;              ///< with a preconditioner

 private:
  /// Looks leave r as it is: w is made anew after them.
  [[nodiscard]] Vector& residual() const final { return *w_; }
  [[nodiscard]] bool needs_symmetry() const override { return true; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) final;
  [[nodiscard]] std::optional<Outcome> explain(double beta, ResidualSolve& solve, Operator const& a);
  [[nodiscard]] Vector const& u() const { return has_preconditioner() ? *u_ : *r_; }

  double alpha_ = 0;     ///< of the step before; zero: there is none
  double gamma_ = 0;     ///< … and its r . u
  double residual_ = 0;  ///< 2-norm of r
};

/// y = x + beta y; with beta zero y is not read.
void renew_direction(Vector& y, Vector const& x, double beta);

}  // namespace halocline
