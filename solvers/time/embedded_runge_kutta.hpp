#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/time/explicit_runge_kutta.hpp"

namespace halocline {

/// The largest error of a step that is kept, of an unknown that is `size` large: absolute + relative size.
struct ErrorTolerance {
  double absolute = 1e-6;
  double relative = 1e-4;
};

/// Adds the section `tolerance` to that of an error-controlled method, and reads it.
void declare_tolerance(Section& method);
[[nodiscard]] ErrorTolerance error_tolerance(Options const& method);

/// Chooses steps by a proportional-integral controller, which looks at the last error as well as at this one: steps
/// change smoothly, and few are rejected. Gustafsson, 1991, ACM Transactions on Mathematical Software 17.
class StepController {
 public:
  /// \param order of the error estimate: it changes as the step to the power of order + 1
  explicit StepController(int order) : power_(1.0 / (order + 1)) {}

  /// What to multiply a step by whose error was so many times the tolerance; NaN is too large an error. A step that was
  /// shorter than asked for says nothing of how errors change.
  [[nodiscard]] double factor_of(double error, bool was_shortened);
  [[nodiscard]] static bool accepts(double error) { return error <= 1; }
  void restart() {
    last_error_ = 1;
    rejected_ = false;
  }
  void carry(CarriedState& carried, std::string const& group);

 private:
  double power_;
  double last_error_ = 1;
  bool rejected_ = false;  ///< the last step was
};

/// A method whose last stage evaluates the rate at the new state: that is the first slope of the next step, and the
/// error comes in the same pass. All numbers are those of ExplicitStage.
struct EmbeddedMethod {
  std::string name;
  double first;                       ///< y2 = u + first h F(t, u), which is the y of the first stage …
  int second;                         ///< … and where that lies
  std::vector<ExplicitStage> stages;  ///< state 1 holds F(t, u); the last one makes the error and the next first slope
  int result;                         ///< the new u
  int error_order;                    ///< of the lower of its two orders
  double stable_factor;
};

/// Error-controlled explicit Runge–Kutta methods. The norm is the largest scaled error of any unknown.
class EmbeddedRungeKutta final : public TimeIntegrator {
 public:
  EmbeddedRungeKutta(EmbeddedMethod method, ErrorTolerance tolerance);
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step,
                                                 SystemState& u) override;
  [[nodiscard]] double stable_factor() const override { return method_.stable_factor; }
  [[nodiscard]] double suggested_step() const override { return suggested_; }
  void restart() override;
  [[nodiscard]] StepCount steps() const override { return steps_; }
  [[nodiscard]] bool controls_error() const override { return true; }
  [[nodiscard]] bool carry(CarriedState& carried, std::string const& group, EvolvingSystem& system) override;

 private:
  /// The error of a step from u, relative to the tolerance; the new state is in `result`.
  [[nodiscard]] double attempt(EvolvingSystem& system, double time, double step, SystemState& u);
  /// u or its rate is not a number: so is the new state, for whoever watches the state to report.
  std::vector<SolveReport> leave_without_numbers(EvolvingSystem& system, SystemState& u);

  EmbeddedMethod method_;
  ErrorTolerance tolerance_;
  StepStates states_;
  StepController controller_;
  std::optional<double> slope_time_;  ///< when state 1 is the slope of u; nothing: it is not known
  double suggested_ = std::numeric_limits<double>::infinity();
  StepCount steps_;
};

/// bogacki_shampine and dormand_prince.
[[nodiscard]] std::vector<IntegratorEntry> embedded_runge_kutta_entries();

}  // namespace halocline
