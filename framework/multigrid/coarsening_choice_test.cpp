#include "framework/multigrid/coarsening_choice.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "framework/field/boundary.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

std::shared_ptr<Communicator> all_ranks() {
  return std::shared_ptr<Communicator>(test::communicator().split(0, test::communicator().rank()));
}

/// Blocks two cells thick in z, one per rank, or blocks 3 and 4 cells thick, two per rank.
ControlVolumeGrid slabs(Index cells_across, int blocks_per_rank = 1) {
  auto const ranks = all_ranks();
  Index const layers = (blocks_per_rank == 1 ? 2 : 7) * ranks->size();
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(cells_across, 0, 1), Axis::uniform(cells_across, 0, 1),
                      Axis::uniform(layers, 0, 1)};
  description.process_grid = {1, 1, ranks->size()};
  description.blocks_per_rank = blocks_per_rank;
  return control_volume_grid(StructuredMesh::make(description, ranks), Centring::cell,
                             BoundaryConditions::all({.kind = BoundaryKind::dirichlet}));
}

TEST(CoarseningChoice, AGridOfOneBlockIsNeverAgglomerated) {
  if (all_ranks()->size() > 1) return;
  EXPECT_FALSE(worth_agglomerating(slabs(4), {1, 1, 1}));
  EXPECT_EQ(coarsening_factor(slabs(4), {1, 1, 1}), (std::array<Index, 3>{2, 2, 2}));
}

TEST(CoarseningChoice, SmallGridsAreAgglomerated) {
  if (all_ranks()->size() == 1) return;
  EXPECT_TRUE(worth_agglomerating(slabs(8), {1, 1, 1}));
  EXPECT_TRUE(worth_agglomerating(slabs(128), {1, 1, 1})) << "blocks are thin";
}

/// Otherwise the levels would end at thin blocks, far from a system that one relaxation solves.
TEST(CoarseningChoice, SmallGridsOfSeveralBlocksOnOneRankAreAgglomerated) {
  ControlVolumeGrid const grid = slabs(7, 2);
  EXPECT_EQ(grid.mesh->blocks().size(), 2u);
  EXPECT_TRUE(worth_agglomerating(grid, {1, 1, 1}));
}

TEST(CoarseningChoice, LargeGridsOfThinBlocksAreCoarsenedAlongTheOtherAxesFirst) {
  if (all_ranks()->size() == 1) return;
  ControlVolumeGrid const grid = slabs(384);
  EXPECT_FALSE(worth_agglomerating(grid, {1, 1, 1}));
  EXPECT_EQ(coarsening_factor(grid, {1, 1, 1}), (std::array<Index, 3>{2, 2, 1}));
  EXPECT_FALSE(worth_agglomerating(grid, {1, 0.1, 1}));
  EXPECT_EQ(coarsening_factor(grid, {1, 0.1, 1}), (std::array<Index, 3>{2, 1, 1}));
  EXPECT_TRUE(worth_agglomerating(grid, {0.1, 0.1, 1})) << "nothing else is left to coarsen";
}

}  // namespace
}  // namespace halocline
