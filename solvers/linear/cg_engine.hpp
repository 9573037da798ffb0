#pragma once

#include <memory>

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/operator.hpp"
#include "solvers/linear/residual_solve.hpp"

namespace halocline {

/// Runs the passes of conjugate gradients and returns the dot product of each. The host waits for each pass, or steps
/// are enqueued ahead, or a persistent kernel runs many: the bits are the same.
class CgEngine {
 public:
  /// Vectors that a step changes. The operator may exchange p and q.
  struct Vectors {
    Vector& x;
    std::unique_ptr<Vector>& r;
    std::unique_ptr<Vector>& p;
    std::unique_ptr<Vector>& q;
    CgScaling scaling;
  };

  explicit CgEngine(Vectors vectors) : v_(vectors) {}
  virtual ~CgEngine() = default;
  CgEngine(CgEngine const&) = delete;
  CgEngine& operator=(CgEngine const&) = delete;

  /// The next step starts a new sequence of directions from r.
  virtual void start(CgRecurrence const& recurrence) = 0;
  /// p = z + beta p and q = A p; returns p . q.
  [[nodiscard]] virtual double direction_apply_and_dot(CgRecurrence const& recurrence, Vector const& z) = 0;
  /// x = x + alpha p, r = r - alpha q and, with a scaling, z = M^-1 r. Call only for a positive curvature p . q. The
  /// update of x may be deferred until `apply_deferred_update`.
  [[nodiscard]] virtual CgUpdate update_and_square(double alpha) = 0;
  /// Brings x up to date.
  void apply_deferred_update() {
    if (deferred_ != 0) v_.x.add(deferred_, *v_.p);
    deferred_ = 0;
  }
  /// At the end of a solve: waits for enqueued steps whose results are not needed.
  virtual void finish() {}

 protected:
  Vectors v_;
  double deferred_ = 0;  ///< alpha of the update of x that is deferred to the next step
};

/// \param may_run_ahead whether a step's own dot products determine the next step: without a preconditioner, or with a
/// scaling
/// \param solve the solve, which must outlive the engine; its bounds end the steps of a persistent kernel
[[nodiscard]] std::unique_ptr<CgEngine> make_cg_engine(Operator const& a, CgEngine::Vectors vectors, bool may_run_ahead,
                                                       ResidualSolve const& solve);

}  // namespace halocline
