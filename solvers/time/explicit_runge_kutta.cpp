#include "solvers/time/explicit_runge_kutta.hpp"

#include <algorithm>
#include <utility>

namespace halocline {
namespace {

std::vector<ExplicitStage> explicit_euler() {
  return {{.y = 0, .node = 0, .own = 1, .terms = {}, .rate = 1, .out = 1}};
}

std::vector<ExplicitStage> ssp_rk2() {
  return {{.y = 0, .node = 0, .own = 1, .terms = {}, .rate = 1, .out = 1},
          {.y = 1, .node = 1, .own = 1.0 / 2, .terms = {{0, 1.0 / 2}}, .rate = 1.0 / 2, .out = 0}};
}

std::vector<ExplicitStage> ssp_rk3() {
  return {{.y = 0, .node = 0, .own = 1, .terms = {}, .rate = 1, .out = 1},
          {.y = 1, .node = 1, .own = 1.0 / 4, .terms = {{0, 3.0 / 4}}, .rate = 1.0 / 4, .out = 2},
          {.y = 2, .node = 1.0 / 2, .own = 2.0 / 3, .terms = {{0, 1.0 / 3}}, .rate = 2.0 / 3, .out = 0}};
}

/// The classical method without stored slopes: each is the difference of a stage and u.
std::vector<ExplicitStage> rk4() {
  return {{.y = 0, .node = 0, .own = 1, .terms = {}, .rate = 1.0 / 2, .out = 1},
          {.y = 1, .node = 1.0 / 2, .own = 0, .terms = {{0, 1}}, .rate = 1.0 / 2, .out = 2},
          {.y = 2, .node = 1.0 / 2, .own = 0, .terms = {{0, 1}}, .rate = 1, .out = 3},
          {.y = 3,
           .node = 1,
           .own = 1.0 / 3,
           .terms = {{0, -1.0 / 3}, {1, 1.0 / 3}, {2, 2.0 / 3}},
           .rate = 1.0 / 6,
           .out = 0}};
}

struct Described {
  std::string name;
  std::string sentence;
  int order;
  std::vector<ExplicitStage> stages;
  double stable_factor;
  MethodNotes notes;
};

IntegratorEntry entry_of(Described method) {
  auto const declare = [name = method.name, sentence = method.sentence] { return Section(name, sentence); };
  int const states = states_of(method.stages);
  double const moved = numbers_moved(method.stages);
  auto create = [stages = std::move(method.stages), factor = method.stable_factor](Options const&) {
    return std::make_unique<ExplicitRungeKutta>(stages, factor);
  };
  return {.name = std::move(method.name),
          .sentence = std::move(method.sentence),
          .declare = declare,
          .create = std::move(create),
          .treatment = Treatment::explicit_,
          .order = method.order,
          .states = states,
          .numbers_moved = moved,
          .stable_factor = method.stable_factor,
          .notes = std::move(method.notes)};
}

}  // namespace

int states_of(std::vector<ExplicitStage> const& stages) {
  int most = 0;
  for (ExplicitStage const& stage : stages) most = std::max({most, stage.out, stage.slope});
  return most;
}

double numbers_moved(std::vector<ExplicitStage> const& stages) {
  std::size_t moved = 0;
  for (ExplicitStage const& stage : stages)
    moved += 2 + stage.terms.size() + stage.slopes.size() + (stage.slope == 0 ? 0 : 1);
  return static_cast<double>(moved);
}

void StepStates::make(EvolvingSystem const& system) {
  for (auto& state : held_) {
    if (state == nullptr) state = system.create_state();
  }
}

void take_stage(ExplicitStage const& stage, EvolvingSystem& system, double time, double step, Vector& u,
                StepStates const& states) {
  auto const state = [&](int number) -> Vector& { return number == 0 ? u : states[number]; };
  std::vector<WeightedVector> terms;
  for (auto const& [number, weight] : stage.terms) terms.push_back({weight, &state(number)});
  for (auto const& [number, weight] : stage.slopes) terms.push_back({step * weight, &state(number)});
  system.evaluate(RatePart::whole, time + stage.node * step, state(stage.y), stage.own, terms, step * stage.rate,
                  state(stage.out), stage.slope == 0 ? nullptr : &state(stage.slope));
}

ExplicitRungeKutta::ExplicitRungeKutta(std::vector<ExplicitStage> stages, double stable_factor)
    : stages_(std::move(stages)), stable_factor_(stable_factor), states_(states_of(stages_)) {}

std::vector<SolveReport> ExplicitRungeKutta::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  states_.make(system);
  for (ExplicitStage const& stage : stages_) take_stage(stage, system, time, step, u, states_);
  replayed(u);
  return {};
}

void ExplicitRungeKutta::replayed(Vector& u) {
  if (int const last = stages_.back().out; last != 0) u.swap(states_[last]);
  ++steps_.taken;
}

bool ExplicitRungeKutta::keep_previous() {
  // The last stage then writes another state than u, but not the one that its rate reads.
  ExplicitStage& last = stages_.back();
  if (last.out == 0) last.out = last.y == 1 ? 2 : 1;
  states_ = StepStates(states_of(stages_));
  return true;
}

void ExplicitRungeKutta::undo(Vector& u) {
  u.swap(states_[stages_.back().out]);
  --steps_.taken;
}

std::vector<IntegratorEntry> explicit_runge_kutta_entries() {
  std::vector<IntegratorEntry> entries;
  entries.push_back(entry_of(
      {.name = "explicit_euler",
       .sentence = "Explicit Euler, of order 1.",
       .order = 1,
       .stages = explicit_euler(),
       .stable_factor = 1,
       .notes = {.use = "Comparisons with programs that use it, and the fewest states; it is not stable for undamped "
                        "oscillations.",
                 .reference = "Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section I.7"}}));
  entries.push_back(entry_of(
      {.name = "ssp_rk2",
       .sentence = "Strong-stability-preserving Runge-Kutta of order 2 in two stages, Heun's method.",
       .order = 2,
       .stages = ssp_rk2(),
       .stable_factor = 1,
       .notes = {.use = "Conservation laws with limiters of order 2: it creates no new extrema where explicit Euler "
                        "creates none.",
                 .reference = "Shu and Osher, 1988, Journal of Computational Physics 77; Gottlieb, Shu and Tadmor, "
                              "2001, SIAM Review 43"}}));
  entries.push_back(entry_of(
      {.name = "ssp_rk3",
       .sentence = "Strong-stability-preserving Runge-Kutta of order 3 in three stages.",
       .order = 3,
       .stages = ssp_rk3(),
       .stable_factor = 1,
       .notes = {.use = "Conservation laws with shocks, and all problems that do not call for another method; also "
                        "stable for oscillations.",
                 .reference = "Shu and Osher, 1988, Journal of Computational Physics 77; Gottlieb, Shu and Tadmor, "
                              "2001, SIAM Review 43"}}));
  entries.push_back(entry_of(
      {.name = "rk4",
       .sentence = "The classical Runge-Kutta method of order 4, without stored slopes.",
       .order = 4,
       .stages = rk4(),
       .stable_factor = 1.392,
       .notes = {.use = "Smooth solutions and oscillations, integrated accurately with steps of a given length.",
                 .reference = "Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.1"}}));
  return entries;
}

}  // namespace halocline
