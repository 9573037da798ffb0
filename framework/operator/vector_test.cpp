#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/operator/array_vector.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/fused_passes.hpp"
#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test_problem::values_of;

enum class Storage { field, interior_of_field, fields, array };

/// A vector of each kind with slightly more than a hundred unknowns, or with only one.
template <class Real>
std::unique_ptr<Vector> make_vector(Storage storage, std::vector<Index> const& cells, int blocks_per_rank = 1) {
  std::shared_ptr<Communicator> const communicator = test::communicator().split(0);
  if (storage == Storage::array) {
    return std::make_unique<ArrayVector<Real>>(communicator, cells[0] + communicator->rank());
  }
  auto const mesh = test_problem::make_mesh(communicator, {.cells = cells, .blocks_per_rank = blocks_per_rank});
  auto field = std::make_shared<Field<Real>>(mesh, FieldDescription{.name = "u", .ghosts = 2});
  if (storage == Storage::field) return std::make_unique<FieldVector<Real>>(field);
  if (storage == Storage::fields) {
    auto nodes = std::make_shared<Field<Real>>(
        mesh, FieldDescription{.name = "v", .centring = Centring::node, .components = 2, .ghosts = 1});
    return std::make_unique<FieldVector<Real>>(Fields<Real>{field, nodes});
  }
  std::vector<IndexRange> unknowns;
  for (Block const& block : mesh->blocks()) {
    IndexRange inner = field->owned(block);
    if (inner.end[0] > 1) inner.begin[0] = 1;
    unknowns.push_back(inner);
  }
  return std::make_unique<FieldVector<Real>>(field, unknowns);
}

template <class Real>
class VectorTest : public testing::Test {
 protected:
  /// Runs `check(u, x, y)` on random vectors of every kind and awkward sizes.
  template <class Check>
  void on_each_kind(Check const& check) {
    for (Storage const storage : {Storage::field, Storage::interior_of_field, Storage::fields, Storage::array}) {
      for (auto const& [cells, blocks] : {std::pair{std::vector<Index>{4}, 1},
                                          {{37, 5}, 1},
                                          {{4, 3, 7}, 1},
                                          {{4099}, 1},
                                          {{5, 47}, 2},
                                          {{4099}, 3}}) {
        auto const u = make_vector<Real>(storage, cells, blocks);
        auto const x = u->create();
        auto const y = u->create();
        u->randomize(1);
        x->randomize(2);
        y->randomize(3);
        check(*u, *x, *y);
      }
    }
  }

  /// Sum over all ranks of terms of the local entries, in long double.
  template <class Term>
  static double sum(std::vector<Real> const& values, Term const& term) {
    long double total = 0;
    for (std::size_t n = 0; n < values.size(); ++n) total += static_cast<long double>(term(n));
    return test::communicator().sum(static_cast<double>(total));
  }

