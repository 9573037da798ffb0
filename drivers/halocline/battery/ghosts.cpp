#include <string>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/short_run.hpp"
#include "framework/field/ghost_poison.hpp"

namespace halocline::battery {

Finding ghosts(Subject const& subject) {
  if (subject.entry.points) return not_applicable("points have none");
  std::vector<std::string> const changes =
      joined(exact_solves(subject), {odd_cells(subject), "mesh.blocks_per_rank=2"});
  constexpr Index steps = 4;
  auto const plain = short_run(subject, changes, steps)->state();
  poison_ghosts(true);
  auto const poisoned = short_run(subject, changes, steps)->state();
  poison_ghosts(false);
  std::string const difference = first_difference(plain, poisoned);
  if (!difference.empty()) return failed("with NaN in unfilled ghosts: " + difference);
  return held("unfilled ghosts do not affect results");
}

}  // namespace halocline::battery
