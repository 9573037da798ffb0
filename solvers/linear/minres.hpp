#pragma once

#include <memory>
#include <string>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// Minimal residuals, for symmetric operators, indefinite ones too (Paige and Saunders 1975; with a preconditioner,
/// which must be positive definite, Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers, 2nd
/// edition, algorithm 4.1). Without a preconditioner the residual never grows; with one that holds for its norm by the
/// preconditioner, while the 2-norm, which is watched, comes by a recurrence of the residual itself.
class Minres final : public LinearSolver {
 public:
  /// A null preconditioner means none.
  explicit Minres(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);
  ~Minres() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

 private:
  friend class MinresIteration;
  Criteria criteria_;
  std::unique_ptr<Preconditioner> preconditioner_;
  std::unique_ptr<Vector> r_, v_, v_before_, w_, w_before_, product_;
  std::unique_ptr<Vector> z_, z_next_;  ///< with a preconditioner
  double operator_norm_ = 0;
  std::string obstacle_;  ///< why the preconditioner could not be made; empty if it could
};

}  // namespace halocline
