#pragma once

#include <string>
#include <vector>

#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// A state of a step, by number: 0 is u, which holds the new state at the end; the method holds the others.
struct WeightedNumber {
  int state;
  double weight;
};

/// A stage of an explicit Runge–Kutta method in the form of Shu and Osher. With step h and rate of change F(y):
///
///     out = own y + sum of weighted states + h (rate F(t + node h, y) + sum of weighted slopes)
struct ExplicitStage {
  int y;
  double node;
  double own;
  std::vector<WeightedNumber> terms;
  double rate;
  int out;                                  ///< may be one of the terms, but not y
  std::vector<WeightedNumber> slopes = {};  ///< states that hold slopes
  int slope = 0;                            ///< the state that stores F(t + node h, y); 0: none
};

/// Number of states besides u that the stages use.
[[nodiscard]] int states_of(std::vector<ExplicitStage> const& stages);
/// Values read and written per unknown, if every stage is one pass.
[[nodiscard]] double numbers_moved(std::vector<ExplicitStage> const& stages);

/// The states of a step, made from the system when first needed.
class StepStates {
 public:
  explicit StepStates(int count) : held_(static_cast<std::size_t>(count)) {}
  void make(EvolvingSystem const& system);
  [[nodiscard]] Vector& operator[](int number) const { return *held_[static_cast<std::size_t>(number) - 1]; }

 private:
  std::vector<std::unique_ptr<Vector>> held_;
};

/// Runs one stage of a step from u.
void take_stage(ExplicitStage const& stage, EvolvingSystem& system, double time, double step, Vector& u,
                StepStates const& states);

/// All steps use the same stages.
class ExplicitRungeKutta final : public TimeIntegrator {
 public:
  ExplicitRungeKutta(std::vector<ExplicitStage> stages, double stable_factor);
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] double stable_factor() const override { return stable_factor_; }
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool repeats() const override { return true; }
  void replayed(Vector& u) override;
  [[nodiscard]] bool keep_previous() override;
  void undo(Vector& u) override;
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem&) override {
    return halocline::serialize(steps_, archive, group), true;
  }

 private:
  std::vector<ExplicitStage> stages_;
  double stable_factor_;
  StepStates states_;
  StepCount steps_;
};

/// explicit_euler, ssp_rk2, ssp_rk3 and rk4.
[[nodiscard]] std::vector<IntegratorEntry> explicit_runge_kutta_entries();

}  // namespace halocline
