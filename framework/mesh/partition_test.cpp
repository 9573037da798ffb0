#include "framework/mesh/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

std::string input_error(auto const& action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Entries that the busiest block sends, counted cell by cell.
Index busiest_surface(Extents const& cells, ProcessGrid const& grid, Periodicity const& periodic) {
  Partition const partition(cells, grid, periodic);
  Index most = 0;
  for (Index block = 0; block < partition.blocks(); ++block) {
    Index sent = 0;
    Extents const extents = partition.cells(block).extents();
    for (std::size_t n = 0; n < 27; ++n) {
      Direction const direction = direction_at(n);
      if (distance(direction) != 1) continue;
      auto const next = partition.neighbour(block, direction);
      if (!next || *next == block) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (direction[axis] != 0) sent += extents[(axis + 1) % 3] * extents[(axis + 2) % 3];
      }
    }
    most = std::max(most, sent);
  }
  return most;
}

TEST(Partition, CutsAsEvenlyAsCanBe) {
  Partition const partition({10, 7, 1}, {4, 2, 1}, {});
  EXPECT_THAT(partition.starts(0), testing::ElementsAre(0, 3, 6, 8, 10));
  EXPECT_THAT(partition.starts(1), testing::ElementsAre(0, 4, 7));
  EXPECT_EQ(partition.blocks(), 8);
  EXPECT_EQ(partition.cells(5), (IndexRange{{3, 4, 0}, {6, 7, 1}}));
  EXPECT_EQ(partition.cells(), (Extents{10, 7, 1}));
}

TEST(Partition, BlocksCoverTheMeshOnce) {
  Partition const partition({5, 4, 3}, {3, 2, 2}, {});
  std::set<Extents> seen;
  for (Index block = 0; block < partition.blocks(); ++block) {
    IndexRange const range = partition.cells(block);
    for (Index k = range.begin[2]; k < range.end[2]; ++k) {
      for (Index j = range.begin[1]; j < range.end[1]; ++j) {
        for (Index i = range.begin[0]; i < range.end[0]; ++i) EXPECT_TRUE(seen.insert({i, j, k}).second);
      }
    }
  }
  EXPECT_EQ(seen.size(), 60u);
}

TEST(Partition, CountsBeyond32Bits) {
  Index const many = Index{3} << 40;
  Partition const partition({many + 1, 1, 1}, {2, 1, 1}, {});
  EXPECT_EQ(partition.cells(0).end[0], many / 2);
  EXPECT_EQ(partition.cells(1).extent(0), many / 2 + 1);
}

TEST(Partition, CutsWhereMultigridMergesCellsWithoutThem) {
  EXPECT_THAT(Partition({251, 300, 64}, {2, 3, 3}, {}).starts(0), testing::ElementsAre(0, 128, 251));
  EXPECT_THAT(Partition({251, 300, 64}, {2, 3, 3}, {}).starts(1), testing::ElementsAre(0, 100, 200, 300));
  // 22, 21, 21: a difference of one cell would be more than one part in 32.
  EXPECT_THAT(Partition({251, 300, 64}, {2, 3, 3}, {}).starts(2), testing::ElementsAre(0, 22, 43, 64));
  EXPECT_THAT(Partition({1000, 1, 1}, {3, 1, 1}, {}).starts(0), testing::ElementsAre(0, 336, 672, 1000));
}

TEST(Partition, BlocksStayNearlyEvenWhateverTheCount) {
  for (Index const cells : {31, 63, 64, 65, 127, 1000, 6300, 6400, 6401}) {
    for (int blocks = 1; blocks <= std::min<Index>(cells, 100); ++blocks) {
      std::vector<Index> const starts = Partition({cells, 1, 1}, {blocks, 1, 1}, {}).starts(0);
      Index const more = (cells + blocks - 1) / blocks / Partition::dearest_alignment;
      ASSERT_EQ(starts.size(), static_cast<std::size_t>(blocks) + 1);
      ASSERT_EQ(starts.back(), cells);
      for (std::size_t n = 0; n + 1 < starts.size(); ++n) {
        ASSERT_GE(starts[n + 1] - starts[n], std::max<Index>(1, cells / blocks - more)) << cells << ", " << blocks;
        ASSERT_LE(starts[n + 1] - starts[n], (cells + blocks - 1) / blocks + more) << cells << ", " << blocks;
      }
    }
  }
}

TEST(Partition, NeighboursEndOrWrapAround) {
  Partition const partition({6, 6, 1}, {3, 2, 1}, {true, false, false});
  EXPECT_EQ(partition.neighbour(0, {-1, 0, 0}), 2);
  EXPECT_EQ(partition.neighbour(2, {1, 0, 0}), 0);
  EXPECT_EQ(partition.neighbour(0, {-1, 1, 0}), 5);
  EXPECT_EQ(partition.neighbour(0, {0, -1, 0}), std::nullopt);
  EXPECT_EQ(partition.neighbour(0, {0, 0, 1}), std::nullopt);
  Partition const alone({6, 1, 1}, {1, 1, 1}, {true, false, false});
  EXPECT_EQ(alone.neighbour(0, {1, 0, 0}), 0);
}

