#include "framework/mesh/point_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using Executions = std::vector<std::shared_ptr<BlockExecution const>>;

std::shared_ptr<Communicator> everyone() { return test::communicator().split(0); }

TEST(PointSet, EveryPointHasOneOwnerAndSharesAreEven) {
  // Ranks have different numbers of devices.
  for (Index const points : {1, 2, 3, 7, 64, 1000003}) {
    auto const ranks = everyone();
    std::size_t const blocks = 1 + static_cast<std::size_t>(ranks->rank() % 2);
    PointSet const set(points, ranks, Executions(blocks, default_block_execution()));
    EXPECT_EQ(set.points(), points);
    EXPECT_EQ(set.extents(Centring::cell), (Extents{points, 1, 1}));
    EXPECT_EQ(set.block_count(), ranks->size() + ranks->size() / 2);
    Index next = 0;
    for (Index block = 0; block < set.block_count(); ++block) {
      IndexRange const range = set.global_owned(block, Centring::cell);
      EXPECT_EQ(range.begin[0], next);
      EXPECT_EQ(range.extent(0), set.points_of(block));
      EXPECT_LE(set.points_of(0) - set.points_of(block), 1);
      EXPECT_GE(set.points_of(0), set.points_of(block));
      next = range.end[0];
    }
    EXPECT_EQ(next, points);
    ASSERT_EQ(set.blocks().size(), blocks);
    for (Block const& block : set.blocks()) {
      EXPECT_EQ(block.rank, ranks->rank());
      EXPECT_EQ(set.rank_of(block.id), ranks->rank());
      EXPECT_EQ(set.owned(block, Centring::cell).extent(0), set.points_of(block.id));
    }
    EXPECT_EQ(as_points(set), &set);
  }
}

TEST(PointSet, RefusesNoPointsAndRanksWithoutBlocks) {
  EXPECT_THROW(PointSet(0, everyone()), InputError);
  auto const ranks = everyone();
  bool const is_last = ranks->rank() + 1 == ranks->size();
  EXPECT_THROW(PointSet(5, ranks, is_last ? Executions{} : Executions{default_block_execution()}), InputError);
}

}  // namespace
}  // namespace halocline
