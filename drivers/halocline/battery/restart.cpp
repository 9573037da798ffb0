#include <fmt/core.h>

#include <algorithm>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/trial.hpp"

namespace halocline::battery {

Finding restart(Subject const& subject) {
  if (!evolves(subject)) return not_applicable("it is stationary");
  std::vector<std::string> changes;
  if (!subject.entry.points) changes.push_back(cells_change(cells_of(subject, 600)));
  Trial whole(subject, changes);
  std::optional<double> const stable = whole.stable_step();
  double const given = given_step(whole.deck());
  double const size = stable ? std::min(given, 0.5 * *stable) : given;
  std::string text;
  // After one step multistep methods have no history yet.
  for (Index const before : {1, 2, 7}) {
    Trial undisturbed(subject, changes);
    // Also in two parts: step positions are counted from the start of a part.
    undisturbed.take(size, before);
    undisturbed.take(size, 5);
    Trial first(subject, changes);
    first.take(size, before);
    Trial second(subject, changes);
    if (!second.go_on_from(first))
      return not_applicable("it does not implement `serialize`, so its runs have no checkpoints");
    second.take(size, 5);
    std::string const difference = first_difference(undisturbed.state(), second.state());
    if (!difference.empty()) return failed(fmt::format("5 steps after a restart from step {}: {}", before, difference));
    text += fmt::format("{}{}", text.empty() ? "" : ", ", before);
  }
  return held(fmt::format("from steps {}: same bits as the uninterrupted run", text));
}

}  // namespace halocline::battery
