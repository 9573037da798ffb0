#include "framework/field/field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "framework/field/initial_data_service.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/devices.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

std::shared_ptr<StructuredMesh const> unit_mesh(std::vector<Index> const& cells, int blocks_per_rank = 1) {
  std::vector<Axis> axes;
  for (Index const n : cells) axes.push_back(Axis::uniform(n, 0, static_cast<double>(n)));
  return test::mesh_of(std::move(axes), {}, {0, 0, 0}, blocks_per_rank);
}

using test::message_of;

/// The owned entries of a component, in host memory.
template <class Real>
std::vector<Real> owned_values(Field<Real> const& field, Block const& block, int component = 0) {
  std::vector<Real> values(static_cast<std::size_t>(field.owned(block).size()));
  field.copy_owned(block, component, std::as_writable_bytes(std::span(values)));
  return values;
}

template <class Real>
class FieldOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FieldOf, Precisions);

/// Fields of points whose blocks are on all devices of this process, and on the first one twice; on a host, on two of
/// its execution instances.
TEST(Field, LivesOnTheDevicesOfItsBlocks) {
  int const first = BackendDevices::current();
  std::vector<int> numbers{first, first};
  for (Device const& device : all_devices()) numbers.push_back(device.number);
  std::vector<std::shared_ptr<BlockExecution const>> executions;
  for (int const number : numbers) executions.push_back(execution_on(number));
  auto const points = std::make_shared<PointSet const>(1003, test::communicator().split(0), executions);
  for (int const current : numbers) {
    CurrentDevice const scope(current);
    {
      Field<double> field(points, {.name = "u", .components = 2, .ghosts = 0});
      Field<double> other(points, {.name = "v", .components = 2, .ghosts = 0});
      EXPECT_EQ(BackendDevices::current(), current);
      for (Block const& block : points->blocks()) {
        EXPECT_EQ(device_of(block), numbers[block.local]);
#if defined(KOKKOS_ENABLE_CUDA)
        cudaPointerAttributes attributes{};
        ASSERT_EQ(cudaPointerGetAttributes(&attributes, field.data(block)), cudaSuccess);
        EXPECT_EQ(attributes.device, numbers[block.local]);
#endif
        std::vector<double> values(static_cast<std::size_t>(points->points_of(block.id)));
        for (std::size_t n = 0; n < values.size(); ++n)
          values[n] = static_cast<double>(block.id * 10000) + static_cast<double>(n);
        field.set_owned(block, 1, std::as_bytes(std::span(values)));
        EXPECT_EQ(BackendDevices::current(), current);
        EXPECT_EQ(owned_values(field, block, 1), values);
        other.copy(field);
        EXPECT_EQ(BackendDevices::current(), current);
        EXPECT_EQ(owned_values(other, block, 1), values);
        EXPECT_EQ(BackendDevices::current(), current);
      }
      field.fill(1);
      EXPECT_EQ(BackendDevices::current(), current);
    }
    EXPECT_EQ(BackendDevices::current(), current) << "freed memory";
  }
}

TEST(BlockLayout, AlignsRowsAndSharesTheGapBetweenThem) {
  BlockLayout const layout = block_layout({250, 3, 2}, 3, 2, 2, 8);
  EXPECT_EQ(layout.row, 256);  // 250 + 2 * 2, rounded up to a multiple of 8
  EXPECT_EQ(layout.plane, 256 * 7);
  EXPECT_EQ(layout.component, 256 * 7 * 6);
  EXPECT_EQ(layout.first, 8 + 2 * 256 + 2 * 256 * 7);
  EXPECT_EQ(layout.entries, 2 * layout.component + 8);
}