TEST(Partition, RefusesAxesThinnerThanTheGrid) {
  EXPECT_EQ(input_error([] {
              Partition({8, 3, 1}, {1, 4, 1}, {});
            }),
            "axis y has 3 cells and cannot be cut into 4 blocks of at least one cell");
}

TEST(Partition, DividesEveryBlockUnevenlyOnItsRank) {
  Partition const whole({11, 25, 3}, {2, 2, 1}, {true, false, false}, {3, 2, 1, 0});
  Partition const divided = whole.divided(2);
  EXPECT_EQ(divided.grid(), (ProcessGrid{2, 4, 1}));
  EXPECT_EQ(divided.starts(0), whole.starts(0));
  EXPECT_THAT(divided.starts(1), testing::ElementsAre(0, 5, 13, 18, 25));  // 13 and 12 cells
  EXPECT_EQ(divided.starts(2), whole.starts(2));
  EXPECT_EQ(divided.periodic(), whole.periodic());
  EXPECT_THAT(divided.ranks(), testing::ElementsAre(3, 2, 3, 2, 1, 0, 1, 0));
  EXPECT_THAT(whole.divided(3).starts(1), testing::ElementsAre(0, 3, 7, 13, 16, 20, 25));
  EXPECT_EQ(whole.divided(1).ranks(), whole.ranks());
}

TEST(Partition, DividesTheLastOfTheLongestAxesDownToSingleCells) {
  EXPECT_EQ(Partition({6, 6, 5}, {1, 1, 1}, {}).divided(2).grid(), (ProcessGrid{1, 2, 1}));
  EXPECT_THAT(Partition({1, 4, 1}, {1, 1, 1}, {}).divided(4).starts(1), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(input_error([] {
              static_cast<void>(Partition({7, 2, 1}, {3, 1, 1}, {}).divided(3));
            }),
            "a block of at most 2 cells along each axis cannot be cut into 3 blocks of at least one cell: use fewer "
            "blocks per rank, fewer ranks or more cells");
  EXPECT_EQ(input_error([] {
              static_cast<void>(Partition({7, 2, 1}, {3, 1, 1}, {}).divided(0));
            }),
            "a rank owns at least one block, not 0");
}

TEST(Partition, CoarsensEachBlockByItself) {
  Partition const coarse = Partition({10, 7, 1}, {4, 2, 1}, {}).coarsened();
  EXPECT_THAT(coarse.starts(0), testing::ElementsAre(0, 2, 4, 5, 6));  // 3 3 2 2 -> 2 2 1 1
  EXPECT_THAT(coarse.starts(1), testing::ElementsAre(0, 2, 4));
  EXPECT_THAT(coarse.starts(2), testing::ElementsAre(0, 1));
}

TEST(ProcessGrid, HasTheLeastSurfaceOfAllGrids) {
  std::vector<Extents> const meshes{{12, 12, 12}, {100, 10, 1}, {10, 100, 1}, {7, 5, 3}, {1000, 1, 1}, {13, 29, 31}};
  for (Extents const& cells : meshes) {
    for (Periodicity const& periodic :
         {Periodicity{}, Periodicity{true, true, true}, Periodicity{false, true, false}}) {
      for (int ranks : {1, 2, 3, 4, 6, 7, 8, 12}) {
        Index least = std::numeric_limits<Index>::max();
        for (int x = 1; x <= ranks; ++x) {
          for (int y = 1; x * y <= ranks; ++y) {
            int const z = ranks / (x * y);
            if (x * y * z != ranks || x > cells[0] || y > cells[1] || z > cells[2]) continue;
            least = std::min(least, busiest_surface(cells, {x, y, z}, periodic));
          }
        }
        if (least == std::numeric_limits<Index>::max()) continue;
        ProcessGrid const grid = choose_process_grid(cells, ranks, periodic);
        EXPECT_EQ(busiest_surface(cells, grid, periodic), least)
            << cells[0] << ' ' << cells[1] << ' ' << cells[2] << " on " << ranks;
      }
    }
  }
}

TEST(ProcessGrid, KeepsRowsWholeAmongEquals) {
  EXPECT_EQ(choose_process_grid({64, 64, 64}, 2, {}), (ProcessGrid{1, 1, 2}));
  EXPECT_EQ(choose_process_grid({64, 64, 1}, 2, {}), (ProcessGrid{1, 2, 1}));
}

TEST(ProcessGrid, KeepsWhatIsWanted) {
  EXPECT_EQ(choose_process_grid({64, 64, 1}, 4, {}, {4, 0, 0}), (ProcessGrid{4, 1, 1}));
  EXPECT_EQ(
      input_error([] {
        static_cast<void>(choose_process_grid({64, 64, 1}, 4, {}, {3, 0, 0}));
      }),
      "a mesh of 64 x 64 x 1 cells cannot be cut into 4 blocks of at least one cell, 3 x 0 x 0 along its axes (0: any "
      "number): use another number of ranks or another process grid");
  EXPECT_EQ(
      input_error([] {
        static_cast<void>(choose_process_grid({64, 64, 1}, 1, {}, {2, 1, 0}, 2));
      }),
      "a mesh of 64 x 64 cells cannot be cut into 1 block of at least one cell, 2 x 1 along its axes: use another "
      "number of ranks or another process grid");
}

TEST(ProcessGrid, RefusesMoreRanksThanCells) {
  EXPECT_EQ(
      input_error([] {
        static_cast<void>(choose_process_grid({3, 1, 1}, 4, {}));
      }),
      "a mesh of 3 x 1 x 1 cells cannot be cut into 4 blocks of at least one cell: use another number of ranks or "
      "more cells");
}

/// Pairs of neighbouring blocks on different hosts.
int pairs_apart(ProcessGrid const& grid, std::vector<int> const& ranks, std::vector<int> const& hosts) {
  Partition const partition({grid[0], grid[1], grid[2]}, grid, {});
  int apart = 0;
  for (Index block = 0; block < partition.blocks(); ++block) {
    for (Direction const& direction : {Direction{1, 0, 0}, Direction{0, 1, 0}, Direction{0, 0, 1}}) {
      auto const next = partition.neighbour(block, direction);
      if (!next) continue;
      auto const host = [&](Index b) { return hosts[static_cast<std::size_t>(ranks[static_cast<std::size_t>(b)])]; };
      apart += host(block) != host(*next);
    }
  }
  return apart;
}

bool is_permutation_of_ranks(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank] != static_cast<int>(rank)) return false;
  }
  return true;
}

