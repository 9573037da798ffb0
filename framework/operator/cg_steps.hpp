#pragma once

#include <memory>
#include <optional>
#include <span>

#include "framework/kernel/cg_recurrence.hpp"
#include "framework/operator/fused_passes.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

/// A preconditioner whose M^-1 is a diagonal matrix: a step applies it within a pass of its own.
struct CgScaling {
  Vector const* inverse = nullptr;  ///< the entries of M^-1; null: no preconditioner
  Vector* z = nullptr;              ///< receives M^-1 r
  explicit operator bool() const { return inverse != nullptr; }
};

/// Dot products of the r that a step leaves.
struct CgUpdate {
  double square;                       ///< r . r
  std::optional<double> product = {};  ///< r . M^-1 r, with a CgScaling
};

/// Dot products that a step of conjugate gradients computes.
struct CgSums {
  double curvature;  ///< p . A p
  CgUpdate update;
};

/// Whole steps of conjugate gradients that are enqueued, or run, before the host has read the dot products of previous
/// steps. Alpha and beta are kept on the device between steps.
class CgStepsAhead {
 public:
  virtual ~CgStepsAhead() = default;
  /// The next step starts a new sequence of directions from r with `product` for r . z; no update of x is deferred.
  virtual void start(double product) const = 0;
  /// Enqueues the passes of CgSteps, with z = r if there is no scaling. If the curvature of a step is not positive, x
  /// and r of all steps from there on remain unchanged or become NaN. A step with one buffer index (0 or 1) may be
  /// started before the sums of the step with the other are read.
  virtual void start_step(int buffer, Vector& x, std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& q, Vector& r,
                          CgScaling const& scaling) const = 0;
  /// Waits for a step.
  [[nodiscard]] virtual CgSums sums(int buffer) const = 0;
  /// Runs steps without a preconditioner until one meets `bounds`, with no deferred update of x before and after.
  /// Returns the dot products of each step, valid until the next call; empty if the operator cannot run this way. If
  /// the curvature of the last step is not positive, x and r are those of the step before.
  [[nodiscard]] virtual std::span<CgSums const> run_persistent(CgRecurrence const& recurrence, CgBounds const& bounds,
                                                               Vector& x, Vector& p, Vector& r) const = 0;
};

/// The passes over memory of a step of conjugate gradients, as few as the operator can. Only `apply_dot` is required.
class CgSteps {
 public:
  virtual ~CgSteps() = default;
  /// y = A x; returns x . y.
  virtual double apply_dot(Vector const& x, Vector& y) const = 0;
  /// x = x + alpha p (the deferred update of the previous step), p = z + beta p, q = A p; returns p . q. Even with
  /// alpha zero x, and with beta zero p, must be finite. The operator may exchange p with q, and need not store A p:
  /// only `update_and_square` of the same step reads q.
  virtual double direction_apply_and_dot(double alpha, double beta, Vector const& z, Vector& x,
                                         std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& q) const {
    advance(alpha, beta, z, x, *p);
    return apply_dot(*p, *q);
  }
  /// r = r - alpha A p and, with a scaling, z = M^-1 r.
  virtual CgUpdate update_and_square(double alpha, Vector const& /*p*/, Vector const& q, Vector& r,
                                     CgScaling const& scaling) const {
    if (!scaling) return {add_and_square(r, -alpha, q)};
    auto const [square, product] = add_scale_and_square(r, -alpha, q, *scaling.inverse, *scaling.z);
    return {square, product};
  }
  /// Null: the host must read the dot products of a step before the next one.
  [[nodiscard]] virtual CgStepsAhead const* ahead() const { return nullptr; }
};

}  // namespace halocline
