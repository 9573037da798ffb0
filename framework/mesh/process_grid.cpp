#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/mesh/partition.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/even_share.hpp"

namespace halocline {

namespace {

/// Cells of a block along one axis, and how many of its two sides have a neighbour.
struct Span {
  double extent;
  int sides;
};

/// Candidates for the busiest block of an axis: the first, the second (no inner one is larger) and the last.
std::vector<Span> spans(Index cells, int blocks, bool periodic) {
  if (blocks == 1) return {{static_cast<double>(cells), 0}};  // copies within a block are not messages
  std::vector<Span> found;
  for (int const block : {0, 1, blocks - 1}) {
    bool const inner = periodic || (block > 0 && block < blocks - 1);
    found.push_back({static_cast<double>(even_share(cells, blocks, block)), inner ? 2 : 1});
  }
  return found;
}

/// Cost of a grid: entries sent by its busiest block, then cells of its largest block.
std::pair<double, double> cost(Extents const& cells, ProcessGrid const& grid, Periodicity const& periodic) {
  double most = 0;
  double largest = 0;
  for (Span const& x : spans(cells[0], grid[0], periodic[0])) {
    for (Span const& y : spans(cells[1], grid[1], periodic[1])) {
      for (Span const& z : spans(cells[2], grid[2], periodic[2])) {
        double const sent =
            x.sides * y.extent * z.extent + y.sides * x.extent * z.extent + z.sides * x.extent * y.extent;
        most = std::max(most, sent);
        largest = std::max(largest, x.extent * y.extent * z.extent);
      }
    }
  }
  return {most, largest};
}

/// "8 x 8".
std::string along_axes(auto const& numbers, std::size_t axes) {
  std::string text;
  for (std::size_t axis = 0; axis < axes; ++axis) text += (axis > 0 ? " x " : "") + std::to_string(numbers[axis]);
  return text;
}

std::string text(Extents const& cells, int ranks, ProcessGrid const& wanted, int dimensions) {
  auto const axes = static_cast<std::size_t>(dimensions);
  std::string const message = "a mesh of " + along_axes(cells, axes) +
                              (cells == Extents{1, 1, 1} && axes == 1 ? " cell" : " cells") + " cannot be cut into " +
                              std::to_string(ranks) + (ranks == 1 ? " block" : " blocks") + " of at least one cell";
  if (wanted == ProcessGrid{0, 0, 0}) return message + ": use another number of ranks or more cells";
  bool const some_free = std::any_of(wanted.begin(), wanted.begin() + dimensions, [](int n) { return n == 0; });
  return message + ", " + along_axes(wanted, axes) + " along its axes" + (some_free ? " (0: any number)" : "") +
         ": use another number of ranks or another process grid";
}

}  // namespace

ProcessGrid choose_process_grid(Extents const& cells, int ranks, Periodicity const& periodic, ProcessGrid const& wanted,
                                int dimensions) {
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
      // Grids are enumerated with ascending x, then y, so that among equals the first cuts z, then y.
      if (best[0] == 0 || cost(cells, grid, periodic) < cost(cells, best, periodic)) best = grid;
    }
  }
  if (best[0] == 0) throw InputError(text(cells, ranks, wanted, dimensions));
  return best;
}

}  // namespace halocline
