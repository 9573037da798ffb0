#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "framework/deck/deck.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

std::shared_ptr<Communicator> everyone() { return test::communicator().split(0); }

std::shared_ptr<StructuredMesh const> unit_mesh(std::vector<Index> const& cells, Periodicity const& periodic = {},
                                                int blocks_per_rank = 1) {
  StructuredMeshDescription description;
  for (Index const n : cells) description.axes.push_back(Axis::uniform(n, 0, static_cast<double>(n)));
  description.periodic = periodic;
  description.blocks_per_rank = blocks_per_rank;
  return StructuredMesh::make(description, everyone());
}

constexpr Centring all_centrings[] = {Centring::cell, Centring::node, Centring::face_x, Centring::face_y,
                                      Centring::face_z};

/// Each has an axis with at least four cells, so that up to four ranks get a cell each.
std::vector<std::vector<Index>> awkward_sizes() { return {{4}, {13}, {7, 5}, {1, 11}, {5, 4, 3}, {4, 1, 1}}; }

TEST(Mesh, EveryEntryHasOneOwner) {
  for (auto const& cells : awkward_sizes()) {
    for (Periodicity const& periodic : {Periodicity{}, Periodicity{true, true, true}}) {
      auto const mesh = unit_mesh(cells, periodic);
      for (Centring const centring : all_centrings) {
        std::map<Extents, int> owners;
        for (Index block = 0; block < mesh->block_count(); ++block) {
          IndexRange const range = mesh->global_owned(block, centring);
          for (Index k = range.begin[2]; k < range.end[2]; ++k) {
            for (Index j = range.begin[1]; j < range.end[1]; ++j) {
              for (Index i = range.begin[0]; i < range.end[0]; ++i) ++owners[{i, j, k}];
            }
          }
        }
        Extents const all = mesh->extents(centring);
        EXPECT_EQ(static_cast<Index>(owners.size()), all[0] * all[1] * all[2]);
        for (auto const& [entry, count] : owners) EXPECT_EQ(count, 1);
      }
    }
  }
}

TEST(Mesh, ARankOwnsSeveralUnevenBlocks) {
  auto const mesh = unit_mesh({13, 31}, {false, true, false}, 2);
  ASSERT_EQ(mesh->blocks().size(), 2u);
  EXPECT_EQ(mesh->block_count(), 2 * everyone()->size());
  Block const& first = mesh->blocks()[0];
  Block const& second = mesh->blocks()[1];
  EXPECT_EQ(first.local, 0u);
  EXPECT_EQ(second.local, 1u);
  EXPECT_LT(first.id, second.id);
  EXPECT_LT(first.cells.size(), second.cells.size());
  int const axis = first.cells.begin[0] == second.cells.begin[0] ? 1 : 0;
  ASSERT_TRUE(first.neighbour(axis, 1));
  EXPECT_EQ(first.neighbour(axis, 1)->block, second.id);
  EXPECT_EQ(first.neighbour(axis, 1)->rank, everyone()->rank());
  ASSERT_TRUE(second.neighbour(axis, -1));
  EXPECT_EQ(second.neighbour(axis, -1)->block, first.id);
  std::map<Extents, int> owners;
  for (Index block = 0; block < mesh->block_count(); ++block) {
    IndexRange const range = mesh->global_owned(block, Centring::node);
    for (Index j = range.begin[1]; j < range.end[1]; ++j) {
      for (Index i = range.begin[0]; i < range.end[0]; ++i) ++owners[{i, j, 0}];
    }
  }
  EXPECT_EQ(owners.size(), 14u * 31u);
  for (auto const& [entry, count] : owners) EXPECT_EQ(count, 1);
}

TEST(Mesh, ExtentsFollowTheCentring) {
  auto const mesh = unit_mesh({8, 6}, {false, true, false});
  EXPECT_EQ(mesh->extents(Centring::cell), (Extents{8, 6, 1}));
  EXPECT_EQ(mesh->extents(Centring::node), (Extents{9, 6, 1}));
  EXPECT_EQ(mesh->extents(Centring::face_x), (Extents{9, 6, 1}));
  EXPECT_EQ(mesh->extents(Centring::face_y), (Extents{8, 6, 1}));
  EXPECT_EQ(mesh->extents(Centring::face_z), (Extents{8, 6, 1}));
}

