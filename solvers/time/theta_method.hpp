#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/operator/operator.hpp"
#include "framework/operator/solve_report.hpp"

namespace halocline {

class LinearSolver;
class Options;

/// A linear system of ordinary differential equations, M du/dt + K u = f(t), as an implicit integrator needs it. M is
/// what the physics takes it to be: cell volumes, the identity, a mass matrix.
class ImplicitSystem {
 public:
  virtual ~ImplicitSystem() = default;
  /// M + scale K. The reference is good until the next call; the same scale gives the same operator, unchanged.
  [[nodiscard]] virtual Operator const& shifted(double scale) = 0;
  /// b = M u + scale f(time), with what boundary values at `time` add to f.
  virtual void right_hand_side(double time, double scale, Vector const& u, Vector& b) = 0;
};

/// Moves an ImplicitSystem through time by the theta method, M (u1 - u0) / h + K (theta u1 + (1 - theta) u0) =
/// f(t0 + theta h): implicit Euler (order 1) for theta = 1, Crank–Nicolson (order 2; f at the midpoint) for 1/2; stable
/// for any step from 1/2 to 1. Made once, used for every step.
///
/// With v = theta u1 + (1 - theta) u0 a step is one solve and one update, and K alone is never applied:
///
///     (M + theta h K) v = M u0 + theta h f(t0 + theta h),   u1 = u0 + (v - u0) / theta
///
/// Hairer, Wanner: Solving Ordinary Differential Equations II, section IV.3.
class ThetaMethod {
 public:
  /// Throws InputError unless 1/2 <= theta <= 1.
  explicit ThetaMethod(double theta);

  /// Moves u from `time` to `time + step`; u is also the initial guess. Returns the reports of the solves; after one
  /// that did not reach its criteria u is the best that is known.
  [[nodiscard]] std::vector<SolveReport> advance(ImplicitSystem& system, LinearSolver& solver, double time, double step,
                                                 Vector& u);

 private:
  double theta_;
  Operator const* prepared_ = nullptr;  ///< the operator that the solver was last prepared for …
  double prepared_scale_ = 0;           ///< … and its scale
  std::unique_ptr<Vector> b_;
  std::unique_ptr<Vector> v_;
};

/// The integrator that a `time` section chooses.
[[nodiscard]] ThetaMethod make_theta_method(Options const& time);
/// Names of all integrators, in alphabetical order.
[[nodiscard]] std::vector<std::string> theta_method_names();

}  // namespace halocline
