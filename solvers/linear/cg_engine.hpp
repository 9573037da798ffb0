#pragma once

#include <memory>

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/operator.hpp"
#include "solvers/linear/residual_solve.hpp"

namespace halocline {

/// Runs steps of conjugate gradients and returns the dot products of each. The host waits for each step, or steps are
/// enqueued ahead, or a persistent kernel runs many: the bits are the same.
class CgEngine {
 public:
  /// Vectors that a step changes. The operator may exchange p and the spare vector.
  struct Vectors {
    Vector& x;
    std::unique_ptr<Vector>& r;
    std::unique_ptr<Vector>& p;
    std::unique_ptr<Vector>& work;
  };

  virtual ~CgEngine() = default;
  /// The next step starts a new sequence of directions from r.
  virtual void start(CgRecurrence const& recurrence) = 0;
  /// p = z + beta p, alpha = r . z / p . A p, x = x + alpha p, r = r - alpha A p. The update of x may be deferred until
  /// `apply_deferred_update`. If the curvature is not positive, x and r are those of the step before.
  [[nodiscard]] virtual CgSquares step(CgRecurrence& recurrence, Vector const& z) = 0;
  /// Brings x up to date.
  virtual void apply_deferred_update() = 0;
  /// At the end of a solve: waits for enqueued steps whose results are not needed.
  virtual void finish() {}
};

/// \param is_plain whether beta and the next step depend on nothing but a step's dot products: no preconditioner
/// \param solve the solve, which must outlive the engine; its bounds end the steps of a persistent kernel
[[nodiscard]] std::unique_ptr<CgEngine> make_cg_engine(Operator const& a, CgEngine::Vectors vectors, bool is_plain,
                                                       ResidualSolve const& solve);

}  // namespace halocline