TEST(Mesh, InteriorAndShellShareOutWhatIsOwned) {
  for (auto const& cells : awkward_sizes()) {
    for (Periodicity const& periodic : {Periodicity{}, Periodicity{true, true, true}}) {
      auto const mesh = unit_mesh(cells, periodic);
      for (Block const& block : mesh->blocks()) {
        for (Centring const centring : all_centrings) {
          for (int const width : {0, 1, 2, 4}) {
            IndexRange const owned = mesh->owned(block, centring);
            std::vector<IndexRange> boxes = mesh->shell(block, centring, width);
            boxes.push_back(mesh->interior(block, centring, width));
            Index size = 0;
            for (std::size_t a = 0; a < boxes.size(); ++a) {
              EXPECT_EQ(intersection(boxes[a], owned).size(), boxes[a].size());
              for (std::size_t b = 0; b < a; ++b) EXPECT_TRUE(intersection(boxes[a], boxes[b]).empty());
              size += boxes[a].size();
            }
            EXPECT_EQ(size, owned.size());
          }
        }
      }
    }
  }
}

TEST(Mesh, InteriorKeepsAwayFromNeighboursOnly) {
  auto const mesh = unit_mesh({40, 30});
  for (Block const& block : mesh->blocks()) {
    IndexRange const owned = mesh->owned(block, Centring::cell);
    IndexRange const interior = mesh->interior(block, Centring::cell, 2);
    for (int axis = 0; axis < 2; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      EXPECT_EQ(interior.begin[a], block.neighbour(axis, -1) ? 2 : 0);
      EXPECT_EQ(interior.end[a], owned.end[a] - (block.neighbour(axis, 1) ? 2 : 0));
    }
  }
}

TEST(Mesh, GhostsLieOnAxesTheMeshHas) {
  auto const mesh = unit_mesh({8, 8});
  Block const& block = mesh->blocks().front();
  IndexRange const owned = mesh->owned(block, Centring::cell);
  EXPECT_EQ(mesh->with_ghosts(block, Centring::cell, 3),
            (IndexRange{{-3, -3, 0}, {owned.end[0] + 3, owned.end[1] + 3, 1}}));
}

TEST(Mesh, NeighboursNameEachOther) {
  auto const mesh = unit_mesh({9, 8, 7}, {true, false, true});
  for (Block const& block : mesh->blocks()) {
    for (std::size_t n = 0; n < 27; ++n) {
      if (!block.neighbours[n]) continue;
      Direction const direction = direction_at(n);
      EXPECT_EQ(direction_index(direction), n);
      EXPECT_EQ(mesh->partition().neighbour(block.neighbours[n]->block, opposite(direction)), block.id);
      EXPECT_EQ(mesh->partition().rank(block.neighbours[n]->block), block.neighbours[n]->rank);
    }
  }
}

TEST(Mesh, SimulatedHostsHoldNeighbours) {
  int const ranks = test::communicator().size();
  if (ranks != 4) GTEST_SKIP() << "needs four ranks";
  std::vector<int> const hosts{0, 1, 0, 1};
  auto const communicator = std::make_shared<Communicator>(test::communicator().data(), hosts);
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(16, 0, 1), Axis::uniform(16, 0, 1)};
  auto const mesh = StructuredMesh::make(description, communicator);
  int beside_own_host = 0;
  for (Block const& block : mesh->blocks()) {
    for (int axis = 0; axis < 2; ++axis) {
      for (int const side : {-1, 1}) {
        auto const& next = block.neighbour(axis, side);
        beside_own_host += next && communicator->host_of(next->rank) == communicator->host();
      }
    }
  }
  EXPECT_EQ(beside_own_host, 1);
}

TEST(Mesh, MirrorsAndRepeatsCoordinates) {
  StructuredMeshDescription description;
  description.axes = {Axis::stretched({0, 1, 3, 7, 8}), Axis::stretched({0, 1, 3, 7, 8})};
  description.periodic = {false, true, false};
  description.process_grid = {0, 1, 1};
  auto const mesh = StructuredMesh::make(description, everyone());
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, 1), 2);
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, -1), -0.5);
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, -2), -2);
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, 4), 8.5);
  EXPECT_EQ(mesh->coordinate(0, Centring::node, -1), -1);
  EXPECT_EQ(mesh->coordinate(0, Centring::node, 5), 9);
  EXPECT_EQ(mesh->coordinate(0, Centring::face_y, -1), -0.5);
  EXPECT_EQ(mesh->coordinate(1, Centring::cell, -1), -0.5);
  EXPECT_EQ(mesh->coordinate(1, Centring::cell, -2), -3);
  EXPECT_EQ(mesh->coordinate(1, Centring::cell, 5), 10);
  EXPECT_EQ(mesh->coordinate(1, Centring::node, -1), -1);
  EXPECT_EQ(mesh->coordinate(1, Centring::node, -2), -5);
  EXPECT_EQ(mesh->coordinate(1, Centring::node, 4), 8);
  EXPECT_EQ(mesh->coordinate(2, Centring::node, 0), 0);
  EXPECT_EQ(mesh->cell_width(0, -2), 2);
  EXPECT_EQ(mesh->cell_width(0, 5), 4);
  EXPECT_EQ(mesh->cell_width(1, -2), 4);
}

