#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/halo/orders.hpp"
#include "framework/halo/settings.hpp"
#include "framework/halo/test_exchanges.hpp"
#include "framework/halo/transport.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

using test::for_each_entry;
using test::HostCopy;
using test::mesh_of_cells;
using test::mesh_shapes;
using test::MeshShape;
using test::set_owned_only;

/// Sums the points of an axis-aligned stencil of radius 2, so that a wrong ghost changes the sum.
struct AddStar {
  BlockView<double const> in;
  BlockView<double> out;
  Index first[2];
  Index row;  ///< points of a row
  bool has_y;

  KOKKOS_FUNCTION void operator()(Index n) const {
    Index const i = first[0] + n % row;
    Index const j = first[1] + n / row;
    double sum = 0;
    for (int d = -2; d <= 2; ++d) sum += in(i + d, j, 0) + (has_y ? in(i, j + d, 0) : 0);
    out(i, j, 0) = sum;
  }
};

/// Counts the entries that a sweep visits, and sweeps.
struct CountingSweep {
  Field<double> const& in;
  Field<double>& out;
  Index& visited;

  void operator()(Block const& block, IndexRange const& range) const {
    visited += range.size();
    if (range.empty()) return;
    Kokkos::parallel_for("add star", Kokkos::RangePolicy<Execution>(execution(block), 0, range.size()),
                         AddStar{in.view(block),
                                 out.view(block),
                                 {range.begin[0], range.begin[1]},
                                 range.extent(0),
                                 in.mesh().dimensions() > 1});
  }
};

/// Simulates ranks on different hosts.
TEST(Exchange, HasTestPointsForMessagesToOtherHosts) {
  Communicator const& all = test::communicator();
  for (bool const apart : {false, true}) {
    std::vector<int> hosts;
    for (int rank = 0; rank < all.size(); ++rank) hosts.push_back(apart ? rank : 0);
    auto const mesh = StructuredMesh::make({.axes = {Axis::uniform(19, 0, 1), Axis::uniform(18, 0, 1)}},
                                           std::make_shared<Communicator>(all.data(), hosts));
    Field<double> u(mesh, {.name = "u", .ghosts = 2});
    Field<double> made(mesh, {.name = "made", .ghosts = 2});
    Exchange exchange({&u});
    Index owned = 0;
    for (Block const& block : mesh->blocks()) owned += u.owned(block).size();
    Index visited = 0;
    int boxes = 0;
    exchange.exchange({&u});
    produce(exchange, {&made}, Centring::cell, 2, [&](Block const&, IndexRange const& box) {
      visited += box.size();
      ++boxes;
      EXPECT_EQ(exchange.test_points() > 0, memory_on_host && apart && exchange.under_way() && all.size() > 1);
    });
    EXPECT_EQ(visited, owned);
    EXPECT_GE(boxes, 1);
    exchange.finish();
  }
}

/// Messages by MPI whose channels say that NVLink carries them.
class AsOverNvlink final : public Transport {
 public:
  std::string name() const override { return "as over NVLink"; }
  std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                std::vector<Message> const& receives) const override {
    return std::make_unique<Claiming>(mpi_host_transport()->open(communicator, sends, receives));
  }

 private:
  class Claiming final : public test::ForwardingChannel {
   public:
    using ForwardingChannel::ForwardingChannel;
    bool is_over_nvlink() const override { return true; }
  };
};

TEST(Exchange, FollowsAWholeSweepOverNvlink) {
  auto const mesh = mesh_of_cells({19, 18}, {});
  for (bool const over_nvlink : {false, true}) {
    std::shared_ptr<Transport const> const transport =
        over_nvlink ? std::make_shared<AsOverNvlink>() : mpi_host_transport();
    Field<double> u(mesh, {.name = "u", .ghosts = 2});
    Exchange exchange({&u}, {.transport = transport});
    std::size_t boxes = 0;
    produce(exchange, {&u}, Centring::cell, 2, [&](Block const&, IndexRange const&) { ++boxes; });
    bool const has_messages = mesh->communicator().size() > 1;
    EXPECT_EQ(exchange.wants_shell_first(), has_messages && !over_nvlink);
    EXPECT_EQ(exchange.under_way(), has_messages && !over_nvlink);
    if (over_nvlink || !has_messages) {
      EXPECT_EQ(boxes, mesh->blocks().size());
    } else {
      EXPECT_GT(boxes, mesh->blocks().size());
    }
    exchange.finish();
  }
}

class Orders : public testing::TestWithParam<bool> {
 protected:
  Orders() { set_halo_settings({.overlap = GetParam()}); }
  ~Orders() override { set_halo_settings({}); }
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutOverlap, Orders, testing::Bool());

TEST_P(Orders, ConsumeAndProduceGiveWhatOneAfterTheOtherGives) {
  for (MeshShape const& shape : mesh_shapes()) {
    if (shape.cells.size() > 2) continue;
    auto const mesh = mesh_of_shape(shape);
    auto const make = [&](char const* name) { return Field<double>(mesh, {.name = name, .ghosts = 2}); };
    Field<double> u = make("u"), once = make("once"), twice = make("twice");
    Field<double> consumed = make("consumed"), produced = make("produced");
    Exchange exchange({&u});
    Index owned = 0;
    for (Block const& block : mesh->blocks()) owned += u.owned(block).size();

    set_owned_only(u);
    Index visited = 0;
    exchange.exchange({&u});
    for (Block const& block : mesh->blocks()) CountingSweep{u, once, visited}(block, u.owned(block));
    exchange.exchange({&once});
    for (Block const& block : mesh->blocks()) CountingSweep{once, twice, visited}(block, u.owned(block));

    set_owned_only(u);
    visited = 0;
    exchange.exchange({&u});
    produce(exchange, {&produced}, Centring::cell, 2, CountingSweep{u, produced, visited});
    EXPECT_EQ(visited, owned);
    bool const overlaps = exchange.overlaps();
    bool const has_messages = mesh->communicator().size() > 1 && mesh->block_count() > 1;
    EXPECT_EQ(overlaps, GetParam() && has_messages);  // by messages of MPI
    EXPECT_EQ(exchange.under_way(), overlaps);
    exchange.finish();
    visited = 0;
    Field<double> from_consumed = make("from consumed");
    std::size_t boxes = 0;
    std::vector<IndexRange> owned_of_blocks;
    for (Block const& block : mesh->blocks()) owned_of_blocks.push_back(u.owned(block));
    auto const ranges = split(*mesh, Centring::cell, 2, owned_of_blocks);
    consume(exchange, {&once}, ranges, [&](Block const& block, IndexRange const& range, std::size_t) {
      EXPECT_EQ(exchange.under_way(), overlaps && boxes < mesh->blocks().size()) << "interiors are the first";
      ++boxes;
      CountingSweep{once, from_consumed, visited}(block, range);
    });
    EXPECT_EQ(visited, owned);

    for (Block const& block : mesh->blocks()) {
      CountingSweep{produced, consumed, visited}(block, u.owned(block));
      HostCopy<double> expected(twice, block);
      HostCopy<double> by_produce(consumed, block);
      HostCopy<double> by_consume(from_consumed, block);
      for_each_entry(u, block, [&](Extents const& at, Extents const&, Direction const& steps) {
        if (distance(steps) != 0) return;
        EXPECT_EQ(by_produce(0, at[0], at[1], 0), expected(0, at[0], at[1], 0));
        EXPECT_EQ(by_consume(0, at[0], at[1], 0), expected(0, at[0], at[1], 0));
      });
    }
  }
}

}  // namespace
}  // namespace halocline
