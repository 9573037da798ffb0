#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "drivers/halocline/battery/trial.hpp"

namespace halocline::battery {

/// Takes `steps` steps, each `part` of the longest stable one, but at most as long as in the deck.
inline void take_some(Trial& trial, Subject const& subject, Index steps, double part = 0.9) {
  double size = 0;
  if (evolves(subject)) {
    std::optional<double> const stable = trial.stable_step();
    double const given = given_step(trial.deck());
    size = stable ? std::min(given, part * *stable) : given;
  }
  trial.take(size, steps);
}

/// The same for the changed deck.
[[nodiscard]] inline std::unique_ptr<Trial> short_run(Subject const& subject, std::vector<std::string> const& changes,
                                                      Index steps, double part = 0.9) {
  auto trial = std::make_unique<Trial>(subject, changes);
  take_some(*trial, subject, steps, part);
  return trial;
}

/// A change of the mesh to few cells, with numbers that no block size divides.
[[nodiscard]] inline std::string odd_cells(Subject const& subject) {
  std::vector<Index> cells = cells_of(subject, 600);
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    cells[axis] = std::max<Index>(cells.size() == 1 ? 37 : 17, cells[axis]) + 2 * static_cast<Index>(axis);
  }
  return cells_change(cells);
}

}  // namespace halocline::battery