TEST(Mesh, ThinMeshesFoldGhostsBackMoreThanOnce) {
  if (test::communicator().size() > 1) GTEST_SKIP() << "one cell is for one rank";
  auto const mesh = unit_mesh({1});
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, -1), -0.5);
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, -2), -1.5);
  EXPECT_EQ(mesh->coordinate(0, Centring::cell, 3), 3.5);
  EXPECT_EQ(mesh->coordinate(0, Centring::node, -3), -3);
}

TEST(Coarsening, ChildrenStayOnTheirRank) {
  for (auto const& cells : awkward_sizes()) {
    auto fine = unit_mesh(cells);
    for (int level = 0; level < 4; ++level) {
      auto const coarse = fine->coarsened();
      ASSERT_EQ(coarse->blocks().size(), fine->blocks().size());
      for (std::size_t b = 0; b < fine->blocks().size(); ++b) {
        IndexRange const children = fine->blocks()[b].cells;
        IndexRange const parents = coarse->blocks()[b].cells;
        for (int axis = 0; axis < fine->dimensions(); ++axis) {
          auto const a = static_cast<std::size_t>(axis);
          EXPECT_EQ(parents.extent(axis), (children.extent(axis) + 1) / 2);
          for (Index node = 0; node <= parents.extent(axis); ++node) {
            Index const same = std::min(2 * node, children.extent(axis));
            EXPECT_EQ(coarse->axis(axis).edge(parents.begin[a] + node),
                      fine->axis(axis).edge(children.begin[a] + same));
          }
        }
      }
      fine = coarse;
    }
  }
}

TEST(Coarsening, EvenUniformAxesStayUniform) {
  auto const coarse = unit_mesh({48, 96})->coarsened();  // 48 and 96 divide into even blocks on up to four ranks
  EXPECT_EQ(coarse->axis(0), Axis::uniform(24, 0, 48));
  EXPECT_EQ(coarse->axis(1), Axis::uniform(48, 0, 96));
}

