#include "physics/nbody/cuda_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace halocline::nbody::cuda {
namespace {

/// Walks through a split as the kernels do, and checks that every step is done once and every piece has one owner.
void expect_whole(Split const& split) {
  SCOPED_TRACE(std::to_string(split.tiles) + " x " + std::to_string(split.chunks) + " on " +
               std::to_string(split.blocks));
  std::vector<int> done(static_cast<std::size_t>(split.steps()));
  std::set<std::pair<Index, Index>> written;  // piece, tile
  std::set<Index> owned;
  Index least = split.steps();
  Index most = 0;
  for (Index block = 0; block < split.blocks; ++block) {
    Index const begin = split.begin(block);
    Index const end = split.begin(block + 1);
    least = std::min(least, end - begin);
    most = std::max(most, end - begin);
    for (Index step = begin; step < end; ++step) {
      ++done[static_cast<std::size_t>(step)];
      EXPECT_EQ(split.block_of(step), block);
      Index const tile = step / split.chunks;
      if (split.first_block(tile) != split.last_block(tile)) written.insert({split.piece(block, tile), tile});
    }
  }
  EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](int times) { return times == 1; }));
  EXPECT_LE(most - least, 1);
  for (auto const& [piece, tile] : written) {
    EXPECT_LT(piece, split.pieces());
    EXPECT_TRUE(owned.insert(piece).second) << "piece " << piece << " is of two tiles";
  }
}

TEST(Split, IsEvenAndWhole) {
  for (Index const tiles : {1, 2, 3, 7, 64}) {
    for (Index const chunks : {1, 2, 5, 64}) {
      for (Index const blocks : {1, 2, 3, 13, 60, 132}) {
        expect_whole({tiles, chunks, std::min(blocks, tiles * chunks)});
      }
    }
  }
}

}  // namespace
}  // namespace halocline::nbody::cuda
