#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "framework/mesh/partition.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

std::size_t block_at(ProcessGrid const& grid, std::array<int, 3> const& place) {
  return static_cast<std::size_t>(place[0]) +
         static_cast<std::size_t>(grid[0]) * (static_cast<std::size_t>(place[1]) +
                                              static_cast<std::size_t>(grid[1]) * static_cast<std::size_t>(place[2]));
}

template <class Visit>
void for_each_place(ProcessGrid const& grid, Visit const& visit) {
  for (int z = 0; z < grid[2]; ++z) {
    for (int y = 0; y < grid[1]; ++y) {
      for (int x = 0; x < grid[0]; ++x) visit(std::array<int, 3>{x, y, z});
    }
  }
}

/// Surface between blocks on different hosts, in cells of an average block.
double surface_between_hosts(ProcessGrid const& grid, Extents const& cells, std::vector<int> const& hosts,
                             std::vector<int> const& rank_of_block) {
  double extent[3];
  for (std::size_t axis = 0; axis < 3; ++axis) extent[axis] = static_cast<double>(cells[axis]) / grid[axis];
  double surface = 0;
  auto const host = [&](std::array<int, 3> const& place) {
    return hosts[static_cast<std::size_t>(rank_of_block[block_at(grid, place)])];
  };
  for_each_place(grid, [&](std::array<int, 3> const& place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::array<int, 3> next = place;
      if (++next[axis] == grid[axis] || host(next) == host(place)) continue;
      surface += extent[(axis + 1) % 3] * extent[(axis + 2) % 3];
    }
  });
  return surface;
}

/// Assigns one box of `box` blocks to each host, in the order of hosts; ranks fill each box in the order of `by_host`.
std::vector<int> in_boxes(ProcessGrid const& grid, ProcessGrid const& box, std::vector<int> const& by_host) {
  std::vector<int> rank_of_block(by_host.size());
  ProcessGrid const boxes{grid[0] / box[0], grid[1] / box[1], grid[2] / box[2]};
  std::size_t const per_box =
      by_host.size() /
      (static_cast<std::size_t>(boxes[0]) * static_cast<std::size_t>(boxes[1]) * static_cast<std::size_t>(boxes[2]));
  for_each_place(grid, [&](std::array<int, 3> const& place) {
    std::size_t const which = block_at(boxes, {place[0] / box[0], place[1] / box[1], place[2] / box[2]});
    std::size_t const within = block_at(box, {place[0] % box[0], place[1] % box[1], place[2] % box[2]});
    rank_of_block[block_at(grid, place)] = by_host[which * per_box + within];
  });
  return rank_of_block;
}

/// Assigns ranks in the order of `by_host` along a continuous path through the grid: back and forth along `order[0]`,
/// then `order[1]`, then `order[2]`.
std::vector<int> along_path(ProcessGrid const& grid, std::array<std::size_t, 3> const& order,
                            std::vector<int> const& by_host) {
  std::vector<int> rank_of_block(by_host.size());
  std::size_t step = 0;
  bool forward_second = true;
  bool forward_first = true;
  for (int c = 0; c < grid[order[2]]; ++c, forward_second = !forward_second) {
    for (int b = 0; b < grid[order[1]]; ++b, forward_first = !forward_first) {
      for (int a = 0; a < grid[order[0]]; ++a) {
        std::array<int, 3> place{};
        place[order[0]] = forward_first ? a : grid[order[0]] - 1 - a;
        place[order[1]] = forward_second ? b : grid[order[1]] - 1 - b;
        place[order[2]] = c;
        rank_of_block[block_at(grid, place)] = by_host[step++];
      }
    }
  }
  return rank_of_block;
}

/// Ranks grouped by host; hosts in the order of their first rank.
std::vector<int> ranks_by_host(std::vector<int> const& hosts) {
  std::map<int, int> first_rank;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) first_rank.try_emplace(hosts[rank], static_cast<int>(rank));
  std::vector<int> ranks(hosts.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return first_rank[hosts[static_cast<std::size_t>(a)]] < first_rank[hosts[static_cast<std::size_t>(b)]];
  });
  return ranks;
}

/// Ranks per host; 0 if hosts differ.
int ranks_per_host(std::vector<int> const& hosts) {
  std::map<int, int> count;
  for (int const host : hosts) ++count[host];
  int const first = count.begin()->second;
  return std::all_of(count.begin(), count.end(), [&](auto const& entry) { return entry.second == first; }) ? first : 0;
}

}  // namespace

std::vector<int> map_to_hosts(ProcessGrid const& grid, Extents const& cells, std::vector<int> const& hosts) {
  if (static_cast<Index>(hosts.size()) != Index{grid[0]} * grid[1] * grid[2]) {
    throw DefectError("map_to_hosts needs one rank for each block");
  }
  std::vector<int> best(hosts.size());
  std::iota(best.begin(), best.end(), 0);
  double least = surface_between_hosts(grid, cells, hosts, best);
  auto const consider = [&](std::vector<int> candidate) {
    double const surface = surface_between_hosts(grid, cells, hosts, candidate);
    if (surface < least) {
      least = surface;
      best = std::move(candidate);
    }
  };

  std::vector<int> const by_host = ranks_by_host(hosts);
  int const per_host = ranks_per_host(hosts);
  for (int x = 1; x <= std::min(per_host, grid[0]); ++x) {
    for (int y = 1; y <= std::min(per_host / x, grid[1]); ++y) {
      int const z = per_host / (x * y);
      bool const fits = x * y * z == per_host && grid[0] % x == 0 && grid[1] % y == 0 && grid[2] % z == 0;
      if (fits) consider(in_boxes(grid, {x, y, z}, by_host));
    }
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    consider(along_path(grid, order, by_host));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

}  // namespace halocline
