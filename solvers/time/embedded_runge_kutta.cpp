#include "solvers/time/embedded_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

/// Only the first and the last slope are stored; the others are differences of stages, and so is the error:
/// (u1 - u) / 4 - h (F(u) + F(u1)) / 8.
EmbeddedMethod bogacki_shampine() {
  return {.name = "bogacki_shampine",
          .first = 1.0 / 2,
          .second = 2,
          .stages = {{.y = 2, .node = 1.0 / 2, .own = 0, .terms = {{0, 1}}, .rate = 3.0 / 4, .out = 3},
                     {.y = 3,
                      .node = 3.0 / 4,
                      .own = 4.0 / 9,
                      .terms = {{0, 5.0 / 9}},
                      .rate = 4.0 / 9,
                      .out = 2,
                      .slopes = {{1, 2.0 / 9}}},
                     {.y = 2,
                      .node = 1,
                      .own = 1.0 / 4,
                      .terms = {{0, -1.0 / 4}},
                      .rate = -1.0 / 8,
                      .out = 3,
                      .slopes = {{1, -1.0 / 8}},
                      .slope = 4}},
          .result = 2,
          .error_order = 2,
          .stable_factor = 1.256};
}

/// States 1 to 5 hold slopes. The sixth slope overwrites the second, which is no longer needed then, and the last one
/// overwrites the third. The stages alternate between states 6 and 7.
EmbeddedMethod dormand_prince() {
  return {.name = "dormand_prince",
          .first = 1.0 / 5,
          .second = 6,
          .stages = {{.y = 6,
                      .node = 1.0 / 5,
                      .own = 0,
                      .terms = {{0, 1}},
                      .rate = 9.0 / 40,
                      .out = 7,
                      .slopes = {{1, 3.0 / 40}},
                      .slope = 2},
                     {.y = 7,
                      .node = 3.0 / 10,
                      .own = 0,
                      .terms = {{0, 1}},
                      .rate = 32.0 / 9,
                      .out = 6,
                      .slopes = {{1, 44.0 / 45}, {2, -56.0 / 15}},
                      .slope = 3},
                     {.y = 6,
                      .node = 4.0 / 5,
                      .own = 0,
                      .terms = {{0, 1}},
                      .rate = -212.0 / 729,
                      .out = 7,
                      .slopes = {{1, 19372.0 / 6561}, {2, -25360.0 / 2187}, {3, 64448.0 / 6561}},
                      .slope = 4},
                     {.y = 7,
                      .node = 8.0 / 9,
                      .own = 0,
                      .terms = {{0, 1}},
                      .rate = -5103.0 / 18656,
                      .out = 6,
                      .slopes = {{1, 9017.0 / 3168}, {2, -355.0 / 33}, {3, 46732.0 / 5247}, {4, 49.0 / 176}},
                      .slope = 5},
                     {.y = 6,
                      .node = 1,
                      .own = 0,
                      .terms = {{0, 1}},
                      .rate = 11.0 / 84,
                      .out = 7,
                      .slopes = {{1, 35.0 / 384}, {3, 500.0 / 1113}, {4, 125.0 / 192}, {5, -2187.0 / 6784}},
                      .slope = 2},
                     {.y = 7,
                      .node = 1,
                      .own = 0,
                      .terms = {},
                      .rate = -1.0 / 40,
                      .out = 6,
                      .slopes = {{1, 71.0 / 57600},
                                 {3, -71.0 / 16695},
                                 {4, 71.0 / 1920},
                                 {5, -17253.0 / 339200},
                                 {2, 22.0 / 525}},
                      .slope = 3}},
          .result = 7,
          .error_order = 4,
          .stable_factor = 1.653};
}

/// Limit for one `advance`, which cannot be interrupted; with suggested steps, one or a few attempts suffice.
constexpr int most_attempts = 100'000;

IntegratorEntry entry_of(EmbeddedMethod (*method)(), std::string sentence, int order, MethodNotes notes) {
  EmbeddedMethod const made = method();
  auto const declare = [name = made.name, sentence] {
    Section section(name, sentence);
    declare_tolerance(section);
    return section;
  };
  auto const create = [method](Options const& options) {
    return std::make_unique<EmbeddedRungeKutta>(method(), error_tolerance(options));
  };
  // The first state is u plus the stored slope: two values are read, one is written. The norm reads three.
  return {.name = made.name,
          .sentence = std::move(sentence),
          .declare = declare,
          .create = create,
          .treatment = Treatment::explicit_,
          .order = order,
          .states = states_of(made.stages),
          .numbers_moved = 3 + numbers_moved(made.stages) + 3,
          .stable_factor = made.stable_factor,
          .controls_error = true,
          .notes = std::move(notes)};
}

}  // namespace

void declare_tolerance(Section& method) {
  ErrorTolerance const defaults;
  Section& tolerance = method.section("tolerance",
                                      "Largest error of any unknown in a step: absolute + relative * |unknown|. A step "
                                      "with a larger error is repeated with a shorter length.");
  tolerance.real("absolute", "Absolute tolerance, in the unit of the unknowns.")
      .defaults_to(defaults.absolute)
      .at_least(0);
  tolerance.real("relative", "Relative tolerance, as a fraction of the magnitude of the unknown.")
      .defaults_to(defaults.relative)
      .at_least(0)
      .below(1);
  tolerance.check([](Options const& given, Mistakes& mistakes) {
    if (given.real("absolute") > 0 || given.real("relative") > 0) return;
    mistakes.add(given.location(), given.full_name(), "no step has an error of zero", "give one that is above 0");
  });
}

