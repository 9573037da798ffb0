#include "solvers/time/theta_method.hpp"

#include "framework/runtime/error.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

ThetaMethod::ThetaMethod(double theta) : theta_(theta) {
  if (!(theta >= 0.5 && theta <= 1)) throw InputError("theta method: theta is outside 1/2 … 1");
}

std::vector<SolveReport> ThetaMethod::advance(ImplicitSystem& system, LinearSolver& solver, double time, double step,
                                              Vector& u) {
  if (b_ == nullptr) {
    b_ = u.create();
    v_ = u.create();
  }
  double const scale = theta_ * step;
  Operator const& a = system.shifted(scale);
  if (&a != prepared_ || scale != prepared_scale_) solver.prepare(a);
  prepared_ = &a;
  prepared_scale_ = scale;

  system.right_hand_side(time + scale, scale, u, *b_);
  v_->copy(u);
  SolveReport report = solver.solve(a, *b_, *v_);
  u.combine(1 / theta_, *v_, 1 - 1 / theta_);
  return {std::move(report)};
}

}  // namespace halocline
