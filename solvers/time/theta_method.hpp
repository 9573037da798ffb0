#pragma once

#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// The theta method, M (u1 - u0) / h + K (theta u1 + (1 - theta) u0) = f(t0 + theta h): implicit Euler (order 1) for
/// theta = 1, Crank–Nicolson (order 2; f at the midpoint) for 1/2; stable for any step from 1/2 to 1.
///
/// With v = theta u1 + (1 - theta) u0 a step is one solve and one update, and K alone is never applied:
///
///     (M + theta h K) v = M u0 + theta h f(t0 + theta h),   u1 = u0 + (v - u0) / theta
///
/// Hairer, Wanner: Solving Ordinary Differential Equations II, section IV.3.
class ThetaMethod final : public TimeIntegrator {
 public:
  /// Throws InputError unless 1/2 <= theta <= 1.
  explicit ThetaMethod(double theta);

  [[nodiscard]] std::vector<SolveReport> advance(ImplicitSystem& system, LinearSolver& solver, double time, double step,
                                                 Vector& u) override;

 private:
  double theta_;
  Operator const* prepared_ = nullptr;  ///< the operator that the solver was last prepared for …
  double prepared_scale_ = 0;           ///< … and its scale
  std::unique_ptr<Vector> b_;
  std::unique_ptr<Vector> v_;
};

}  // namespace halocline
