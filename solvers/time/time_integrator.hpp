#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/deck/section.hpp"
#include "framework/operator/operator.hpp"
#include "framework/operator/solve_report.hpp"

namespace halocline {

class LinearSolver;
class Mistakes;
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

/// Moves an ImplicitSystem through time. Made once, used for every step.
class TimeIntegrator {
 public:
  virtual ~TimeIntegrator() = default;
  TimeIntegrator(TimeIntegrator const&) = delete;
  TimeIntegrator& operator=(TimeIntegrator const&) = delete;

  /// Moves u from `time` to `time + step`; u is also the initial guess. Returns the reports of the solves; after one
  /// that did not reach its criteria u is the best that is known.
  [[nodiscard]] virtual std::vector<SolveReport> advance(ImplicitSystem& system, LinearSolver& solver, double time,
                                                         double step, Vector& u) = 0;

 protected:
  TimeIntegrator() = default;
};

/// The section `time` of a deck: which integrator, how long a step, and when the run ends.
[[nodiscard]] Section time_section();
/// Adds a mistake for what an evolving physics misses in a `time` section: a step, and when to end; and for a step so
/// short that its steps cannot be counted.
void judge_time(Options const& time, Mistakes& mistakes);
/// The integrator that a `time` section chooses.
[[nodiscard]] std::unique_ptr<TimeIntegrator> make_time_integrator(Options const& time);

}  // namespace halocline