TEST(HostMap, OneHostKeepsTheOrder) {
  EXPECT_THAT(map_to_hosts({2, 2, 1}, {8, 8, 1}, {7, 7, 7, 7}), testing::ElementsAre(0, 1, 2, 3));
}

TEST(HostMap, HostsGetSquareBricks) {
  // Ranks are assigned round-robin to four hosts: in rank order almost every neighbour is on another host.
  std::vector<int> hosts;
  for (int rank = 0; rank < 16; ++rank) hosts.push_back(rank % 4);
  std::vector<int> const ranks = map_to_hosts({4, 4, 1}, {64, 64, 1}, hosts);
  EXPECT_TRUE(is_permutation_of_ranks(ranks));
  EXPECT_EQ(pairs_apart({4, 4, 1}, ranks, hosts), 8);  // two cuts of four blocks each
}

TEST(HostMap, BricksFollowTheShapeOfBlocks) {
  // Blocks of 100 x 10 cells: the surface between upper and lower blocks is ten times that between left and right ones.
  std::vector<int> const hosts{0, 0, 1, 1};
  std::vector<int> const ranks = map_to_hosts({2, 2, 1}, {200, 20, 1}, hosts);
  auto const host = [&](std::size_t block) { return hosts[static_cast<std::size_t>(ranks[block])]; };
  EXPECT_EQ(host(0), host(2));
  EXPECT_EQ(host(1), host(3));
  EXPECT_NE(host(0), host(1));
}

TEST(HostMap, UnequalHostsAreNeverWorseThanRankOrder) {
  std::vector<int> const hosts{0, 1, 2, 0, 1, 2, 0, 1, 0, 0, 1, 2};
  ProcessGrid const grid{4, 3, 1};
  std::vector<int> in_order(12);
  std::iota(in_order.begin(), in_order.end(), 0);
  std::vector<int> const ranks = map_to_hosts(grid, {40, 30, 1}, hosts);
  EXPECT_TRUE(is_permutation_of_ranks(ranks));
  EXPECT_LT(pairs_apart(grid, ranks, hosts), pairs_apart(grid, in_order, hosts));
  EXPECT_LE(pairs_apart(grid, ranks, hosts), 7);  // groups of 5, 4 and 3 blocks along a winding path
}

TEST(HostMap, FindsTheBestOfAllMapsOfASmallGrid) {
  std::vector<int> const hosts{0, 1, 0, 1, 0, 1};
  ProcessGrid const grid{3, 2, 1};
  std::vector<int> ranks{0, 1, 2, 3, 4, 5};
  int least = 100;
  do {
    least = std::min(least, pairs_apart(grid, ranks, hosts));
  } while (std::next_permutation(ranks.begin(), ranks.end()));
  EXPECT_EQ(pairs_apart(grid, map_to_hosts(grid, {3, 2, 1}, hosts), hosts), least);
}

}  // namespace
}  // namespace halocline
