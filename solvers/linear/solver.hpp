#pragma once

#include <memory>

#include "framework/operator/operator.hpp"
#include "framework/operator/solve_report.hpp"

namespace halocline {

/// When an iteration may stop: residual 2-norm <= max(relative * initial residual, absolute), or rounding, or the limit.
struct Criteria {
  double relative = 1e-10;
  double absolute = 0;
  Index iterations = 1000;
};

/// Solves A x = b from the initial guess in x. Made once from its deck section and used for many solves; `prepare` is
/// called whenever the operator has changed and does what is worth doing once (eigenvalue bounds, coarse levels).
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  virtual void prepare(Operator const& a) = 0;
  /// `a` is the operator last given to `prepare`. Never throws for a solve that fails: the outcome says so.
  [[nodiscard]] virtual SolveReport solve(Operator const& a, Vector const& b, Vector& x) = 0;
};

/// z = M^-1 r for a symmetric positive definite M near A.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void prepare(Operator const& a) = 0;
  virtual void apply(Vector const& r, Vector& z) = 0;
};

}  // namespace halocline