TEST(BlockLayout, HoldsEveryEntryOfEveryShape) {
  for (Extents const& owned : {Extents{1, 1, 1}, Extents{7, 5, 3}, Extents{64, 1, 2}}) {
    for (int ghosts : {0, 1, 4, 9}) {
      for (int components : {1, 3}) {
        BlockLayout const layout = block_layout(owned, 3, ghosts, components, 4);
        Index const last = layout.first + (components - 1) * layout.component + owned[0] - 1 + ghosts +
                           (owned[1] - 1 + ghosts) * layout.row + (owned[2] - 1 + ghosts) * layout.plane;
        Index const begin = layout.first - ghosts - ghosts * layout.row - ghosts * layout.plane;
        EXPECT_GE(begin, 0);
        EXPECT_LT(last, layout.entries);
        EXPECT_GE(layout.row, owned[0] + 2 * ghosts);
        EXPECT_GE(layout.plane, layout.row * (owned[1] + 2 * ghosts));
      }
    }
  }
}

TEST(BlockLayout, RefusesWhatCannotBeCounted) {
  EXPECT_EQ(message_of([] {
              static_cast<void>(block_layout({Index{1} << 31, Index{1} << 31, 16}, 3, 1, 1, 8));
            }),
            "a field's size does not fit in 64 bits");
}

TYPED_TEST(FieldOf, BeginsAsZeroAlignedAndWhole) {
  auto const mesh = unit_mesh({13, 7, 5});
  Field<TypeParam> const field(mesh, {.name = "u", .components = 2, .ghosts = 2});
  for (Block const& block : mesh->blocks()) {
    for (int c = 0; c < 2; ++c) {
      BlockView<TypeParam const> const view = field.view(block, c);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.at(0, 1, 1)) % 64, 0u);
      for (TypeParam const value : owned_values(field, block, c)) EXPECT_EQ(value, 0);
    }
  }
}

TYPED_TEST(FieldOf, GivesBackWhatWasSet) {
  auto const mesh = unit_mesh({13, 7, 5});
  for (Centring const centring : {Centring::cell, Centring::node, Centring::face_y}) {
    Field<TypeParam> field(mesh, {.name = "u", .centring = centring, .components = 3, .ghosts = 1});
    for (Block const& block : mesh->blocks()) {
      std::vector<TypeParam> values(static_cast<std::size_t>(field.owned(block).size()));
      for (int c = 0; c < 3; ++c) {
        for (std::size_t n = 0; n < values.size(); ++n)
          values[n] = static_cast<TypeParam>(n + 1000 * static_cast<std::size_t>(c));
        field.set_owned(block, c, std::as_bytes(std::span(values)));
      }
      for (int c = 0; c < 3; ++c) {
        std::vector<TypeParam> const back = owned_values(field, block, c);
        for (std::size_t n = 0; n < back.size(); ++n) {
          ASSERT_EQ(back[n], static_cast<TypeParam>(n + 1000 * static_cast<std::size_t>(c)));
        }
      }
    }
  }
}

TYPED_TEST(FieldOf, IsFilledByExpressionsAtItsPositions) {
  auto const mesh = unit_mesh({9, 6});
  for (Centring const centring : {Centring::cell, Centring::node, Centring::face_x}) {
    Field<TypeParam> field(mesh, {.name = "u", .centring = centring, .components = 2, .ghosts = 2});
    field.fill(Expression("x + 100 * y + 10000 * t"), 2, 1);
    for (Block const& block : mesh->blocks()) {
      for (TypeParam const value : owned_values(field, block, 0)) EXPECT_EQ(value, 0);
      std::vector<double> const x = mesh->coordinates(block, 0, centring, 0);
      std::vector<double> const y = mesh->coordinates(block, 1, centring, 0);
      std::vector<TypeParam> const values = owned_values(field, block, 1);
      for (std::size_t j = 0; j < y.size(); ++j) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          EXPECT_EQ(values[i + j * x.size()], static_cast<TypeParam>(x[i] + 100 * y[j] + 20000));
        }
      }
    }
  }
}

