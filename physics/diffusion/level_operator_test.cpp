#include "physics/diffusion/level_operator.hpp"

#include <gtest/gtest.h>

#include "physics/diffusion/test_problems.hpp"

namespace halocline {
namespace {

using namespace halocline::test;

/// Blocks that are two cells thin in z, one for each rank.
DiffusionGrid slabs(Index cells_across) {
  auto const ranks = all_ranks();
  Index const layers = 2 * ranks->size();
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(cells_across, 0, 1), Axis::uniform(cells_across, 0, 1),
                      Axis::uniform(layers, 0, 1)};
  description.process_grid = {1, 1, ranks->size()};
  return diffusion_grid(StructuredMesh::make(description, ranks), Centring::cell, all_walls(BoundaryKind::dirichlet));
}

TEST(LevelOperator, AGridOfOneRankIsNeverGathered) {
  if (all_ranks()->size() > 1) return;
  EXPECT_FALSE(worth_gathering(slabs(4), {1, 1, 1}));
  EXPECT_EQ(coarsening_factor(slabs(4), {1, 1, 1}), (std::array<Index, 3>{2, 2, 2}));
}

TEST(LevelOperator, SmallGridsAreGathered) {
  if (all_ranks()->size() == 1) return;
  EXPECT_TRUE(worth_gathering(slabs(8), {1, 1, 1}));
  EXPECT_TRUE(worth_gathering(slabs(128), {1, 1, 1})) << "blocks are thin";
}

TEST(LevelOperator, LargeGridsOfThinBlocksAreCoarsenedAlongTheOtherAxesFirst) {
  if (all_ranks()->size() == 1) return;
  DiffusionGrid const grid = slabs(384);
  EXPECT_FALSE(worth_gathering(grid, {1, 1, 1}));
  EXPECT_EQ(coarsening_factor(grid, {1, 1, 1}), (std::array<Index, 3>{2, 2, 1}));
  EXPECT_FALSE(worth_gathering(grid, {1, 0.1, 1}));
  EXPECT_EQ(coarsening_factor(grid, {1, 0.1, 1}), (std::array<Index, 3>{2, 1, 1}));
  EXPECT_TRUE(worth_gathering(grid, {0.1, 0.1, 1})) << "nothing else is left to coarsen";
}

}  // namespace
}  // namespace halocline
