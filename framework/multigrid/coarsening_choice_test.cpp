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

/// Blocks that are two cells thin in z, one for each rank.
ControlVolumeGrid slabs(Index cells_across) {
  auto const ranks = all_ranks();
  Index const layers = 2 * ranks->size();
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(cells_across, 0, 1), Axis::uniform(cells_across, 0, 1),
                      Axis::uniform(layers, 0, 1)};
  description.process_grid = {1, 1, ranks->size()};
  return control_volume_grid(StructuredMesh::make(description, ranks), Centring::cell,
                             BoundaryConditions::all({.kind = BoundaryKind::dirichlet}));
}

TEST(CoarseningChoice, AGridOfOneRankIsNeverAgglomerated) {
  if (all_ranks()->size() > 1) return;
  EXPECT_FALSE(worth_agglomerating(slabs(4), {1, 1, 1}));
  EXPECT_EQ(coarsening_factor(slabs(4), {1, 1, 1}), (std::array<Index, 3>{2, 2, 2}));
}

TEST(CoarseningChoice, SmallGridsAreAgglomerated) {
  if (all_ranks()->size() == 1) return;
  EXPECT_TRUE(worth_agglomerating(slabs(8), {1, 1, 1}));
  EXPECT_TRUE(worth_agglomerating(slabs(128), {1, 1, 1})) << "blocks are thin";
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
