#pragma once

#include <memory>
#include <string>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// Stabilised biconjugate gradients, for any operator (van der Vorst 1992; Saad, Iterative Methods for Sparse Linear
/// Systems, algorithm 7.7). Preconditioned from the right, so that the residual is that of A x = b itself. Six vectors
/// whatever the number of iterations, each of which applies the operator twice; the residual may jump. Where a
/// coefficient vanishes the iteration starts again from b - A x.
class BiCgStab final : public LinearSolver {
 public:
  /// A null preconditioner means none.
  explicit BiCgStab(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);
  ~BiCgStab() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

 private:
  friend class BiCgStabIteration;
  Criteria criteria_;
  std::unique_ptr<Preconditioner> preconditioner_;
  std::unique_ptr<Vector> r_, shadow_, p_, v_, t_;
  std::unique_ptr<Vector> z_;  ///< with a preconditioner
  double operator_norm_ = 0;
  std::string obstacle_;  ///< why the preconditioner could not be made; empty if it could
};

}  // namespace halocline