std::string input_error(auto const& action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(StructuredMesh, RefusesWhatCannotBeCounted) {
  StructuredMeshDescription description;
  EXPECT_EQ(input_error([&] { static_cast<void>(StructuredMesh::make(description, everyone())); }),
            "a mesh has one, two or three axes, not 0");
  description.axes.assign(3, Axis::uniform(Index{1} << 21, 0, 1));
  EXPECT_EQ(input_error([&] { static_cast<void>(StructuredMesh::make(description, everyone())); }),
            "a mesh of 2097152 x 2097152 x 2097152 cells: their number does not fit in 64 bits");
  description.axes.assign(4, Axis::uniform(8, 0, 1));
  EXPECT_EQ(input_error([&] { static_cast<void>(StructuredMesh::make(description, everyone())); }),
            "a mesh has one, two or three axes, not 4");
}

Options validated(std::string const& text) {
  Section root("deck", "A deck with nothing but a mesh.");
  root.section(declare_mesh_section());
  return Deck("test.yaml", text).read(root).section("mesh");
}

TEST(MeshSection, MakesTheMeshItDescribes) {
  auto const mesh = make_structured_mesh(
      validated("mesh:\n  cells: [20, 30]\n  lower: [-1, 0]\n  upper: [1, 3]\n  periodic: [true, false]\n"),
      everyone());
  EXPECT_EQ(mesh->dimensions(), 2);
  EXPECT_EQ(mesh->axis(0), Axis::uniform(20, -1, 1));
  EXPECT_EQ(mesh->axis(1), Axis::uniform(30, 0, 3));
  EXPECT_TRUE(mesh->periodic(0));
  EXPECT_FALSE(mesh->periodic(1));
}

TEST(MeshSection, GrowthIsTheRatioOfNeighbouringWidths) {
  auto const mesh = make_structured_mesh(validated("mesh:\n  cells: 10\n  upper: 2\n  growth: 1.25\n"), everyone());
  Axis const& axis = mesh->axis(0);
  EXPECT_EQ(axis.upper(), 2);
  for (Index i = 1; i < 10; ++i) EXPECT_NEAR(axis.width(i) / axis.width(i - 1), 1.25, 1e-13);
}

TEST(MeshSection, NamesEveryMistake) {
  std::string const message = input_error(
      [] { validated("mesh:\n  cells: [20, 30]\n  lower: [0]\n  upper: [-1, 3]\n  processes: [1, 2, 1]\n"); });
  EXPECT_THAT(message, testing::HasSubstr("`mesh.lower`: it has 1 entry, mesh.cells has 2 (test.yaml:3:"));
  EXPECT_THAT(message, testing::HasSubstr("`mesh.processes`: it has 3 entries, mesh.cells has 2 (test.yaml:5:"));
  EXPECT_THAT(message, testing::HasSubstr("`mesh.upper`: the domain ends at -1 on axis x, not after its start at"));
}

TEST(MeshSection, RefusesSizesThatDoNotFit) {
  EXPECT_THAT(input_error([] { validated("mesh:\n  cells: [4000000000, 4000000000]\n"); }),
              testing::HasSubstr("`mesh.cells`: their product does not fit in 64 bits (test.yaml:2:"));
  EXPECT_THAT(input_error([] { validated("mesh:\n  cells: [0, 4]\n"); }), testing::HasSubstr("mesh.cells"));
  EXPECT_THAT(input_error([] { validated("mesh:\n  cells: [4, -4]\n"); }), testing::HasSubstr("mesh.cells"));
}

TEST(MeshSection, RefusesCellsTooThinForDoublePrecision) {
  EXPECT_EQ(input_error([] { validated("mesh: {cells: 8, lower: 1e20, upper: 1.0000000000000002e20}\n"); }),
            "`mesh.upper`: an axis of 8 cells from 1e+20 to 1.0000000000000002e+20: the cells are too thin for double "
            "precision (test.yaml:1:38)");
  EXPECT_EQ(input_error([] { validated("mesh: {cells: [8, 8], lower: [0, -1e308], upper: [1, 1e308]}\n"); }),
            "`mesh.upper`: an axis from -1e+308 to 1e+308: the upper end must lie above the lower one, at a finite "
            "distance (test.yaml:1:50)");
  // The sum of the widths overflows, or the thinnest width is below the rounding of the positions.
  for (std::string const growth : {"cells: 2000, growth: 2", "cells: 2000, growth: 0.5", "cells: 100, growth: 0.5"}) {
    EXPECT_THAT(input_error([&] { validated("mesh: {" + growth + "}\n"); }),
                testing::StartsWith("`mesh.growth`: the thinnest of " + growth.substr(7, growth.find(',') - 7) +
                                    " cells on axis x is too thin for double precision (test.yaml:1:"));
  }
  EXPECT_EQ(validated("mesh: {cells: 100, growth: 2}\n").integers("cells").front(), 100) << "thin, but beside 0";
}

TEST(MeshSection, HasNoMoreProcessesThanAnIntegerCounts) {
  EXPECT_EQ(input_error([] { validated("mesh: {cells: 8, processes: 4294967296}\n"); }),
            "`mesh.processes`: 4294967296 is out of range: must be at least 0 and at most 1073741824 (test.yaml:1:29)");
}

TEST(MeshSection, GivesEachRankAsManyBlocksAsItSays) {
  Options const section = validated("mesh: {cells: [13, 31], blocks_per_rank: 2}\n");
  EXPECT_EQ(make_structured_mesh(section, everyone())->blocks().size(), 2u);
  EXPECT_EQ(partition_of(section, 3).blocks(), 6);
  EXPECT_EQ(input_error([] { validated("mesh: {cells: 8, blocks_per_rank: 0}\n"); }),
            "`mesh.blocks_per_rank`: 0 is out of range: must be at least 1 and at most 16 (test.yaml:1:35)");
  EXPECT_THAT(
      input_error([] {
        static_cast<void>(make_structured_mesh(validated("mesh: {cells: 4, blocks_per_rank: 5}\n"), everyone()));
      }),
      testing::HasSubstr("cannot be cut into 5 blocks of at least one cell: use fewer blocks per rank"));
}

TEST(MeshSection, SaysWhereAMeshCannotBeCut) {
  if (test::communicator().size() != 3) GTEST_SKIP() << "needs three ranks";
  EXPECT_THAT(
      input_error([] { static_cast<void>(make_structured_mesh(validated("mesh:\n  cells: [2, 2]\n"), everyone())); }),
      testing::AllOf(testing::HasSubstr("mesh (test.yaml:"),
                     testing::HasSubstr("a mesh of 2 x 2 cells cannot be cut into 3 blocks")));
}

}  // namespace
}  // namespace halocline
