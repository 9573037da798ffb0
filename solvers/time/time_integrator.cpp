#include "solvers/time/time_integrator.hpp"

#include <map>
#include <string>
#include <utility>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"
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

Section time_section() {
  Section time("time", "How an evolving physics moves through time; of no use to a stationary one.");
  std::vector<std::string> names;
  for (auto const& [name, theta] : thetas) names.push_back(name);
  time.choice("method", "Time integrator.", names).defaults_to("implicit_euler");
  time.real("start", "Time of the initial state.").defaults_to(0.0);
  time.real("step", "Length of a time step.").above(0).optional();
  time.integer("steps", "Number of time steps.").at_least(0).optional();
  time.real("end", "Time at which the run ends; the last step is shortened to meet it.").optional();
  time.check([](Options const& given, Mistakes& mistakes) {
    if (given.has("steps") && given.has("end")) {
      add_mistake(given, "end", "given together with `steps`", mistakes, "give one of them");
    }
    if (given.has("end") && given.real("end") < given.real("start")) {
      add_mistake(given, "end", "lies before `start`", mistakes);
    }
  });
  return time;
}

void judge_time(Options const& time, Mistakes& mistakes) {
  if (!time.has("step")) mistakes.add(time.location(), time.full_name("step"), "missing", "it is required");
  if (!time.has("steps") && !time.has("end")) {
    mistakes.add(time.location(), time.full_name("steps"), "missing", "give `steps` or `end`");
  }
  if (!time.has("step")) return;
  constexpr double most_steps = 9007199254740992;  // 2^53: from there on doubles skip numbers
  double const start = time.real("start");
  double const step = time.real("step");
  std::string const too_short = shortest_text(step) + " is too short: ";
  if (time.has("end") && (time.real("end") - start) / step >= most_steps) {
    add_mistake(time, "step",
                too_short + "it takes 2^53 steps or more from " + shortest_text(start) + " to " +
                    shortest_text(time.real("end")),
                mistakes);
  } else if (start + step == start) {
    add_mistake(time, "step",
                too_short + "added to " + shortest_text(start) + ", where time starts, it changes nothing", mistakes);
  }
}

ThetaMethod make_time_integrator(Options const& time) { return ThetaMethod(thetas.at(time.choice("method"))); }

}  // namespace halocline