  /// Products are rounded to Real, sums of `size` terms of magnitude <= 2 to double.
  static double tolerance(Vector const& u) {
    return 2 * static_cast<double>(u.size()) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorTest, Precisions);

TYPED_TEST(VectorTest, UpdatesAreThoseOfEachEntry) {
  this->on_each_kind([](Vector& u, Vector& x, Vector& y) {
    using Real = TypeParam;
    auto const a = values_of<Real>(u);
    auto const b = values_of<Real>(x);
    auto const c = values_of<Real>(y);
    auto const expect = [&](auto const& entry) {
      auto const now = values_of<Real>(u);
      ASSERT_EQ(now.size(), a.size());
      for (std::size_t n = 0; n < now.size(); ++n) EXPECT_EQ(now[n], entry(n)) << n;
    };
    auto const reset = [&] { u.randomize(1); };
    u.add(0.5, x);
    expect([&](std::size_t n) { return a[n] + Real(0.5) * b[n]; });
    reset();
    u.combine(0.5, x, 0.25);
    expect([&](std::size_t n) { return Real(0.5) * b[n] + Real(0.25) * a[n]; });
    reset();
    u.scale(3);
    expect([&](std::size_t n) { return Real(3) * a[n]; });
    u.copy(y);
    expect([&](std::size_t n) { return c[n]; });
    u.multiply(x, y);
    expect([&](std::size_t n) { return b[n] * c[n]; });
    u.multiply(u, y);
    expect([&](std::size_t n) { return b[n] * c[n] * c[n]; });
    u.fill(2);
    expect([](std::size_t) { return Real(2); });
    u.invert();
    expect([](std::size_t) { return Real(0.5); });
  });
}

TYPED_TEST(VectorTest, AssignAddsAnyNumberOfTerms) {
  this->on_each_kind([](Vector& u, Vector& x, Vector& y) {
    using Real = TypeParam;
    auto const a = values_of<Real>(u);
    auto const b = values_of<Real>(x);
    auto const c = values_of<Real>(y);
    for (int count = 0; count <= 9; ++count) {
      u.randomize(1);
      u.assign(std::vector<WeightedVector>(static_cast<std::size_t>(count), {0.5, &u}));
      auto const many = values_of<Real>(u);
      for (std::size_t at = 0; at < a.size(); ++at) ASSERT_EQ(many[at], static_cast<Real>(0.5 * count) * a[at]);
      // `u` itself is among the terms, the first or a later one, or not.
      for (int const own : {-1, 0, count - 1}) {
        u.randomize(1);
        std::vector<WeightedVector> terms;
        for (int n = 0; n < count; ++n) terms.push_back({n - 3.5, n == own ? &u : n % 2 == 0 ? &x : &y});
        u.assign(terms);
        auto const now = values_of<Real>(u);
        for (std::size_t at = 0; at < a.size(); ++at) {
          double sum = 0;
          for (int n = 0; n < count; ++n) sum += (n - 3.5) * (n == own ? a : n % 2 == 0 ? b : c)[at];
          // Nine products of at most 5.5, and their partial sums.
          ASSERT_NEAR(now[at], sum, 9 * 9 * 5.5 * std::numeric_limits<Real>::epsilon()) << count << " terms, " << own;
        }
      }
    }
  });
}

TYPED_TEST(VectorTest, SwapExchangesTheValues) {
  this->on_each_kind([](Vector& u, Vector& x, Vector& y) {
    auto const a = values_of<TypeParam>(u);
    auto const b = values_of<TypeParam>(x);
    void const* const memory[] = {u.memory(), x.memory()};
    u.swap(x);
    EXPECT_EQ(values_of<TypeParam>(u), b);
    EXPECT_EQ(values_of<TypeParam>(x), a);
    // Either both have moved or none.
    bool const is_moved = u.memory() == memory[1];
    EXPECT_EQ(x.memory(), memory[is_moved ? 0 : 1]);
    EXPECT_NE(u.memory(), y.memory());
    u.add(1, x);
    EXPECT_EQ(values_of<TypeParam>(x), a);
  });
}

TYPED_TEST(VectorTest, ScaledMaximumIsThatOfAllEntries) {
  this->on_each_kind([](Vector& u, Vector& x, Vector& y) {
    auto const a = values_of<TypeParam>(u);
    auto const b = values_of<TypeParam>(x);
    auto const c = values_of<TypeParam>(y);
    double largest = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
      double const size = std::max(std::abs(static_cast<double>(b[n])), std::abs(static_cast<double>(c[n])));
      largest = std::max(largest, std::abs(static_cast<double>(a[n])) / (0.125 + 0.5 * size));
    }
    EXPECT_DOUBLE_EQ(u.scaled_maximum(x, y, 0.125, 0.5), test::communicator().max(largest));
    // An error of zero satisfies any tolerance.
    u.fill(0);
    x.fill(0);
    EXPECT_EQ(u.scaled_maximum(x, x, 0, 0.5), 0);
    y.fill(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::isnan(y.scaled_maximum(x, x, 1, 1)));
  });
}

