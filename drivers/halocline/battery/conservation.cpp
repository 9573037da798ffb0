#include <fmt/core.h>

#include <cmath>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/trial.hpp"
#include "drivers/halocline/conservation.hpp"
#include "drivers/halocline/declaration.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {

Finding conservation(Subject const& subject) {
  if (!evolves(subject)) return not_applicable("it is stationary");
  std::vector<std::string> changes = exact_solves(subject);
  if (!subject.entry.points) changes.push_back(cells_change(cells_of(subject, 1000)));
  auto trial = std::make_unique<Trial>(subject, changes);
  if (trial->physics().conserved().empty() && !subject.entry.points) {
    std::vector<std::string> const closed = joined(changes, closed_change(subject));
    try {
      trial = std::make_unique<Trial>(subject, closed);
      changes = closed;
    } catch (InputError const&) {
      // Its walls cannot be changed.
    }
  }
  std::vector<std::string> const names = trial->physics().conserved();
  if (names.empty()) return not_applicable("it declares no conserved quantity");
  double given = given_step(trial->deck());
  // A physics may prepare its start for the step of the deck, which must then be the step taken.
  if (auto const stable = trial->stable_step(); stable && std::isfinite(given) && given > 0.9 * *stable) {
    given = 0.9 * *stable;
    trial = std::make_unique<Trial>(subject, joined(changes, {fmt::format("time.step={:.17g}", given)}));
  }
  Index entries = 0;
  for (Values const& field : trial->state()) entries = std::max(entries, static_cast<Index>(field.values.size()));
  Conservation watch(names, trial->quantities(), entries, precision_of(trial->deck()));
  for (int n = 0; n < 50; ++n) {
    std::optional<double> const stable = trial->stable_step();
    watch.add_step(trial->take(stable ? std::min(given, 0.9 * *stable) : given, 1));
    watch.add_state(trial->quantities());
  }
  std::string text;
  for (ConservedQuantity const& quantity : watch.quantities()) {
    text += fmt::format("{}{}: relative drift {:.1e} in 50 steps; rounding and solver errors explain {:.1e}",
                        text.empty() ? "" : "; ", quantity.name, quantity.largest_drift, quantity.explained_drift);
  }
  return watch.warnings().empty() ? held(text) : failed(text);
}

}  // namespace halocline::battery
