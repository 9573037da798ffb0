#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/short_run.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

constexpr double bound =
    100;  ///< a stable step may increase the largest value by this factor; an unstable one exceeds it by far

/// The initial values of the deck plus a perturbation that excites all waves on the mesh.
std::vector<std::string> rough(Subject const& subject) {
  std::vector<std::string> changes;
  Options const deck = subject.read();
  for (std::string const& name : options_called(subject, "initial")) {
    std::string const inside = name.substr(subject.entry.name.size() + 1);
    std::size_t const dot = inside.find('.');
    Options const own = deck.section(subject.entry.name);
    Options const section = dot == std::string::npos ? own : own.section(inside.substr(0, dot));
    if (std::count(inside.begin(), inside.end(), '.') > 1 || !section.has("initial")) continue;
    try {
      changes.push_back(
          fmt::format("{}='({}) * (1 + 0.05 * random(7)) + 1e-3 * random(3)'", name, section.field("initial").text()));
    } catch (DefectError const&) {
      changes.push_back(fmt::format("{}='({}) * (1 + 0.05 * random(7)) + 1e-3 * random(3)'", name,
                                    section.expression("initial").text()));
    }
  }
  return changes;
}

/// Growth of the largest value over this many steps; infinite if it becomes NaN.
double growth(Subject const& subject, std::vector<std::string> const& changes, double part, int steps) {
  Trial trial(subject, changes);
  double const first = std::max(largest(trial.state()), 1e-30);
  double most = 1;
  double const size = part * *trial.stable_step();
  try {
    for (int n = 0; n < steps; n += 20) {
      // A step that follows from the state stays a fraction of the stable step of that state.
      trial.take(std::min(size, part * trial.stable_step().value_or(size)), 20);
      most = std::max(most, largest(trial.state()) / first);
      if (most > 1e12) break;
    }
  } catch (Error const&) {
    return INFINITY;
  }
  return most;
}

}  // namespace

Finding stable_step(Subject const& subject) {
  if (!evolves(subject)) return not_applicable("it is stationary");
  std::vector<std::string> changes = exact_solves(subject);
  if (!subject.entry.points) changes = joined(joined(changes, {odd_cells(subject)}), rough(subject));
  std::optional<double> const stable = Trial(subject, changes).stable_step();
  if (!stable) return not_applicable("any step is stable");
  double const within = growth(subject, changes, 0.95, 300);
  double const beyond = growth(subject, changes, 2, 300);
  std::string const text = fmt::format(
      "300 steps of 0.95 times the stability limit {:.3g}: values grow by a factor of {:.3g}; of twice the limit: "
      "{:.2g}",
      *stable, within, beyond);
  return within < bound ? held(text) : failed(text);
}

}  // namespace halocline::battery
