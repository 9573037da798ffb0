#include "solvers/time/theta_method.hpp"

#include <map>
#include <string>
#include <utility>

#include "framework/deck/options.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {
namespace {

/// What decks call the integrators, and their theta: implicit_euler damps everything, crank_nicolson nothing.
std::map<std::string, double> const thetas{{"crank_nicolson", 0.5}, {"implicit_euler", 1.0}};

}  // namespace

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

std::vector<std::string> theta_method_names() {
  std::vector<std::string> names;
  for (auto const& [name, theta] : thetas) names.push_back(name);
  return names;
}

ThetaMethod make_theta_method(Options const& time) { return ThetaMethod(thetas.at(time.choice("method"))); }

}  // namespace halocline
