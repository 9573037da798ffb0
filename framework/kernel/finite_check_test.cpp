#include "framework/kernel/finite_check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "framework/field/bad_value.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/devices.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::HostCopy;

template <class Real>
class FiniteCheckOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FiniteCheckOf, Precisions);

std::shared_ptr<StructuredMesh const> mesh_of(std::vector<Index> const& cells) {
  std::vector<Axis> axes;
  for (Index const n : cells) axes.push_back(Axis::uniform(n, 0, static_cast<double>(n)));
  return test::mesh_of(std::move(axes));
}

/// Values at the limits of the finite range, and NaN in all ghosts and all padding, which no check may read.
template <class Real>
void set_finite(Field<Real>& field) {
  constexpr std::array numbers{Real{0}, std::numeric_limits<Real>::max(), std::numeric_limits<Real>::lowest(),
                               std::numeric_limits<Real>::denorm_min(), Real{1}};
  field.fill(std::numeric_limits<Real>::quiet_NaN());
  for (Block const& block : field.mesh().blocks()) {
    HostCopy<Real> values(field, block);
    IndexRange const owned = field.owned(block);
    for (int c = 0; c < field.components(); ++c) {
      for (Index k = 0; k < owned.end[2]; ++k) {
        for (Index j = 0; j < owned.end[1]; ++j) {
          for (Index i = 0; i < owned.end[0]; ++i)
            values(c, i, j, k) = numbers[static_cast<std::size_t>(i + j + k) % 5];
        }
      }
    }
    values.write_back();
  }
}

/// Sets the entry with a global index on the rank that owns it.
template <class Real>
void set(Field<Real>& field, int component, Extents const& at, Real value) {
  for (Block const& block : field.mesh().blocks()) {
    IndexRange const mine = field.mesh().global_owned(block.id, field.centring());
    bool inside = true;
    for (std::size_t a = 0; a < 3; ++a) inside = inside && at[a] >= mine.begin[a] && at[a] < mine.end[a];
    if (!inside) continue;
    HostCopy<Real> values(field, block);
    values(component, at[0] - mine.begin[0], at[1] - mine.begin[1], at[2] - mine.begin[2]) = value;
    values.write_back();
  }
}

std::vector<Index> counts_on_all_ranks(FiniteCheck& check, std::vector<FieldBase const*> const& fields) {
  check.start(fields);
  std::vector<Index> counts = check.counts();
  fields.front()->mesh().communicator().sum(counts);
  return counts;
}

template <class Real>
std::array<Real, 3> bad_numbers() {
  Real const infinity = std::numeric_limits<Real>::infinity();
  return {std::numeric_limits<Real>::quiet_NaN(), infinity, -infinity};
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// One non-finite value at `at` is counted once, and found there.
template <class Real>
void expect_found(FiniteCheck& check, Field<Real>& field, int component, Extents const& at, Real bad) {
  SCOPED_TRACE(testing::Message() << bad << " at " << at[0] << ", " << at[1] << ", " << at[2]);
  set(field, component, at, bad);
  std::vector<Index> const counts = counts_on_all_ranks(check, {&field});
  auto const found = first_bad_value(std::array<FieldBase const*, 1>{&field});
  set(field, component, at, Real{1});
  std::vector<Index> expected(static_cast<std::size_t>(field.components()), 0);
  expected[static_cast<std::size_t>(component)] = 1;
  EXPECT_EQ(counts, expected);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->field, 0U);
  EXPECT_EQ(found->component, component);
  EXPECT_EQ(found->index, at);
  EXPECT_TRUE(same(found->value, static_cast<double>(bad))) << found->value;
}

TYPED_TEST(FiniteCheckOf, NumbersAtTheEdgeAreFinite) {
  for (std::vector<Index> const& cells : {std::vector<Index>{1000}, {37, 9}, {35, 9, 8}}) {
    auto const mesh = mesh_of(cells);
    for (Centring const centring : test::all_centrings) {
      Field<TypeParam> field(mesh, {.name = "u", .centring = centring, .components = 2, .ghosts = 2});
      set_finite(field);
      FiniteCheck check;
      EXPECT_EQ(counts_on_all_ranks(check, {&field}), std::vector<Index>(2, 0));
      EXPECT_FALSE(first_bad_value(std::array<FieldBase const*, 1>{&field}).has_value());
    }
  }
}

TYPED_TEST(FiniteCheckOf, ABadNumberIsCountedInAnyLaneOfARow) {
  auto const mesh = mesh_of({150, 5, 4});
  Field<TypeParam> field(mesh, {.name = "u", .ghosts = 1});
  set_finite(field);
  FiniteCheck check;
  for (Block const& block : mesh->blocks()) {
    IndexRange const owned = field.owned(block);
    for (Index i = 0; i < owned.end[0]; ++i) {
      for (TypeParam const bad : bad_numbers<TypeParam>()) {
        HostCopy<TypeParam> values(field, block);
        TypeParam& value = values(0, i, owned.end[1] - 1, owned.end[2] / 2);
        TypeParam const before = std::exchange(value, bad);
        values.write_back();
        check.start(std::array<FieldBase const*, 1>{&field});
        EXPECT_EQ(check.counts(), std::vector<Index>{1}) << bad << " at " << i;
        value = before;
        values.write_back();
      }
    }
  }
}

