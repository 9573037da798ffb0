#pragma once

#include <array>
#include <memory>
#include <vector>

#include "solvers/time/explicit_runge_kutta.hpp"

namespace halocline {

/// The (2,2,2) method of Ascher, Ruuth and Spiteri: f by two explicit stages, g by two solves with the same scale,
/// L-stable and stiffly accurate. 1997, Applied Numerical Mathematics 25.
class ImexArs222 final : public TimeIntegrator {
 public:
  ImexArs222() : states_(2) {}
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] double stable_factor() const override { return 1; }
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem&) override {
    return halocline::serialize(steps_, archive, group), true;
  }

 private:
  StepStates states_;  ///< 1: right-hand sides; 2: solutions
  StepCount steps_;
};

/// ARK3(2)4L[2]SA of Kennedy and Carpenter: order 3 in four stages of each part, three of them solves with the same
/// scale, L-stable and stiffly accurate. Its first implicit slope is that of u itself: one evaluation of the whole rate
/// per step. 2003, Applied Numerical Mathematics 44.
class ImexArk3 final : public TimeIntegrator {
 public:
  static constexpr double factor = 1.832;

  ImexArk3() : states_(8) {}
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] double stable_factor() const override { return factor; }
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem&) override {
    return halocline::serialize(steps_, archive, group), true;
  }

 private:
  StepStates states_;  ///< 1 to 3: slopes by f; 4 to 6: by g; 7: right-hand sides; 8: solutions
  StepCount steps_;
};

/// imex_ars222 and imex_ark3.
[[nodiscard]] std::vector<IntegratorEntry> imex_entries();

}  // namespace halocline
