#pragma once

#include <memory>

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/operator.hpp"
#include "solvers/linear/residual_solve.hpp"

namespace halocline {

/// Takes steps of conjugate gradients and hands out what each measured, one after the other, whether the host waits for
/// each, they run ahead of it, or many are taken in one kernel: to the same bits.
class CgEngine {
 public:
  /// What a step changes. The operator may exchange p and the spare vector.
  struct Vectors {
    Vector& x;
    std::unique_ptr<Vector>& r;
    std::unique_ptr<Vector>& p;
    std::unique_ptr<Vector>& work;
  };

  virtual ~CgEngine() = default;
  /// The next step begins a sequence of directions from r.
  virtual void start(CgRecurrence const& recurrence) = 0;
  /// p = z + beta p, alpha = r . z / p . A p, x = x + alpha p, r = r - alpha A p. The update of x may be deferred until
  /// `apply_deferred_update`. If the curvature is not above zero, x and r are those of the step before.
  [[nodiscard]] virtual CgSquares step(CgRecurrence& recurrence, Vector const& z) = 0;
  /// Brings x up to date.
  virtual void apply_deferred_update() = 0;
  /// At the end of a solve: waits for what is under way in vain.
  virtual void finish() {}
};

/// \param is_plain whether beta and the next step depend on nothing but what a step measures: without a preconditioner
/// \param judge of the solve, which outlives the engine: says when steps that are taken by themselves must end
[[nodiscard]] std::unique_ptr<CgEngine> make_cg_engine(Operator const& a, CgEngine::Vectors vectors, bool is_plain,
                                                       ResidualSolve const& judge);

}  // namespace halocline
