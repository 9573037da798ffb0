#include "framework/multigrid/nodal_transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/node_values.hpp"

namespace halocline {
namespace {

struct Case {
  std::vector<Index> cells;
  bool periodic = false;
  bool stretched = false;
  int blocks_per_rank = 1;
};

std::vector<Case> cases() {
  return {{{16}},
          {{17}},
          {{19}, false, true},
          {{4, 5}},
          {{12, 9}, true},
          {{13, 8, 7}},
          {{10, 6, 9}, false, true},
          {{15, 29}, false, true, 2},
          {{8, 6, 21}, true, false, 2},
          {{31}, true},
          {{23, 9}, true, true}};
}

std::shared_ptr<StructuredMesh const> mesh_of(Case const& given) {
  StructuredMeshDescription description;
  for (Index const cells : given.cells) {
    if (given.stretched) {
      std::vector<double> edges;
      for (Index n = 0; n <= cells; ++n) edges.push_back(std::pow(1.07, static_cast<double>(n)));
      description.axes.push_back(Axis::stretched(std::move(edges)));
    } else {
      description.axes.push_back(Axis::uniform(cells, -0.5, 2.0));
    }
  }
  if (given.periodic) description.periodic = {true, false, false};
  description.blocks_per_rank = given.blocks_per_rank;
  return StructuredMesh::make(description, test::communicator().split(0));
}

template <class Real>
std::shared_ptr<Field<Real>> nodes(std::shared_ptr<StructuredMesh const> const& mesh, int components) {
  return std::make_shared<Field<Real>>(
      mesh, FieldDescription{.name = "u", .centring = Centring::node, .components = components, .ghosts = 1});
}

/// All nodes, but for component 1 those on the lowest end of the first axis, and for component 2 on the upper end of
/// the last.
ComponentBoxes unknowns_of(StructuredMesh const& mesh, int components) {
  ComponentBoxes all(static_cast<std::size_t>(components));
  for (int c = 0; c < components; ++c) {
    for (Block const& block : mesh.blocks()) {
      IndexRange box = mesh.owned(block, Centring::node);
      auto const last = static_cast<std::size_t>(mesh.dimensions() - 1);
      if (c == 1 && !block.neighbour(0, -1)) ++box.begin[0];
      if (c == 2 && !block.neighbour(mesh.dimensions() - 1, 1)) --box.end[last];
      all[static_cast<std::size_t>(c)].push_back(box);
    }
  }
  return all;
}

template <class Real>
class NodalTransfersTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(NodalTransfersTest, Precisions);

TYPED_TEST(NodalTransfersTest, LinearFunctionsAreInterpolatedExactly) {
  for (Case const& given : cases()) {
    auto const fine = mesh_of(given);
    PairedCells const paired = paired_across_blocks(*fine);
    auto const& coarse = paired.mesh;
    ComponentBoxes fine_boxes(2), coarse_boxes(2);
    for (std::size_t c = 0; c < 2; ++c) {
      for (Block const& block : fine->blocks()) fine_boxes[c].push_back(fine->owned(block, Centring::node));
      for (Block const& block : coarse->blocks()) coarse_boxes[c].push_back(coarse->owned(block, Centring::node));
    }
    NodalTransfers<TypeParam> const transfers(fine, paired, fine_boxes, coarse_boxes);
    // A linear function is not periodic.
    double const along_x = given.periodic ? 0 : 0.75;
    auto const function = [&](int c, double const(&x)[3]) {
      return c == 0 ? 1 + along_x * x[0] - 0.5 * x[1] + 2 * x[2] : along_x * x[0] * (1 + x[1]) + x[1] * x[2];
    };
    auto const from = nodes<TypeParam>(coarse, 2);
    auto const to = nodes<TypeParam>(fine, 2);
    auto const expected = nodes<TypeParam>(fine, 2);
    test::set_nodes(*from, function);
    test::set_nodes(*expected, function);
    transfers.prolong_add(*from, *to);
    FieldVector<TypeParam> result(to);
    double const scale = FieldVector<TypeParam>(expected).maximum();
    result.add(-1, FieldVector<TypeParam>(expected));
    EXPECT_LE(result.maximum(), 16 * scale * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
  }
}

TYPED_TEST(NodalTransfersTest, RestrictionIsTheTransposeOfInterpolation) {
  for (Case const& given : cases()) {
    auto const fine = mesh_of(given);
    PairedCells const paired = paired_across_blocks(*fine);
    auto const& coarse = paired.mesh;
    ComponentBoxes const fine_boxes = unknowns_of(*fine, 3);
    ComponentBoxes const coarse_boxes = unknowns_of(*coarse, 3);
    NodalTransfers<TypeParam> const transfers(fine, paired, fine_boxes, coarse_boxes);
    FieldVector<TypeParam> f(nodes<TypeParam>(fine, 3), fine_boxes);
    FieldVector<TypeParam> c(nodes<TypeParam>(coarse, 3), coarse_boxes);
    f.randomize(1);
    c.randomize(2);
    auto const pc = f.create();
    auto const rf = c.create();
    auto& interpolated = *as_field_vector<TypeParam>(*pc).fields().front();
    auto& restricted = *as_field_vector<TypeParam>(*rf).fields().front();
    transfers.prolong_add(*c.fields().front(), interpolated);
    transfers.restrict_to(*f.fields().front(), restricted);
    double const scale = std::sqrt(f.square() * c.square()) * std::pow(2, fine->dimensions());
    EXPECT_NEAR(pc->dot(f), rf->dot(c), 16 * scale * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
    EXPECT_GT(pc->square(), 0);
    // What is no unknown stays zero.
    FieldVector<TypeParam> const all_fine(as_field_vector<TypeParam>(*pc).fields());
    FieldVector<TypeParam> const all_coarse(as_field_vector<TypeParam>(*rf).fields());
    double const rounding = 64 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    EXPECT_NEAR(all_fine.square(), pc->square(), rounding * pc->square());
    EXPECT_NEAR(all_coarse.square(), rf->square(), rounding * rf->square());
  }
}

}  // namespace
}  // namespace halocline