TYPED_TEST(FiniteCheckOf, ABadNumberIsFoundAtAnyEndOfAnyComponent) {
  for (std::vector<Index> const& cells : {std::vector<Index>{9000}, {70, 9}, {35, 9, 8}}) {
    auto const mesh = mesh_of(cells);
    for (Centring const centring : {Centring::cell, Centring::node}) {
      Field<TypeParam> field(mesh, {.name = "u", .centring = centring, .components = 3, .ghosts = 1});
      set_finite(field);
      Extents const all = mesh->extents(centring);
      FiniteCheck check;
      auto const bad = bad_numbers<TypeParam>();
      for (int component = 0; component < 3; ++component) {
        auto const n = static_cast<std::size_t>(component);
        expect_found(check, field, component, {0, 0, 0}, bad[n]);
        expect_found(check, field, component, {all[0] / 2, all[1] / 2, all[2] / 2}, bad[(n + 1) % 3]);
        expect_found(check, field, component, {all[0] - 1, all[1] - 1, all[2] - 1}, bad[(n + 2) % 3]);
      }
    }
  }
}

TYPED_TEST(FiniteCheckOf, TheFirstIsThatOfTheFirstFieldAndTheLowestIndex) {
  auto const mesh = mesh_of({33, 17});
  Field<TypeParam> first(mesh, {.name = "first"});
  Field<TypeParam> second(mesh, {.name = "second", .components = 2});
  set_finite(first);
  set_finite(second);
  FiniteCheck check;
  std::vector<FieldBase const*> const fields{&first, &second};
  TypeParam const nan = std::numeric_limits<TypeParam>::quiet_NaN();
  set(second, 1, {1, 0, 0}, nan);
  set(second, 1, {0, 9, 0}, nan);
  set(second, 1, {32, 8, 0}, nan);
  EXPECT_EQ(counts_on_all_ranks(check, fields), (std::vector<Index>{0, 0, 3}));
  set(second, 1, {1, 0, 0}, TypeParam{0});
  auto found = first_bad_value(fields);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->field, 1U);
  EXPECT_EQ(found->component, 1);
  EXPECT_EQ(found->index, (Extents{32, 8, 0}));
  set(second, 0, {31, 16, 0}, nan);
  found = first_bad_value(fields);
  EXPECT_EQ(found->component, 0);
  EXPECT_EQ(found->index, (Extents{31, 16, 0}));
  set(first, 0, {32, 16, 0}, nan);
  found = first_bad_value(fields);
  EXPECT_EQ(found->field, 0U);
  EXPECT_EQ(found->index, (Extents{32, 16, 0}));
  EXPECT_EQ(counts_on_all_ranks(check, fields), (std::vector<Index>{1, 1, 2}));
}

TEST(FiniteCheck, FieldsMayDifferInPrecision) {
  auto const mesh = mesh_of({40, 12});
  Field<float> single(mesh, {.name = "single"});
  Field<double> other(mesh, {.name = "other", .centring = Centring::node});
  set_finite(single);
  set_finite(other);
  set(single, 0, {39, 11, 0}, -std::numeric_limits<float>::infinity());
  set(other, 0, {40, 12, 0}, std::numeric_limits<double>::quiet_NaN());
  FiniteCheck check;
  EXPECT_EQ(counts_on_all_ranks(check, {&single, &other}), (std::vector<Index>{1, 1}));
}

/// Sweeps and their sums run on each block's device, whichever is current, and leave the current device unchanged.
TEST(FiniteCheck, LooksAtTheDeviceOfEachBlock) {
  int const first = BackendDevices::current();
  std::vector<std::shared_ptr<BlockExecution const>> executions{execution_on(first), execution_on(first)};
  for (Device const& device : all_devices()) executions.push_back(execution_on(device.number));
  auto const points = std::make_shared<PointSet const>(1000003, test::communicator().split(0), executions);
  Field<double> field(points, {.name = "u", .components = 1, .ghosts = 0});
  std::vector<FieldBase const*> const fields{&field};
  for (Block const& bad : points->blocks()) {
    field.fill(1);
    std::vector<double> values(static_cast<std::size_t>(points->points_of(bad.id)), 1);
    values.back() = std::numeric_limits<double>::quiet_NaN();
    values.front() = std::numeric_limits<double>::infinity();
    field.set_owned(bad, 0, std::as_bytes(std::span(values)));
    FiniteCheck check;
    check.start(fields);
    EXPECT_EQ(check.counts(), (std::vector<Index>{2}));
    EXPECT_EQ(BackendDevices::current(), first);
  }
}

}  // namespace
}  // namespace halocline
