#pragma once

#include <memory>

#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// Stabilised biconjugate gradients, for any operator (van der Vorst 1992; Saad, Iterative Methods for Sparse Linear
/// Systems, algorithm 7.7). Right preconditioning, so that the residual is that of A x = b itself. Six vectors for any
/// number of iterations, each of which applies the operator twice; the residual may jump. If a coefficient vanishes,
/// the iteration restarts from b - A x. No norm is guaranteed to decrease. So a solve ends by the limit of iterations,
/// by growth or by a breakdown; it has stalled after ten starts in a row whose recurrence met the criteria while b - A
/// x did not.
class BiCgStab final : public KrylovSolver {
 public:
  explicit BiCgStab(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 private:
  enum class Step { taken, last, breakdown, not_a_number };

  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *r_; }
  [[nodiscard]] Vector* spare() const override { return v_.get(); }
  /// The residual may rise before it falls, so a start may end above the last.
  [[nodiscard]] int max_restarts_without_progress() const override { return 10; }
  [[nodiscard]] bool falls() const override { return false; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] Step step(Operator const& a, Vector& x);

  std::unique_ptr<Vector> r_, shadow_, p_, v_, t_;
  std::unique_ptr<Vector> z_;  ///< if there is a preconditioner
  double shadow_norm_ = 0;
  double rho_ = 0;       ///< product of the residual and the shadow residual
  double residual_ = 0;  ///< 2-norm
};

}  // namespace halocline
