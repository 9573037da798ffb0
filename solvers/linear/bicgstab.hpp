#pragma once

#include <memory>

#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// Stabilised biconjugate gradients, for any operator (van der Vorst 1992; Saad, Iterative Methods for Sparse Linear
/// Systems, algorithm 7.7). Preconditioned from the right, so that the residual is that of A x = b itself. Six vectors
/// whatever the number of iterations, each of which applies the operator twice; the residual may jump. Where a
/// coefficient vanishes the iteration starts again from b - A x. No norm of anything need fall, so that a solve ends by
/// the limit of iterations, growth or a breakdown; it has stalled where ten claims of a residual were not those of b -
/// A x.
class BiCgStab final : public KrylovSolver {
 public:
  explicit BiCgStab(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 private:
  enum class Step { taken, last, breakdown, not_a_number };

  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *r_; }
  /// The residual may rise before it falls, so a start may end above the last.
  [[nodiscard]] int fruitless_starts() const override { return 10; }
  [[nodiscard]] bool falls() const override { return false; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] Step step(Operator const& a, Vector& x);

  std::unique_ptr<Vector> r_, shadow_, p_, v_, t_;
  std::unique_ptr<Vector> z_;  ///< with a preconditioner
  double shadow_norm_ = 0;
  double rho_ = 0;       ///< product of the residual and the shadow residual
  double residual_ = 0;  ///< 2-norm
};

}  // namespace halocline
