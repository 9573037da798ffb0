#include "framework/multigrid/paired_cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;

/// All blocks on every rank alone, which need not be more than one.
std::shared_ptr<StructuredMesh const> mesh_with(std::vector<Index> const& starts, bool periodic = false) {
  std::array<Axis, 3> axes{Axis::uniform(starts.back(), 0, 1), Axis::uniform(1, 0, 1), Axis::uniform(1, 0, 1)};
  Partition partition({starts, {0, 1}, {0, 1}}, {periodic, false, false}, std::vector<int>(starts.size() - 1, 0));
  return std::make_shared<StructuredMesh const>(1, std::move(axes), std::move(partition),
                                                test::communicator().split(test::communicator().rank()));
}

TEST(PairedCells, DoNotDependOnTheBlocks) {
  PairedCells const one = paired_across_blocks(*mesh_with({0, 32}));
  PairedCells const three = paired_across_blocks(*mesh_with({0, 11, 22, 32}));
  EXPECT_EQ(one.first, three.first);
  EXPECT_EQ(three.first[0].size(), 17u);
  EXPECT_EQ(three.first[0][6], 12);
  EXPECT_THAT(three.mesh->partition().starts(0), ElementsAre(0, 6, 11, 16));
  EXPECT_TRUE(three.mesh->axis(0).is_uniform());
  PairedCells const next = paired_across_blocks(*three.mesh);
  EXPECT_THAT(next.mesh->partition().starts(0), ElementsAre(0, 3, 6, 8));
}

TEST(PairedCells, OfAnOddCountEndWithASingleOne) {
  PairedCells const paired = paired_across_blocks(*mesh_with({0, 3, 7}));
  EXPECT_THAT(paired.first[0], ElementsAre(0, 2, 4, 6, 7));
  EXPECT_THAT(paired.mesh->partition().starts(0), ElementsAre(0, 2, 4));
  EXPECT_FALSE(paired.mesh->axis(0).is_uniform());
  EXPECT_DOUBLE_EQ(paired.mesh->axis(0).edge(3), 6.0 / 7);
}

TEST(PairedCells, StayWithinBlocksWhereOneWouldBeLeftWithoutACell) {
  // The second block has cell 3 alone, which is the second of its pair.
  PairedCells const paired = paired_across_blocks(*mesh_with({0, 3, 4, 6}));
  EXPECT_THAT(paired.first[0], ElementsAre(0, 2, 3, 4, 6));
  EXPECT_THAT(paired.mesh->partition().starts(0), ElementsAre(0, 2, 3, 4));
}

TEST(PairedCells, WithinBlocksAreThoseOfTheCoarsenedMesh) {
  for (auto const& starts : {std::vector<Index>{0, 10}, {0, 5, 10}, {0, 1, 2}, {0, 7, 8, 15}}) {
    auto const mesh = mesh_with(starts);
    PairedCells const paired = paired_within_blocks(*mesh);
    auto const coarse = mesh->coarsened();
    ASSERT_EQ(static_cast<Index>(paired.first[0].size()), coarse->axis(0).cells() + 1);
    for (std::size_t n = 0; n < paired.first[0].size(); ++n) {
      EXPECT_DOUBLE_EQ(coarse->axis(0).edge(static_cast<Index>(n)), mesh->axis(0).edge(paired.first[0][n]));
    }
  }
}

}  // namespace
}  // namespace halocline
