#include "solvers/time/implicit_methods.hpp"

#include <array>
#include <numbers>
#include <string>
#include <utility>

#include "framework/operator/state_archive.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using Reports = std::vector<SolveReport>;

/// A step of Sdirk2; `right` and `v` are working memory, and v holds the old state at the end.
Reports sdirk2_step(EvolvingSystem& system, double time, double step, Vector& u, Vector& right, Vector& v) {
  constexpr double gamma = 1 - 1 / std::numbers::sqrt2;
  constexpr double weight = (1 - gamma) / gamma;  // (1 - gamma) h g(v) = weight (v - u)
  v.copy(u);
  Reports reports = system.solve(time + gamma * step, gamma * step, u, v);
  right.assign({{weight, &v}, {1 - weight, &u}});
  Reports second = system.solve(time + step, gamma * step, right, v);
  reports.insert(reports.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  u.swap(v);
  return reports;
}

/// An entry of a method without options.
template <class Method, class... Arguments>
IntegratorEntry entry_of(std::string const& name, std::string const& sentence, int order, int states, double numbers,
                         MethodNotes const& notes, Arguments... arguments) {
  auto const declare = [name, sentence] { return Section(name, sentence); };
  auto const create = [arguments...](Options const&) { return std::make_unique<Method>(arguments...); };
  return {.name = name,
          .sentence = sentence,
          .declare = declare,
          .create = create,
          .treatment = Treatment::implicit,
          .order = order,
          .states = states,
          .numbers_moved = numbers,
          .notes = notes};
}

IntegratorEntry theta_entry() {
  std::string const sentence = "The theta method, of order 1 unless theta is 1/2.";
  IntegratorEntry entry = entry_of<ThetaMethod>(
      "theta", sentence, 1, 1, 5,
      {.use = "Slightly more damping than crank_nicolson for slightly less accuracy, with theta just above 1/2.",
       .reference = "Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.3"},
      1.0);
  entry.declare = [sentence] {
    Section section("theta", sentence);
    section
        .real("theta",
              "Fraction of the step at which the rate of change is evaluated; 1/2: crank_nicolson, 1: implicit_euler.")
        .defaults_to(0.55)
        .at_least(0.5)
        .at_most(1);
    return section;
  };
  entry.create = [](Options const& options) { return std::make_unique<ThetaMethod>(options.real("theta")); };
  return entry;
}

}  // namespace

ThetaMethod::ThetaMethod(double theta) : theta_(theta) {
  if (!(theta >= 0.5 && theta <= 1)) throw InputError("theta method: theta is outside 1/2 … 1");
}

Reports ThetaMethod::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  if (v_ == nullptr) v_ = system.create_state();
  double const scale = theta_ * step;
  v_->copy(u);
  Reports reports = system.solve(time + scale, scale, u, *v_);
  u.assign({{1 / theta_, v_.get()}, {1 - 1 / theta_, &u}});
  ++steps_.taken;
  return reports;
}

Reports Sdirk2::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  if (v_ == nullptr) {
    right_ = system.create_state();
    v_ = system.create_state();
  }
  ++steps_.taken;
  return sdirk2_step(system, time, step, u, *right_, *v_);
}

bool Bdf2::serialize(StateArchive& archive, std::string const& group, EvolvingSystem& system) {
  halocline::serialize(steps_, archive, group);
  archive.number(group + "/last_step", last_step_);
  if (last_step_ == 0) return true;
  if (v_ == nullptr) {
    before_ = system.create_state();
    v_ = system.create_state();
  }
  system.serialize(archive, group + "/before", *before_);
  return true;
}

Reports Bdf2::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  // Stable for any steps as long as none is 1 + sqrt(2) times the previous one or longer.
  constexpr double largest_ratio = 2.4;
  if (v_ == nullptr) {
    before_ = system.create_state();
    v_ = system.create_state();
  }
  Reports reports;
  if (last_step_ == 0 || step > largest_ratio * last_step_) {
    reports = sdirk2_step(system, time, step, u, *before_, *v_);
  } else {
    double const w = step / last_step_;
    double const whole = 1 + 2 * w;
    v_->assign({{1 + w, &u}, {-w, before_.get()}});  // the guess extrapolates both linearly
    before_->assign({{(1 + w) * (1 + w) / whole, &u}, {-w * w / whole, before_.get()}});
    reports = system.solve(time + step, (1 + w) / whole * step, *before_, *v_);
    u.swap(*v_);
  }
  before_->swap(*v_);
  last_step_ = step;
  ++steps_.taken;
  return reports;
}

std::vector<IntegratorEntry> implicit_entries() {
  std::vector<IntegratorEntry> entries;
  entries.push_back(entry_of<ThetaMethod>(
      "implicit_euler", "Implicit Euler, of order 1.", 1, 1, 5,
      {.use = "Evolution to a steady state, and discontinuous initial values: it damps everything, at any step length.",
       .reference = "Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.3"},
      1.0));
  entries.push_back(entry_of<ThetaMethod>(
      "crank_nicolson", "The Crank-Nicolson method, of order 2, as the implicit midpoint rule.", 2, 1, 5,
      {.use = "Smooth solutions whose changes the steps resolve: it damps nothing, and discontinuous initial values "
              "oscillate if the steps are too long for them.",
       .reference = "Crank and Nicolson, 1947, Mathematical Proceedings of the Cambridge Philosophical Society 43"},
      0.5));
  entries.push_back(theta_entry());
  entries.push_back(entry_of<Sdirk2>(
      "sdirk2", "The L-stable diagonally implicit Runge-Kutta method of order 2 with two solves per step.", 2, 2, 5,
      {.use = "Order 2 with steps too long for parts of the solution, for instance after discontinuities: it damps "
              "what oscillates with crank_nicolson.",
       .reference = "Alexander, 1977, SIAM Journal on Numerical Analysis 14"}));
  entries.push_back(entry_of<Bdf2>(
      "bdf2", "The backward differentiation formula of order 2, for variable step lengths.", 2, 2, 6,
      {.use = "Many steps in runs whose cost is dominated by solves: order 2 and damping with one solve per step.",
       .reference = "Curtiss and Hirschfelder, 1952, Proceedings of the National Academy of Sciences 38; Hairer, "
                    "Nørsett and Wanner, Solving Ordinary Differential Equations I, section III.5"}));
  return entries;
}

}  // namespace halocline