TYPED_TEST(VectorTest, SumsRunOverAllRanks) {
  this->on_each_kind([this](Vector& u, Vector& x, Vector& y) {
    using Real = TypeParam;
    double const tolerance = this->tolerance(u);
    auto const a = values_of<Real>(u);
    auto const b = values_of<Real>(x);
    auto const c = values_of<Real>(y);
    auto const product = [&](auto const& v, auto const& w) {
      return this->sum(v, [&](std::size_t n) { return static_cast<double>(v[n]) * static_cast<double>(w[n]); });
    };
    EXPECT_EQ(u.size(), test::communicator().sum(static_cast<Index>(a.size())));
    EXPECT_NEAR(u.dot(x), product(a, b), tolerance);
    EXPECT_NEAR(u.square(), product(a, a), tolerance);
    Vector const* const all[] = {&x, &y, &u, &y, &x, &u, &x};
    double dots[7];
    u.dots(all, dots);
    double const expected[] = {product(a, b), product(a, c), product(a, a), product(a, c),
                               product(a, b), product(a, a), product(a, b)};
    for (int n = 0; n < 7; ++n) EXPECT_NEAR(dots[n], expected[n], tolerance) << n;

    // Every way in which pairs can share a pass, and pairs that cannot.
    Factors const pairs[] = {{u, x}, {u, y}, {x, x}, {u, u}, {u, x}, {y, u}, {x, y}, {x, u}, {x, x}, {x, y}, {y, y},
                             {y, u}, {y, y}, {u, y}, {y, y}, {u, u}, {u, x}, {u, u}, {x, u}, {x, y}, {u, y}};
    PendingSum pending = u.start_products(pairs);
    std::span<double const> const products = pending.finish();
    ASSERT_EQ(products.size(), std::size(pairs));
    for (std::size_t n = 0; n < std::size(pairs); ++n) {
      // The same bits as for a single pair: terms are grouped by index, whatever else a pass sums.
      EXPECT_EQ(products[n], pairs[n].x.dot(pairs[n].y)) << n;
    }

    double const square = add_and_square(u, 0.5, x);
    EXPECT_NEAR(square, u.square(), tolerance);
    double const dot = multiply_and_dot(u, x, y);
    EXPECT_NEAR(dot, u.dot(y), tolerance);

    // Two passes in one, with the same bits.
    auto const sum = u.create();
    auto const scaled = u.create();
    auto const expected_scaled = u.create();
    sum->copy(u);
    auto const found = add_scale_and_square(*sum, 0.5, x, y, *scaled);
    EXPECT_EQ(found[0], add_and_square(u, 0.5, x));
    EXPECT_EQ(found[1], multiply_and_dot(*expected_scaled, y, u));
    EXPECT_EQ(values_of<Real>(*sum), values_of<Real>(u));
    EXPECT_EQ(values_of<Real>(*scaled), values_of<Real>(*expected_scaled));
  });
}

TYPED_TEST(VectorTest, AdvancesTwoVectorsInOnePass) {
  this->on_each_kind([](Vector& x, Vector& p, Vector& z) {
    auto const expected_x = x.create();
    auto const expected_p = x.create();
    expected_x->copy(x);
    expected_x->add(0.5, p);
    expected_p->copy(z);
    expected_p->add(-0.25, p);
    advance(0.5, -0.25, z, x, p);
    // Random entries have 24 bits and the factors one, so that only the sums are rounded.
    EXPECT_EQ(values_of<TypeParam>(x), values_of<TypeParam>(*expected_x));
    EXPECT_EQ(values_of<TypeParam>(p), values_of<TypeParam>(*expected_p));
  });
  auto const one = make_vector<TypeParam>(Storage::array, {4});
  auto const other = make_vector<TypeParam>(Storage::array, {5});
  EXPECT_THROW(advance(1, 1, *one, *one, *other), DefectError);
}

TYPED_TEST(VectorTest, ConvertsBetweenPrecisions) {
  for (Storage const storage : {Storage::field, Storage::interior_of_field, Storage::fields, Storage::array}) {
    for (auto const& cells : {std::vector<Index>{4}, {37, 5}, {4, 3, 7}, {4099}}) {
      auto const u = make_vector<TypeParam>(storage, cells);
      auto const back = u->create();
      auto const y = u->create();
      auto const single = make_vector<float>(storage, cells);
      // Random entries have 24 bits, and are not rounded.
      u->randomize(1);
      y->randomize(2);
      single->convert(*u, 0x1p-100);
      EXPECT_EQ(convert_and_dot(*back, *single, 0x1p100, *y), u->dot(*y));
      EXPECT_EQ(values_of<TypeParam>(*back), values_of<TypeParam>(*u));
      // Other values are rounded once.
      u->scale(1.0 / 3);
      single->convert(*u, 1);
      auto const exact = values_of<TypeParam>(*u);
      auto const rounded = values_of<float>(*single);
      ASSERT_EQ(rounded.size(), exact.size());
      for (std::size_t n = 0; n < exact.size(); ++n) EXPECT_EQ(rounded[n], static_cast<float>(exact[n]));
      EXPECT_THROW(u->convert(*make_vector<float>(storage, {2 * cells[0]}), 1), DefectError);
    }
  }
}

TYPED_TEST(VectorTest, MaximumOfMagnitudesKeepsNaN) {
  this->on_each_kind([](Vector& u, Vector& x, Vector&) {
    double largest = 0;
    for (auto const value : values_of<TypeParam>(u)) largest = std::max(largest, std::abs(static_cast<double>(value)));
    EXPECT_EQ(u.maximum(), test::communicator().max(largest));
    x.fill(std::numeric_limits<double>::quiet_NaN());
    u.add(1, x);
    EXPECT_TRUE(std::isnan(u.maximum()));
  });
}

