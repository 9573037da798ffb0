#include "physics/diffusion/level_operator.hpp"

#include <algorithm>

#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

/// A level of fewer unknowns is cheaper on one rank than with messages between several.
constexpr Index few_unknowns = 8192;
/// Blocks thinner than this are not worth coarsening further.
constexpr Index thin_block = 4;
/// Axes whose coupling is this fraction of the strongest one are coarsened with it. Below 1/2, so that rounding does
/// not decide on meshes with one axis refined twice as much.
constexpr double strong_fraction = 0.45;

bool is_cut_thin(DiffusionGrid const& grid) {
  for (int axis = 0; axis < grid.dimensions(); ++axis) {
    std::vector<Index> const starts = grid.starts(axis);
    if (starts.size() <= 2) continue;
    for (std::size_t n = 0; n + 1 < starts.size(); ++n) {
      if (starts[n + 1] - starts[n] < thin_block) return true;
    }
  }
  return false;
}

}  // namespace

bool worth_gathering(DiffusionGrid const& grid) {
  if (grid.mesh->communicator().size() == 1) return false;
  return grid.size() <= few_unknowns || is_cut_thin(grid);
}

std::array<Index, 3> coarsening_factor(DiffusionGrid const& grid, std::array<double, 3> const& couplings) {
  auto const has_neighbours = [&](std::size_t a) { return grid.volumes[a].size() > 1; };
  double strongest = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (has_neighbours(a)) strongest = std::max(strongest, couplings[a]);
  }
  std::array<Index, 3> factor{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    if (has_neighbours(a) && couplings[a] >= strong_fraction * strongest) factor[a] = 2;
  }
  return factor;
}

}  // namespace halocline