TYPED_TEST(FieldOf, KeepsTheBlocksOfARankApart) {
  auto const whole = unit_mesh({13, 37});
  auto const mesh = unit_mesh({13, 37}, 2);
  ASSERT_EQ(mesh->blocks().size(), 2u);
  for (Centring const centring : {Centring::cell, Centring::node, Centring::face_y}) {
    Field<TypeParam> field(mesh, {.name = "u", .centring = centring, .components = 2, .ghosts = 2});
    field.fill(Expression("x + 100 * y"), 0, 1);
    for (Block const& block : mesh->blocks()) {
      std::vector<double> const x = mesh->coordinates(block, 0, centring, 0);
      std::vector<double> const y = mesh->coordinates(block, 1, centring, 0);
      std::vector<TypeParam> values = owned_values(field, block, 1);
      ASSERT_EQ(values.size(), x.size() * y.size());
      for (std::size_t n = 0; n < values.size(); ++n) {
        EXPECT_EQ(values[n], static_cast<TypeParam>(x[n % x.size()] + 100 * y[n / x.size()]));
        values[n] += static_cast<TypeParam>(1 + block.id);
      }
      field.set_owned(block, 0, std::as_bytes(std::span(values)));
    }
    for (Block const& block : mesh->blocks()) {
      std::vector<TypeParam> const before = owned_values(field, block, 1);
      std::vector<TypeParam> const after = owned_values(field, block, 0);
      for (std::size_t n = 0; n < before.size(); ++n) {
        EXPECT_EQ(after[n], before[n] + static_cast<TypeParam>(1 + block.id));
      }
    }
    Index cells = 0;
    for (Block const& block : mesh->blocks()) cells += block.cells.size();
    EXPECT_EQ(cells, whole->blocks().front().cells.size());
  }
}

TYPED_TEST(FieldOf, CopiesAndSwapsValues) {
  auto const mesh = unit_mesh({8});
  Field<TypeParam> a(mesh, {.name = "a"});
  Field<TypeParam> b(mesh, {.name = "b"});
  a.fill(TypeParam{1});
  b.fill(TypeParam{2});
  a.swap_values(b);
  EXPECT_EQ(a.name(), "a");
  for (Block const& block : mesh->blocks()) {
    EXPECT_EQ(owned_values(a, block).front(), 2);
    EXPECT_EQ(owned_values(b, block).front(), 1);
    b.copy(a);
    EXPECT_EQ(owned_values(b, block).back(), 2);
    EXPECT_NE(a.view(block).origin, b.view(block).origin);
  }
}

TEST(Field, KnowsItsSpace) {
  auto const mesh = unit_mesh({8, 8});
  Field<float> const field(mesh, {.name = "u", .unit = "K", .centring = Centring::node, .components = 2, .ghosts = 3});
  EXPECT_EQ(field.precision(), Precision::single);
  auto const like = field.create_like("v");
  EXPECT_EQ(like->name(), "v");
  EXPECT_EQ(like->unit(), "K");
  EXPECT_EQ(like->precision(), Precision::single);
  EXPECT_EQ(like->components(), 2);
  EXPECT_EQ(like->ghosts(), 3);
  EXPECT_EQ(like->bytes(), field.bytes());
}

TEST(Field, RefusesNonsense) {
  auto const mesh = unit_mesh({8, 8});
  EXPECT_EQ(message_of([&] { Field<double>(mesh, {.name = ""}); }), "a field needs a name");
  EXPECT_EQ(message_of([&] { Field<double>(mesh, {.name = "u", .components = 0}); }),
            "field `u` has 0 components: it needs one or more");
  EXPECT_EQ(message_of([&] { Field<double>(mesh, {.name = "u", .ghosts = -1}); }),
            "field `u` has -1 ghost layers: it needs zero or more");
  Field<double> u(mesh, {.name = "u"});
  Field<double> wider(mesh, {.name = "w", .ghosts = 2});
  EXPECT_EQ(message_of([&] { u.copy(wider); }), "fields `u` and `w` are of different spaces");
  EXPECT_EQ(message_of([&] { u.swap_values(wider); }), "fields `u` and `w` are of different spaces");
  std::vector<std::byte> bytes(7);
  Block const& block = mesh->blocks().front();
  EXPECT_EQ(message_of([&] { u.copy_owned(block, 0, bytes); }),
            "field `u`: a buffer of 7 bytes for " + std::to_string(u.owned(block).size()) + " entries");
}