TYPED_TEST(VectorTest, RandomEntriesDependOnTheGlobalIndexAlone) {
  std::shared_ptr<Communicator> const communicator = test::communicator().split(0);
  ArrayVector<TypeParam> spread(communicator, 10 + communicator->rank());
  std::shared_ptr<Communicator> const alone = communicator->split(communicator->rank());
  ArrayVector<TypeParam> whole(alone, spread.size());
  spread.randomize(7);
  whole.randomize(7);
  auto const mine = values_of<TypeParam>(spread);
  auto const all = values_of<TypeParam>(whole);
  for (std::size_t n = 0; n < mine.size(); ++n) {
    EXPECT_EQ(mine[n], all[n + static_cast<std::size_t>(spread.first_row())]);
    EXPECT_GE(mine[n], -1);
    EXPECT_LT(mine[n], 1);
  }
}

TEST(Vector, RandomEntriesDifferInEveryDirection) {
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {4, 9, 5}});
  auto const x = a->create_vector();
  x->randomize(7);
  auto values = values_of<double>(*x);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
}

TEST(Vector, OtherEntriesOfTheFieldStayAsTheyAre) {
  auto const u = make_vector<double>(Storage::interior_of_field, {12, 3});
  auto const& vector = as_field_vector<double>(*u);
  vector.field().fill(5);
  u->fill(1);
  u->randomize(1);
  u->scale(2);
  Block const& block = vector.field().mesh().blocks()[0];
  IndexRange const all = vector.field().owned(block);
  std::vector<double> values(static_cast<std::size_t>(all.size()));
  vector.field().copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
  Index const before = vector.unknowns(block).begin[0];
  for (Index n = 0; n < all.size(); ++n) {
    bool const unknown = n % all.end[0] >= before;
    EXPECT_EQ(values[static_cast<std::size_t>(n)] == 5, !unknown) << n;
  }
}

TEST(Vector, ASwapLeavesOtherEntriesOfTheFields) {
  auto const u = make_vector<double>(Storage::interior_of_field, {12, 3});
  auto const x = u->create();
  auto& field = as_field_vector<double>(*u).field();
  auto& other = as_field_vector<double>(*x).field();
  field.fill(5);
  other.fill(7);
  u->fill(1);
  x->fill(2);
  u->swap(*x);
  Block const& block = field.mesh().blocks()[0];
  std::vector<double> values(static_cast<std::size_t>(field.owned(block).size()));
  field.copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
  for (double const value : values) EXPECT_TRUE(value == 2 || value == 5) << value;
  EXPECT_EQ(std::count(values.begin(), values.end(), 2), as_field_vector<double>(*u).unknowns(block).size());
}

TEST(Vector, ASwapOfAllEntriesMovesNone) {
  for (Storage const storage : {Storage::field, Storage::fields, Storage::array}) {
    auto const u = make_vector<double>(storage, {12, 3}, 2);
    auto const x = u->create();
    void const* const memory = u->memory();
    u->swap(*x);
    EXPECT_EQ(x->memory(), memory);
  }
}

TEST(Vector, OneOfSeveralFieldsIsAVectorWithItsMemory) {
  auto const several = make_vector<double>(Storage::fields, {9, 4}, 2);
  several->fill(1);
  FieldVector<double> const& all = as_field_vector<double>(*several);
  Index entries = 0;
  for (std::size_t n = 0; n < all.fields().size(); ++n) {
    FieldVector<double> one = all.of_field(n);
    EXPECT_EQ(one.fields().front(), all.fields()[n]);
    EXPECT_EQ(one.size(), FieldVector<double>(all.fields()[n]).size());
    one.fill(static_cast<double>(n));
    EXPECT_DOUBLE_EQ(one.square(), static_cast<double>(n * n) * static_cast<double>(one.size()));
    entries += one.size();
  }
  EXPECT_EQ(entries, several->size());
  EXPECT_EQ(several->maximum(), static_cast<double>(all.fields().size() - 1));
}

TEST(Vector, OperatorsOfOneFieldRefuseSeveral) {
  auto const several = make_vector<double>(Storage::fields, {9});
  EXPECT_EQ(as_field_vector<double>(*several).fields().size(), 2U);
  EXPECT_THAT([&] { (void)as_field_vector<double>(*several).field(); },
              testing::ThrowsMessage<DefectError>("a vector of `u` needs one field with one component"));
  EXPECT_THROW(FieldVector<double>(Fields<double>{}), DefectError);
}

