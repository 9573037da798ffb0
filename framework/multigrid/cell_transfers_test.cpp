#include "framework/multigrid/cell_transfers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

struct Case {
  std::vector<Index> cells;
  int blocks_per_rank = 1;
};

std::vector<Case> cases() {
  return {{{16}}, {{17}}, {{4, 5}}, {{12, 9}}, {{13, 8, 7}}, {{4, 4, 4}}, {{15, 29}, 2}, {{5, 6, 21}, 2}, {{31}, 3}};
}

std::shared_ptr<StructuredMesh const> mesh_of(Case const& given) {
  StructuredMeshDescription description;
  for (Index const cells : given.cells) description.axes.push_back(Axis::uniform(cells, 0, 1));
  description.blocks_per_rank = given.blocks_per_rank;
  return StructuredMesh::make(description, test::communicator().split(0));
}

template <class Real>
std::shared_ptr<Field<Real>> cells_of(std::shared_ptr<StructuredMesh const> const& mesh) {
  return std::make_shared<Field<Real>>(mesh, FieldDescription{.name = "u", .components = 2, .ghosts = 0});
}

template <class Real>
std::vector<Real> values_of(Field<Real> const& field, Block const& block, int component) {
  std::vector<Real> values(static_cast<std::size_t>(field.owned(block).size()));
  field.copy_owned(block, component, std::as_writable_bytes(std::span(values)));
  return values;
}

template <class Real>
class CellTransfersTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CellTransfersTest, Precisions);

TYPED_TEST(CellTransfersTest, EveryCellTakesTheValueOfTheCellThatItIsPartOf) {
  for (Case const& given : cases()) {
    auto const fine = mesh_of(given);
    PairedCells const paired = paired_within_blocks(*fine);
    auto const& coarse = paired.mesh;
    CellTransfers<TypeParam> const transfers(fine, paired, all_cells(*fine, 2), all_cells(*coarse, 2));
    auto const from = cells_of<TypeParam>(coarse);
    auto const to = cells_of<TypeParam>(fine);
    FieldVector<TypeParam>(from).randomize(1);
    FieldVector<TypeParam>(to).fill(1);
    transfers.prolong_add(*from, *to);
    for (Block const& block : fine->blocks()) {
      Block const& coarse_block = coarse->blocks()[block.local];
      IndexRange const box = to->owned(block);
      IndexRange const coarse_box = from->owned(coarse_block);
      auto const along = [&](Index n, int axis) { return axis < fine->dimensions() ? n / 2 : n; };
      for (int c = 0; c < 2; ++c) {
        auto const whole = values_of(*from, coarse_block, c);
        auto const parts = values_of(*to, block, c);
        std::size_t n = 0;
        for (Index k = 0; k < box.extent(2); ++k) {
          for (Index j = 0; j < box.extent(1); ++j) {
            for (Index i = 0; i < box.extent(0); ++i) {
              Index const at = along(i, 0) + coarse_box.extent(0) * (along(j, 1) + coarse_box.extent(1) * along(k, 2));
              ASSERT_EQ(parts[n++], TypeParam{1} + whole[static_cast<std::size_t>(at)]);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(CellTransfersTest, RestrictionIsTheTranspose) {
  for (Case const& given : cases()) {
    auto const fine = mesh_of(given);
    PairedCells const paired = paired_within_blocks(*fine);
    auto const& coarse = paired.mesh;
    CellTransfers<TypeParam> const transfers(fine, paired, all_cells(*fine, 2), all_cells(*coarse, 2));
    FieldVector<TypeParam> const f(cells_of<TypeParam>(fine));
    FieldVector<TypeParam> const c(cells_of<TypeParam>(coarse));
    FieldVector<TypeParam>(f.fields()).randomize(1);
    FieldVector<TypeParam>(c.fields()).randomize(2);
    auto const pc = f.create();
    auto const rf = c.create();
    transfers.prolong_add(*c.fields().front(), *as_field_vector<TypeParam>(*pc).fields().front());
    transfers.restrict_to(*f.fields().front(), *as_field_vector<TypeParam>(*rf).fields().front());
    double const scale = std::sqrt(f.square() * c.square()) * std::pow(2, fine->dimensions());
    EXPECT_NEAR(pc->dot(f), rf->dot(c), 16 * scale * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
    EXPECT_GT(pc->square(), 0);
  }
}

TEST(CellTransfers, RefuseLevelsWithOtherComponents) {
  auto const fine = mesh_of({{8}});
  PairedCells const paired = paired_within_blocks(*fine);
  EXPECT_THROW(CellTransfers<double>(fine, paired, all_cells(*fine, 2), all_cells(*paired.mesh, 1)), DefectError);
}

}  // namespace
}  // namespace halocline
