#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/time/explicit_runge_kutta.hpp"

namespace halocline {

/// The largest error of an accepted step, for an unknown of magnitude `size`: absolute + relative size.
struct ErrorTolerance {
  double absolute = 1e-6;
  double relative = 1e-4;
};

/// Declares the section `tolerance` of an error-controlled method, and reads it.
void declare_tolerance(Section& method);
[[nodiscard]] ErrorTolerance error_tolerance(Options const& method);

/// Chooses steps by a proportional-integral controller, which uses the previous error too: step lengths change
/// smoothly, and few steps are rejected. Gustafsson, 1991, ACM Transactions on Mathematical Software 17.
class StepController {
 public:
  /// \param order of the error estimate, which scales as the step to the power of order + 1
  explicit StepController(int order) : power_(1.0 / (order + 1)) {}

  /// Factor for the length of a step whose error was `error` times the tolerance; NaN counts as too large.
  /// `was_shortened`: the step was shorter than suggested, so its error says nothing about the trend of errors.
  [[nodiscard]] double factor_of(double error, bool was_shortened);
  [[nodiscard]] static bool accepts(double error) { return error <= 1; }
  void restart() {
    last_error_ = 1;
    rejected_ = false;
  }
  void serialize(StateArchive& archive, std::string const& group);

 private:
  double power_;
  double last_error_ = 1;
  bool rejected_ = false;  ///< whether the last step was rejected
};

/// A method whose last stage evaluates the rate at the new state. That is the first slope of the next step, and the
/// same pass computes the error. All numbers are those of ExplicitStage.
struct EmbeddedMethod {
  std::string name;
  double first;                       ///< y2 = u + first h F(t, u), which is the y of the first stage …
  int second;                         ///< … and the number of that state
  std::vector<ExplicitStage> stages;  ///< state 1 holds F(t, u); the last one makes the error and the next first slope
  int result;                         ///< number of the new u's state
  int error_order;                    ///< the lower of its two orders
  double stable_factor;
};

/// Error-controlled explicit Runge–Kutta methods. The error norm is the largest scaled error of any unknown.
class EmbeddedRungeKutta final : public TimeIntegrator {
 public:
  EmbeddedRungeKutta(EmbeddedMethod method, ErrorTolerance tolerance);
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] double stable_factor() const override { return method_.stable_factor; }
  [[nodiscard]] double suggested_step() const override { return suggested_; }
  void restart() override;
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool controls_error() const override { return true; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem& system) override;

 private:
  /// Tries a step from u. Returns the error relative to the tolerance; the new state is in `result`.
  [[nodiscard]] double attempt(EvolvingSystem& system, double time, double step, Vector& u);
  /// If u or its rate is NaN, so is the new state, for the caller to report.
  std::vector<SolveReport> leave_without_numbers(Vector& u);

  EmbeddedMethod method_;
  ErrorTolerance tolerance_;
  StepStates states_;
  StepController controller_;
  std::optional<double> slope_time_;  ///< time at which state 1 is the slope of u; none: unknown
  double suggested_ = std::numeric_limits<double>::infinity();
  StepCount steps_;
};

/// bogacki_shampine and dormand_prince.
[[nodiscard]] std::vector<IntegratorEntry> embedded_runge_kutta_entries();

}  // namespace halocline
