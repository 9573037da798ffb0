#pragma once

#include "solvers/time/explicit_runge_kutta.hpp"

namespace halocline {

/// Runge–Kutta–Legendre of order 2: s stages whose stability polynomial is a Legendre polynomial, shifted and scaled.
/// Negative real eigenvalues are stable up to (s^2 + s - 2) / 4 times the step of explicit Euler. Meyer, Balsara and
/// Aslam, 2014, Journal of Computational Physics 257.
class RungeKuttaLegendre final : public TimeIntegrator {
 public:
  /// \param most_stages odd, at least 3
  explicit RungeKuttaLegendre(int most_stages) : most_stages_(most_stages), states_(3) {}
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] double stable_factor() const override { return factor_of(most_stages_); }
  void set_euler_step(double step) override { euler_step_ = step; }
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem&) override {
    return halocline::serialize(steps_, archive, group), true;
  }

  /// The smallest odd number of stages that is stable for a step, limited to the most.
  [[nodiscard]] int stages_for(double step) const;
  [[nodiscard]] static double factor_of(int stages) { return (stages * (stages + 1.0) - 2) / 4; }

 private:
  int most_stages_;
  StepStates states_;  ///< 1: the first slope; 2 and 3: the last two stages
  double euler_step_ = 0;
  StepCount steps_;
};

/// rkl2.
[[nodiscard]] IntegratorEntry rkl2_entry();

}  // namespace halocline
