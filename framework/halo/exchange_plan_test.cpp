#include "framework/halo/exchange_plan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "framework/field/test_fields.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

std::shared_ptr<StructuredMesh const> mesh_of(std::vector<Index> const& cells, Periodicity const& periodic,
                                              ProcessGrid const& grid = {0, 0, 0}) {
  std::vector<Axis> axes;
  for (Index const n : cells) axes.push_back(Axis::uniform(n, 0, 1));
  return test::mesh_of(std::move(axes), periodic, grid);
}

TEST(ExchangePlan, SendsOneMessageToEachNeighbouringRank) {
  auto const mesh = mesh_of({9, 10, 17}, {true, true, true});
  Field<double> a(mesh, {.name = "a", .ghosts = 2});
  Field<float> b(mesh, {.name = "b", .centring = Centring::node, .components = 3});
  ExchangePlan const plan = plan_exchange({&a, &b}, true, 0);
  std::set<int> ranks;
  for (Block const& block : mesh->blocks()) {
    for (auto const& neighbour : block.neighbours) {
      if (neighbour && neighbour->rank != block.rank) ranks.insert(neighbour->rank);
    }
  }
  EXPECT_EQ(plan.sends.size(), ranks.size());
  EXPECT_EQ(plan.receives.size(), ranks.size());
  for (std::size_t n = 0; n < plan.sends.size(); ++n) {
    EXPECT_TRUE(ranks.contains(plan.sends[n].rank));
    EXPECT_EQ(plan.sends[n].bytes % 8, 0);
  }
  EXPECT_EQ(plan.local.empty(), mesh->blocks().front().neighbour(0, 1)->rank != mesh->communicator().rank() &&
                                    mesh->blocks().front().neighbour(1, 1)->rank != mesh->communicator().rank() &&
                                    mesh->blocks().front().neighbour(2, 1)->rank != mesh->communicator().rank());
}

/// A field without memory, for plans larger than the memory of a test machine.
class PlannedField final : public FieldBase {
 public:
  PlannedField(std::shared_ptr<Mesh const> mesh, FieldDescription description)
      : FieldBase(std::move(mesh), std::move(description)) {
    for (Block const& block : this->mesh().blocks()) {
      layouts_.push_back(
          block_layout(owned(block).extents(), this->mesh().dimensions(), ghosts(), components(), bytes_per_entry()));
    }
  }
  [[nodiscard]] Precision precision() const override { return Precision::double_; }
  [[nodiscard]] std::size_t bytes_per_entry() const override { return sizeof(double); }
  [[nodiscard]] BlockLayout const& layout(Block const& block) const override { return layouts_[block.local]; }
  [[nodiscard]] void* data(Block const&) override { return nullptr; }
  [[nodiscard]] void const* data(Block const&) const override { return nullptr; }
  [[nodiscard]] std::unique_ptr<FieldBase> create_like(std::string) const override { return nullptr; }
  void copy(FieldBase const&) override {}
  void copy_owned(Block const&, int, std::span<std::byte>) const override {}
  void set_owned(Block const&, int, std::span<std::byte const>) override {}

 private:
  std::vector<BlockLayout> layouts_;
};

TEST(ExchangePlan, CountsMessagesBeyond32Bits) {
  Index const side = 70000;  // a face of 4.9e9 entries
  auto const mesh = mesh_of({8, side, side}, {true, false, false}, {0, 1, 1});
  PlannedField const u(mesh, {.name = "u", .components = 2});
  ExchangePlan const plan = plan_exchange({&u}, false, 0);
  std::vector<BoxCopy> const& copies = plan.sends.empty() ? plan.local : plan.pack;
  ASSERT_EQ(copies.size(), 4u);  // two sides, two components
  for (BoxCopy const& copy : copies) EXPECT_EQ(copy.entries(), side * side);
  BlockLayout const& layout = u.layout(mesh->blocks().front());
  EXPECT_EQ(layout.component, layout.plane * (side + 2));
  EXPECT_GT(copies.back().from.first, layout.component);
  Index bytes = 0;
  for (Message const& message : plan.sends) bytes += message.bytes;
  EXPECT_EQ(bytes, plan.sends.empty() ? 0 : 4 * side * side * 8);
}

}  // namespace
}  // namespace halocline
