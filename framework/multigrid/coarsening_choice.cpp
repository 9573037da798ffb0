#include "framework/multigrid/coarsening_choice.hpp"

#include <algorithm>

#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

/// A level with fewer unknowns is cheaper in one block than with messages between several.
constexpr Index few_unknowns = 8192;
/// The same if blocks are too thin to be coarsened along some axis.
constexpr Index few_unknowns_of_thin_blocks = Index{1} << 18U;
/// Thinner blocks are not worth coarsening further.
constexpr Index thin_block = 4;
/// Axes with at least this fraction of the strongest coupling are coarsened with it. Below 1/2, so that rounding does
/// not decide on meshes with one axis refined twice as much.
constexpr double strong_fraction = 0.45;

bool is_cut_thin(ControlVolumeGrid const& grid, int axis) {
  std::vector<Index> const starts = grid.starts(axis);
  if (starts.size() <= 2) return false;
  for (std::size_t n = 0; n + 1 < starts.size(); ++n) {
    if (starts[n + 1] - starts[n] < thin_block) return true;
  }
  return false;
}

/// By axis.
using Axes = std::array<bool, 3>;

Axes thin_axes(ControlVolumeGrid const& grid) {
  Axes thin{};
  for (int axis = 0; axis < grid.dimensions(); ++axis) thin[static_cast<std::size_t>(axis)] = is_cut_thin(grid, axis);
  return thin;
}

Axes strong_axes(ControlVolumeGrid const& grid, Couplings const& couplings) {
  auto const has_neighbours = [&](std::size_t a) { return grid.volumes[a].size() > 1; };
  double strongest = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (has_neighbours(a)) strongest = std::max(strongest, couplings[a]);
  }
  Axes strong{};
  for (std::size_t a = 0; a < 3; ++a) strong[a] = has_neighbours(a) && couplings[a] >= strong_fraction * strongest;
  return strong;
}

}  // namespace

Couplings mean_over_faces(ControlVolumeGrid const& grid, Couplings sums) {
  grid.mesh->communicator().sum(sums);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Index const size = grid.volumes[axis].size();
    Index const faces = grid.volumes[axis].periodic_gap > 0 ? size : size - 1;
    Index const across = grid.size() / size;
    sums[axis] = faces > 0 ? sums[axis] / static_cast<double>(faces * across) : 0;
  }
  return sums;
}

bool worth_agglomerating(ControlVolumeGrid const& grid, Couplings const& couplings) {
  if (grid.mesh->block_count() == 1) return false;
  if (grid.size() <= few_unknowns) return true;
  Axes const thin = thin_axes(grid);
  if (thin == Axes{}) return false;
  if (grid.size() <= few_unknowns_of_thin_blocks) return true;
  Axes const strong = strong_axes(grid, couplings);
  return (!strong[0] || thin[0]) && (!strong[1] || thin[1]) && (!strong[2] || thin[2]);
}

std::array<Index, 3> coarsening_factor(ControlVolumeGrid const& grid, Couplings const& couplings) {
  Axes const strong = strong_axes(grid, couplings);
  Axes const thin = thin_axes(grid);
  std::array<Index, 3> factor{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    if (strong[a] && !thin[a]) factor[a] = 2;
  }
  return factor;
}

}  // namespace halocline