/// Counts the requests, and knows the answers.
class CountingService final : public InitialDataService {
 public:
  explicit CountingService(StructuredMesh const& mesh) : mesh_(mesh) {}
  void evaluate(ExpressionRequest const& request, std::span<std::byte> to) override {
    ++requests;
    EXPECT_EQ(bytes_of(request), static_cast<Index>(to.size()));
    halocline::evaluate(mesh_, request, to);
  }
  BadEntry read(FileEntriesRequest const&, std::span<double>) override {
    ADD_FAILURE() << "an expression is no file";
    return {};
  }
  int requests = 0;

 private:
  StructuredMesh const& mesh_;
};

TYPED_TEST(FieldOf, AServiceGivesItTheBitsThatItWouldHave) {
  auto const mesh =
      test::mesh_of({Axis::stretched({0, 1, 3, 6, 10, 12, 13}), Axis::uniform(7, -1, 2.5), Axis::uniform(5, 0, 1)},
                    {false, true, false});
  Expression const expression("sin(x + 3*y) * exp(z - t) + random(7)");
  for (Centring const centring : test::all_centrings) {
    FieldDescription const description{.name = "u", .centring = centring, .components = 2, .ghosts = 2};
    Field<TypeParam> own(mesh, description);
    Field<TypeParam> served(mesh, description);
    own.fill(expression, 0.3, 1);
    CountingService service(*mesh);
    {
      InitialDataFrom const from(&service);
      served.fill(expression, 0.3, 1);
      served.fill(Expression(2.5), 0, 0);
      EXPECT_THROW(served.fill(Expression("1/(x-x)"), 0, 1), InputError) << "values are looked at here";
      served.fill(expression, 0.3, 1);
    }
    EXPECT_EQ(InitialDataFrom::current(), nullptr);
    EXPECT_EQ(service.requests, memory_on_host ? 3 : 0) << "neither a constant nor a device needs anybody";
    for (Block const& block : mesh->blocks()) {
      test::HostCopy<TypeParam> mine(own, block);
      test::HostCopy<TypeParam> theirs(served, block);
      IndexRange const all = own.with_ghosts(block);
      for (Index k = all.begin[2]; k < all.end[2]; ++k) {
        for (Index j = all.begin[1]; j < all.end[1]; ++j) {
          for (Index i = all.begin[0]; i < all.end[0]; ++i) ASSERT_EQ(mine(1, i, j, k), theirs(1, i, j, k));
        }
      }
    }
  }
}

TEST(Field, NamesWhereAnExpressionHasNoValue) {
  auto const mesh = unit_mesh({8});
  Field<double> field(mesh, {.name = "u"});
  EXPECT_THAT(message_of([&] { field.fill(Expression("sqrt(-1 - x)"), 0.5); }),
              testing::StartsWith("field `u`: 'sqrt(-1 - x)' is not a finite number at ("));
  field.fill(Expression("sqrt(x)"), 0);  // NaN in the ghosts only
}

TEST(Field, SaysHowMuchMemoryIsMissing) {
  auto const mesh = unit_mesh({Index{1} << 24, Index{1} << 24});  // 2 PiB: beyond the address space of today's machines
  std::string const message = message_of([&] { Field<double>(mesh, {.name = "huge", .ghosts = 0}); });
  Block const& block = mesh->blocks().front();
  Index const bytes = block_layout(mesh->owned(block, Centring::cell).extents(), 2, 0, 1, 8).entries * 8;
  EXPECT_EQ(message, "field `huge` needs " + std::to_string(bytes) + " bytes on block " + std::to_string(block.id) +
                         ": that much memory cannot be allocated");
}

}  // namespace
}  // namespace halocline
