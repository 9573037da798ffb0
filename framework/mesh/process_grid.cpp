#include <string>
#include <tuple>

#include "framework/mesh/partition.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

/// What a grid costs its busiest rank: entries sent by the largest block, then its cells.
std::pair<double, double> cost(Extents const& cells, ProcessGrid const& grid, Periodicity const& periodic) {
  double extent[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    extent[axis] = static_cast<double>((cells[axis] + grid[axis] - 1) / grid[axis]);
  }
  double const volume = extent[0] * extent[1] * extent[2];
  double surface = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // A block is not a neighbour of itself here: what it copies to itself is no message.
    int const sides = grid[axis] == 1 ? 0 : (grid[axis] == 2 && !periodic[axis] ? 1 : 2);
    surface += sides * volume / extent[axis];
  }
  return {surface, volume};
}

std::string text(Extents const& cells, int ranks, ProcessGrid const& wanted) {
  auto const three = [](auto const& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
  };
  std::string message = "a mesh of " + three(cells) + " cells cannot be cut into " + std::to_string(ranks) +
                        " blocks of at least one cell";
  if (wanted != ProcessGrid{0, 0, 0}) message += ", cut as " + three(wanted) + " (0: free)";
  return message + ": use fewer ranks or another process grid";
}

}  // namespace

ProcessGrid choose_process_grid(Extents const& cells, int ranks, Periodicity const& periodic,
                                ProcessGrid const& wanted) {
  ProcessGrid best{0, 0, 0};
  auto const allowed = [&](std::size_t axis, int blocks) {
    return (wanted[axis] == 0 || wanted[axis] == blocks) && blocks <= cells[axis];
  };
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0 || !allowed(0, x)) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      int const z = ranks / x / y;
      if (ranks / x % y != 0 || !allowed(1, y) || !allowed(2, z)) continue;
      ProcessGrid const grid{x, y, z};
      // Grids come in the order of rising x, then y, so the first of equals cuts z, then y.
      if (best[0] == 0 || cost(cells, grid, periodic) < cost(cells, best, periodic)) best = grid;
    }
  }
  if (best[0] == 0) throw InputError(text(cells, ranks, wanted));
  return best;
}

}  // namespace halocline
