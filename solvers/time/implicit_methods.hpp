#pragma once

#include <memory>
#include <vector>

#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// The theta method, (u1 - u0) / h = g(t0 + theta h, theta u1 + (1 - theta) u0): implicit Euler (order 1) for theta =
/// 1, Crank–Nicolson (order 2, as the midpoint rule) for 1/2; stable for any step if theta is from 1/2 to 1.
///
/// With v = theta u1 + (1 - theta) u0 a step is one solve and one update:
///
///     v - theta h g(t0 + theta h, v) = u0,   u1 = u0 + (v - u0) / theta
///
/// Hairer, Wanner: Solving Ordinary Differential Equations II, section IV.3.
class ThetaMethod final : public TimeIntegrator {
 public:
  /// Throws InputError unless 1/2 <= theta <= 1.
  explicit ThetaMethod(double theta);
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem&) override {
    return halocline::serialize(steps_, archive, group), true;
  }

 private:
  double theta_;
  std::unique_ptr<Vector> v_;
  StepCount steps_;
};

/// The singly diagonally implicit Runge–Kutta method of order 2 with gamma = 1 - 1 / sqrt(2): two solves with the same
/// scale, L-stable and stiffly accurate. Alexander, 1977, SIAM Journal on Numerical Analysis 14.
class Sdirk2 final : public TimeIntegrator {
 public:
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem&) override {
    return halocline::serialize(steps_, archive, group), true;
  }

 private:
  std::unique_ptr<Vector> right_;
  std::unique_ptr<Vector> v_;
  StepCount steps_;
};

/// The backward differentiation formula of order 2 for variable steps; w is the ratio of a step h to the previous one:
///
///     u1 - (1 + w) / (1 + 2w) h g(t1, u1) = ((1 + w)^2 u0 - w^2 u_before) / (1 + 2w)
///
/// The first step, and one that is too long for stability after the last one, is a step of Sdirk2. Hairer, Nørsett,
/// Wanner: Solving Ordinary Differential Equations I, section III.5.
class Bdf2 final : public TimeIntegrator {
 public:
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  void restart() override { last_step_ = 0; }
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem& system) override;

 private:
  double last_step_ = 0;            ///< 0: none
  std::unique_ptr<Vector> before_;  ///< u at the previous step
  std::unique_ptr<Vector> v_;
  StepCount steps_;
};

/// bdf2, crank_nicolson, implicit_euler, sdirk2 and theta.
[[nodiscard]] std::vector<IntegratorEntry> implicit_entries();

}  // namespace halocline
