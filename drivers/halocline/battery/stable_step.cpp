#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/short_run.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

/// A stable step may increase the largest value by this factor; an unstable one exceeds it by far.
constexpr double bound = 100;
/// What grows by itself, as what a source drives from rest, grows alike in shorter steps, within this factor. What an
/// unstable step amplifies differs by many orders of magnitude.
constexpr double alike = 2;
constexpr Index many_steps = 300;

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

/// The largest values at the start and at any time.
struct Growth {
  double first = 0;
  double most = 0;  ///< infinite if the state becomes NaN
  [[nodiscard]] bool explodes() const { return !std::isfinite(most) || (first > 0 && most > 1e12 * first); }
  [[nodiscard]] double factor() const { return first > 0 ? most / first : most > 0 ? INFINITY : 1; }
};

/// Over this many steps of a part of the longest stable one.
Growth growth(Subject const& subject, std::vector<std::string> const& changes, double part, Index count) {
  Trial trial(subject, changes);
  Growth growth{.first = largest(trial.state())};
  growth.most = growth.first;
  double const size = part * *trial.stable_step();
  constexpr Index between = 20;
  try {
    for (Index n = 0; n < count; n += between) {
      // A step that follows from the state stays a fraction of the stable step of that state.
      trial.take(std::min(size, part * trial.stable_step().value_or(size)), between);
      growth.most = std::max(growth.most, largest(trial.state()));
      if (growth.explodes()) break;
    }
  } catch (Error const&) {
    growth.most = INFINITY;
  }
  return growth;
}

/// What the values do, and whether they are stable, with steps of 0.95 of the longest stable one.
Finding stays_bounded(Subject const& subject, std::vector<std::string> const& changes) {
  constexpr double part = 0.95;
  Growth const within = growth(subject, changes, part, many_steps);
  std::string const text = fmt::format("values grow from {:.3g} to {:.3g}", within.first, within.most);
  if (within.factor() < bound) return held(text);
  if (within.explodes()) return failed(text);
  Growth const finer = growth(subject, changes, part / 2, 2 * many_steps);
  bool const is_alike = within.most < alike * finer.most && finer.most < alike * within.most;
  std::string const more = fmt::format("{}, and to {:.3g} with steps of half the length", text, finer.most);
  return is_alike ? held(more) : failed(more);
}

}  // namespace

Finding stable_step(Subject const& subject) {
  if (!evolves(subject)) return not_applicable("it is stationary");
  std::vector<std::string> changes = exact_solves(subject);
  if (!subject.entry.points) changes = joined(joined(changes, {odd_cells(subject)}), rough(subject));
  std::optional<double> const stable = Trial(subject, changes).stable_step();
  if (!stable) return not_applicable("any step is stable");
  Finding finding = stays_bounded(subject, changes);
  Growth const beyond = growth(subject, changes, 2, many_steps);
  finding.text = fmt::format("{} steps of 0.95 times the stability limit {:.3g}: {}; of twice the limit: to {:.2g}",
                             many_steps, *stable, finding.text, beyond.most);
  return finding;
}

}  // namespace halocline::battery