ErrorTolerance error_tolerance(Options const& method) {
  Options const tolerance = method.section("tolerance");
  return {.absolute = tolerance.real("absolute"), .relative = tolerance.real("relative")};
}

double StepController::factor_of(double error, bool was_shortened) {
  constexpr double safety = 0.9;
  constexpr double least = 0.2;
  constexpr double most = 5;
  constexpr double smallest = 1e-10;  // smaller errors are treated like this one
  if (!accepts(error)) {
    rejected_ = true;
    return std::isfinite(error) ? std::clamp(safety * std::pow(error, -power_), least, safety) : least;
  }
  double const measured = std::max(error, smallest);
  double const factor = was_shortened
                            ? safety * std::pow(measured, -power_)
                            : safety * std::pow(measured, -0.7 * power_) * std::pow(last_error_, 0.4 * power_);
  double const limit = rejected_ ? 1 : most;
  last_error_ = was_shortened ? 1 : measured;
  rejected_ = false;
  return std::clamp(factor, least, limit);
}

void StepController::serialize(StateArchive& archive, std::string const& group) {
  archive.number(group + "/last_error", last_error_);
  archive.flag(group + "/rejected", rejected_);
}

EmbeddedRungeKutta::EmbeddedRungeKutta(EmbeddedMethod method, ErrorTolerance tolerance)
    : method_(std::move(method)),
      tolerance_(tolerance),
      states_(states_of(method_.stages)),
      controller_(method_.error_order) {}

void EmbeddedRungeKutta::restart() {
  slope_time_.reset();
  suggested_ = std::numeric_limits<double>::infinity();
  controller_.restart();
}

bool EmbeddedRungeKutta::serialize(StateArchive& archive, std::string const& group, EvolvingSystem& system) {
  halocline::serialize(steps_, archive, group);
  controller_.serialize(archive, group);
  archive.number(group + "/suggested", suggested_);
  bool has_slope = slope_time_.has_value();
  archive.flag(group + "/has_slope", has_slope);
  if (!has_slope) return true;
  double slope_time = slope_time_.value_or(0);
  archive.number(group + "/slope_time", slope_time);
  slope_time_ = slope_time;
  states_.make(system);
  system.serialize(archive, group + "/slope", states_[1]);
  return true;
}

double EmbeddedRungeKutta::attempt(EvolvingSystem& system, double time, double step, Vector& u) {
  states_[method_.second].assign({{1, &u}, {step * method_.first, &states_[1]}});
  for (ExplicitStage const& stage : method_.stages) take_stage(stage, system, time, step, u, states_);
  return states_[method_.stages.back().out].scaled_maximum(u, states_[method_.result], tolerance_.absolute,
                                                           tolerance_.relative);
}

std::vector<SolveReport> EmbeddedRungeKutta::leave_without_numbers(Vector& u) {
  u.swap(states_[method_.result]);
  restart();
  return {};
}

std::vector<SolveReport> EmbeddedRungeKutta::advance(EvolvingSystem& system, double time, double step, Vector& u) {
  states_.make(system);
  double const end = time + step;
  if (slope_time_ != time) system.evaluate(RatePart::whole, time, u, 0, {}, 1, states_[1], nullptr);
  for (int attempts = 0; time < end; ++attempts) {
    if (attempts == most_attempts) {
      throw SolveError(method_.name + ": " + std::to_string(most_attempts) + " attempted steps reached only time " +
                       shortest_text(time) + " of " + shortest_text(end) + "; is the tolerance below rounding?");
    }
    double const rest = end - time;
    constexpr double unrounded = 1 - 1e-12;  // `rest` differs by rounding from the step that was asked for
    // Steps of equal length up to the end, so that the last one is not tiny.
    double const count = std::max(1.0, std::ceil(rest / suggested_ * unrounded));
    double const taken = rest / count;
    bool const is_shortened = std::isfinite(suggested_) && taken < suggested_ * unrounded;
    double const error = attempt(system, time, taken, u);
    double const next = taken * controller_.factor_of(error, is_shortened);
    if (!StepController::accepts(error)) {
      ++steps_.rejected;
      suggested_ = next;
      if (time + next > time) continue;
      if (std::isnan(error)) return leave_without_numbers(u);
      throw SolveError(method_.name + ": no step from time " + shortest_text(time) +
                       ", however short, meets the tolerance; the error of the last one was " + shortest_text(error) +
                       " times the tolerance");
    }
    // A step that was shortened to reach the end does not rule out a longer one.
    suggested_ = is_shortened && next >= taken ? std::max(next, suggested_) : next;
    time = count == 1 ? end : time + taken;
    u.swap(states_[method_.result]);
    states_[1].swap(states_[method_.stages.back().slope]);
    ++steps_.taken;
  }
  slope_time_ = end;
  return {};
}

std::vector<IntegratorEntry> embedded_runge_kutta_entries() {
  std::vector<IntegratorEntry> entries;
  entries.push_back(entry_of(bogacki_shampine, "Error-controlled Runge-Kutta pair of Bogacki and Shampine, of order 3.",
                             3,
                             {.use = "Loose tolerances and step lengths that are not known beforehand; the "
                                     "error-controlled method with the fewest states.",
                              .reference = "Bogacki and Shampine, 1989, Applied Mathematics Letters 2"}));
  entries.push_back(entry_of(
      dormand_prince, "Error-controlled Runge-Kutta pair of Dormand and Prince, of order 5.", 5,
      {.use = "Smooth solutions to tight tolerances, with transients that need steps of very different lengths.",
       .reference = "Dormand and Prince, 1980, Journal of Computational and Applied Mathematics 6; Hairer, "
                    "Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.5"}));
  return entries;
}

}  // namespace halocline