TEST(Vector, AnEntryOfZeroOnOneRankCannotBeInvertedOnAny) {
  std::shared_ptr<Communicator> const communicator = test::communicator().split(0);
  ArrayVector<double> u(communicator, 3);
  u.fill(1);
  if (communicator->rank() == communicator->size() - 1) Kokkos::deep_copy(Kokkos::subview(u.values(), 1), 0.0);
  EXPECT_THAT([&] { u.invert(); },
              testing::ThrowsMessage<SolveError>(testing::StrEq("a diagonal has an entry of zero")));
}

TEST(Vector, OtherSpacesAreRefused) {
  auto const u = make_vector<double>(Storage::field, {9});
  auto const message = [](char const* text) { return testing::ThrowsMessage<DefectError>(testing::StrEq(text)); };
  auto const single = make_vector<float>(Storage::field, {9});
  auto const array = make_vector<double>(Storage::array, {9});
  auto const longer = make_vector<double>(Storage::field, {13});
  EXPECT_THAT([&] { u->copy(*single); }, message("vectors of different kinds or precisions cannot be combined"));
  EXPECT_THAT([&] { u->add(1, *array); }, message("vectors of different kinds or precisions cannot be combined"));
  EXPECT_THAT([&] { u->copy(*longer); }, message("vectors with different unknowns cannot be combined"));
  EXPECT_THAT([&] { (void)as_field_vector<float>(*u); },
              message("an operator on fields was given a vector of another kind or precision"));
  EXPECT_THAT(
      [&] {
        (void)u->start_products(std::array<Factors, 1>{{{*u, *longer}}});
      },
      message("vectors with different unknowns cannot be combined"));
  EXPECT_THAT(
      [&] {
        (void)u->start_products(std::array<Factors, 1>{{{*array, *array}}});
      },
      message("vectors of different kinds or precisions cannot be combined"));
  double dot = 0;
  EXPECT_THAT([&] { u->dots({}, {&dot, 1}); }, message("as many products as vectors"));
}

TEST(Vector, SumsRepeatToTheBitForAnyNumberOfThreads) {
  auto const u = make_vector<double>(Storage::field, {173, 41});
  u->randomize(4);
  double const first = u->square();
  test_problem::for_each_thread_count(as_field_vector<double>(*u).field().mesh(),
                                      [&] { EXPECT_EQ(u->square(), first); });
}

/// Only unknowns are written; all owned entries must have finite values.
TYPED_TEST(VectorTest, IsTheValuesOfAnExpression) {
  for (Storage const storage : {Storage::field, Storage::interior_of_field}) {
    for (auto const& [cells, blocks] :
         {std::pair{std::vector<Index>{4}, 1}, {{37, 9}, 1}, {{4, 5, 8}, 1}, {{5, 47}, 2}}) {
      auto const x = make_vector<TypeParam>(storage, cells, blocks);
      auto const& vector = as_field_vector<TypeParam>(*x);
      Field<TypeParam>& field = vector.field();
      Field<TypeParam> expected(field.shared_mesh(), field.description());
      Expression const expression("sin(x + 2*y)*exp(z - t)");
      expected.fill(expression, 0.5);
      field.fill(TypeParam{-7});
      evaluate<TypeParam>(expression, "a.source", 0.5, *x);
      for (Block const& block : field.mesh().blocks()) {
        test::HostCopy<TypeParam> values(field, block);
        test::HostCopy<TypeParam> all(expected, block);
        IndexRange const range = field.with_ghosts(block);
        for (Index k = range.begin[2]; k < range.end[2]; ++k) {
          for (Index j = range.begin[1]; j < range.end[1]; ++j) {
            for (Index i = range.begin[0]; i < range.end[0]; ++i) {
              bool const unknown = !intersection(vector.unknowns(block), {{i, j, k}, {i + 1, j + 1, k + 1}}).empty();
              ASSERT_EQ(values(0, i, j, k), unknown ? all(0, i, j, k) : TypeParam{-7});
            }
          }
        }
      }
      std::string const message =
          test::message_of([&] { evaluate<TypeParam>(Expression("t > 1 ? x/0 : 1"), "a.source", 2, *x); });
      EXPECT_THAT(message, testing::StartsWith("`a.source`: 't > 1 ? x/0 : 1' is not a finite number at ("));
    }
  }
}

}  // namespace
}  // namespace halocline
