#include "framework/field/expression_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/deck/expression_program.hpp"
#include "framework/field/expression_rows.hpp"
#include "framework/field/initial_data_service.hpp"
#include "framework/field/test_fields.hpp"

namespace halocline {
namespace {

using test::HostCopy;
using test::mesh_of;
using test::message_of;

/// Parts that depend on one axis, two or all, on time only, and on nothing; branches taken by a whole row, part of it
/// or none; and one that is too long for a program.
std::vector<std::string> expressions() {
  std::string deep;
  for (int n = 0; n < 40; ++n) deep += "x + (";
  deep += "sin(y)*z" + std::string(40, ')');
  return {"3.5",
          "x",
          "t",
          "y*z",
          "sin(pi*x)*exp(-t)*(1+y^2)",
          "sin(x + 3*y) * exp(z - t) + cos(x)*cos(y)*cos(z) + sin(x*z)",
          "x < 0.4 ? sin(y) : y < 0.5 ? exp(x) : z > 2 ? cos(x*y) : -1",
          "x > 0.7 ? exp(x - y) : sin(x + y)",
          "x*y > 0.1 ? sin(x + y) : y > 0.3 && x < 0.8 ? cos(x*y) : exp(x - y)",
          "t > 1 ? x : y > 100 ? sqrt(-1) : 2*random(7) - random(8)*x",
          "min(x, y, z, t) + max(x - y, z) - sum(x, 1, avg(y, z, 2)) + (1 + abs(x - 0.5))^y",
          deep};
}

template <class Real>
bool same_bits(Real a, Real b) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// On devices each function may differ from the host's by a few units in the last place of double precision, for values
/// below 100 here.
template <class Real>
void expect_value(Real value, double expected, std::string const& what) {
  if constexpr (memory_on_host) {
    ASSERT_TRUE(same_bits(value, static_cast<Real>(expected))) << what << ": " << value << ", expected " << expected;
  } else {
    double const unit = sizeof(Real) == 4 ? 1.2e-7 : 2.3e-16;
    ASSERT_NEAR(static_cast<double>(value), expected, 20 * unit * (1 + std::abs(expected))) << what;
  }
}

template <class Real>
class ExpressionValues : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ExpressionValues, Precisions);

/// Rows that are shorter than a batch or no multiple of it, a single row, and columns of one entry: on any partition
/// each entry must be bitwise equal to the expression.
TYPED_TEST(ExpressionValues, AreThoseOfTheExpressionOnAwkwardSizes) {
  std::vector<std::vector<Axis>> const domains{
      {Axis::uniform(300, 0, 1)},
      {Axis::uniform(9000, -1, 1)},
      {Axis::uniform(257, 0, 1), Axis::uniform(67, -0.5, 1)},
      {Axis::uniform(4, 0, 1), Axis::uniform(150, 0, 1)},
      {Axis::stretched({0, 0.1, 0.3, 0.6, 1.0, 1.2, 1.3}), Axis::uniform(13, 0, 1), Axis::uniform(11, 0, 4)}};
  for (std::vector<Axis> const& axes : domains) {
    for (int const blocks : {1, 2}) {
      auto const mesh = mesh_of(axes, {}, {0, 0, 0}, blocks);
      for (Centring const centring : {Centring::cell, Centring::node}) {
        for (int const ghosts : {0, 2}) {
          Field<TypeParam> field(mesh, {.name = "u", .centring = centring, .components = 2, .ghosts = ghosts});
          for (std::string const& text : expressions()) {
            Expression const expression(text);
            field.fill(expression, 0.75, 1);
            for (Block const& block : mesh->blocks()) {
              HostCopy<TypeParam> values(field, block);
              IndexRange const all = field.with_ghosts(block);
              Extents const first = mesh->global_owned(block.id, centring).begin;
              for (Index k = all.begin[2]; k < all.end[2]; ++k) {
                for (Index j = all.begin[1]; j < all.end[1]; ++j) {
                  for (Index i = all.begin[0]; i < all.end[0]; ++i) {
                    double const expected = expression(mesh->coordinate(0, centring, first[0] + i),
                                                       mesh->coordinate(1, centring, first[1] + j),
                                                       mesh->coordinate(2, centring, first[2] + k), 0.75);
                    expect_value(values(1, i, j, k), expected, text);
                    ASSERT_EQ(values(0, i, j, k), 0);
                  }
                }
              }
              if (this->HasFatalFailure()) return;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(ExpressionValues, AreThoseOfAKernel) {
  BoxPositions box;
  for (int n = 0; n < 37; ++n) box.along[0].push_back(0.03 * n);
  for (int n = 0; n < 5; ++n) box.along[1].push_back(1.0 / (1 + n));
  for (int n = 0; n < 4; ++n) box.along[2].push_back(0.9 * n);
  Execution const execution;
  EntryPositions const positions(execution, box);
  IndexRange const range{{1, 0, 1}, {36, 5, 3}};
  IndexRange const checked{{2, 1, 1}, {30, 4, 3}};
  Kokkos::View<TypeParam*, Memory> const memory("values", 37 * 5 * 4);
  BlockView<TypeParam> const view{memory.data(), 37, 37 * 5};
  for (std::string const& text : expressions()) {
    Expression const expression(text);
    if (expression.program() == nullptr) continue;
    Kokkos::deep_copy(memory, TypeParam{-7});
    EXPECT_EQ(evaluate_by_kernel(execution, expression, 0.75, positions, range, checked, view), std::nullopt);
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    for (Index n = 0; n < 37 * 5 * 4; ++n) {
      Extents const place{n % 37, n / 37 % 5, n / (37 * 5)};
      auto const [x, y, z] = box.at(place);
      bool const inside = !intersection(range, {place, {place[0] + 1, place[1] + 1, place[2] + 1}}).empty();
      expect_value(values(static_cast<std::size_t>(n)), inside ? expression(x, y, z, 0.75) : -7, text);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// The first of several bad entries, ignoring those that are not checked; and none at the next call.
TYPED_TEST(ExpressionValues, SayWhichIsNotFinite) {
  BoxPositions box;
  for (int axis = 0; axis < 3; ++axis) {
    for (int n = 0; n < 10; ++n) box.along[static_cast<std::size_t>(axis)].push_back(n);
  }
  Execution const execution;
  EntryPositions const positions(execution, box);
  IndexRange const range{{0, 0, 0}, {10, 10, 10}};
  Kokkos::View<TypeParam*, Memory> const memory("values", 1000);
  BlockView<TypeParam> const view{memory.data(), 10, 100};
  Expression const expression("(x==3 && y>=4 && z>=2) || x==0 || (x==7 && y==4 && z==2) ? 1/(t-t) : 1e30*x");
  IndexRange const checked{{1, 0, 1}, {9, 9, 9}};
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::optional<Extents> const first{{3, 4, 2}};
    EXPECT_EQ(evaluate(execution, expression, 1, positions, range, checked, view), first);
    EXPECT_EQ(evaluate_by_kernel(execution, expression, 1, positions, range, checked, view), first);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    EXPECT_EQ(first_not_finite(checked, BlockView<TypeParam>{host.data(), 10, 100}), first);
    IndexRange const before{{1, 0, 0}, {10, 10, 2}};
    EXPECT_EQ(evaluate(execution, expression, 1, positions, range, before, view), std::nullopt);
    EXPECT_EQ(evaluate_by_kernel(execution, expression, 1, positions, range, before, view), std::nullopt);
  }
}

/// A value that is not representable in single precision is not a valid value.
TEST(Field, NamesTheFirstEntryThatHasNoValue) {
  auto const mesh = mesh_of({Axis::uniform(40, 0, 40), Axis::uniform(4, 0, 4)});
  auto const message = [&](auto& field, std::string const& text) {
    return message_of([&] { field.fill(Expression(text), 0.5, 0, "`source`"); });
  };
  Field<float> single(mesh, {.name = "u"});
  Field<double> exact(mesh, {.name = "u"});
  for (Block const& block : mesh->blocks()) {
    Extents const first = mesh->global_owned(block.id, Centring::cell).begin;
    auto const at = [](Index i) { return std::to_string(i) + ".5"; };
    std::string const place = "(" + at(first[0]) + ", " + at(first[1] + 1) + ", 0), t = 0.5";
    std::string const line = at(first[1] + 1);
    EXPECT_EQ(message(exact, "y == " + line + " ? 1/0 : 1"),
              "`source`: 'y == " + line + " ? 1/0 : 1' is not a finite number at " + place);
    EXPECT_EQ(message(single, "y >= " + line + " ? 1e39 : 1"),
              "`source`: 'y >= " + line + " ? 1e39 : 1' is too large for single precision at " + place);
  }
}

TYPED_TEST(ExpressionValues, OfOwnedEntriesLeaveGhostsAlone) {
  auto const mesh = mesh_of({Axis::uniform(33, 0, 1), Axis::uniform(9, 0, 1)}, {}, {0, 0, 0}, 2);
  Field<TypeParam> owned(mesh, {.name = "u", .ghosts = 2});
  Field<TypeParam> all(mesh, {.name = "v", .ghosts = 2});
  Expression const expression("sin(x + 2*y) + t");
  for (TypeParam const before : {TypeParam{5}, TypeParam{6}}) {
    owned.fill(before);
    owned.fill_owned(expression, 2);
    all.fill(expression, 2);
    for (Block const& block : mesh->blocks()) {
      HostCopy<TypeParam> mine(owned, block);
      HostCopy<TypeParam> theirs(all, block);
      IndexRange const range = owned.with_ghosts(block);
      for (Index j = range.begin[1]; j < range.end[1]; ++j) {
        for (Index i = range.begin[0]; i < range.end[0]; ++i) {
          bool const inside = !intersection(owned.owned(block), {{i, j, 0}, {i + 1, j + 1, 1}}).empty();
          ASSERT_EQ(mine(0, i, j, 0), inside ? theirs(0, i, j, 0) : before) << i << ' ' << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace halocline
