#include "drivers/halocline/memory_forecast.hpp"

#include <algorithm>
#include <cstddef>

namespace halocline {

BlockBytes MemoryForecast::of(Extents const& block) const {
  BlockBytes all;
  constexpr double hardly = 1e-3;
  double passing = 0;  // largest temporary memory
  bool all_have_a_peak = true;
  for (std::size_t n = 0; n < taken.size(); ++n) {
    double weight = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const [fewer, more] = cells[axis];
      bool const of_more = (n >> axis & 1U) != 0;
      double const above = more > fewer ? (static_cast<double>(block[axis]) - fewer) / (more - fewer) : 0;
      weight *= of_more ? above : 1 - above;
    }
    all.peak += weight * taken[n].peak;
    all.resting += weight * taken[n].resting;
    all.state += weight * taken[n].state;
    all.owned += weight * taken[n].owned;
    all.checkpointed += weight * taken[n].checkpointed;
    all.written += weight * taken[n].written;
    passing = std::max(passing, taken[n].peak - taken[n].resting);
    all_have_a_peak = all_have_a_peak && taken[n].peak > (1 + hardly) * taken[n].resting;
  }
  if (all_have_a_peak) return all;
  double grown = taken.back().peak - taken.back().resting;
  for (std::size_t axis = 0; axis < 3; ++axis)
    grown *= std::max(1.0, static_cast<double>(block[axis]) / cells[axis][1]);
  all.peak = all.resting + std::clamp(all.peak - all.resting, 0.0, std::max(passing, grown));
  return all;
}

}  // namespace halocline
