#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "framework/operator/test_coupled.hpp"
#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/symmetry.hpp"

namespace halocline {
namespace {

using test_coupled::Problem;
using test_problem::make_mesh;
using test_problem::values_of;

std::vector<Problem> problems() {
  return {{{.cells = {17, 13}}},
          {{.cells = {4}}},
          {{.cells = {29}, .periodic = true}},
          {{.cells = {7, 5, 6}}, {1, 4}},
          {{.cells = {9, 8}, .periodic = true}, {0.5, 1}, 64},
          {{.cells = {130, 67}}},
          {{.cells = {19, 43}, .blocks_per_rank = 2}},
          {{.cells = {6, 5, 31}, .periodic = true, .blocks_per_rank = 2}},
          {{.cells = {61}, .blocks_per_rank = 3}}};
}

/// A star in one and three dimensions, a box in two.
template <class Real>
std::unique_ptr<Operator> make_operator(std::shared_ptr<StructuredMesh const> const& mesh, Problem const& problem) {
  if (mesh->dimensions() == 1) return test_coupled::make<Real, 1, false>(mesh, problem);
  if (mesh->dimensions() == 2) return test_coupled::make<Real, 2, true>(mesh, problem);
  return test_coupled::make<Real, 3, false>(mesh, problem);
}

std::shared_ptr<Communicator> all_ranks() { return test::communicator().split(0); }
std::shared_ptr<Communicator> this_rank_alone() { return test::communicator().split(test::communicator().rank()); }

/// Calls visit(component, i, j, k) with the global indices of this rank's unknowns, in the order of `values_of`.
template <class Visit>
void for_each_unknown(Mesh const& mesh, Visit const& visit) {
  for (std::size_t component = 0; component < 2; ++component) {
    for (Block const& block : mesh.blocks()) {
      IndexRange const box = mesh.global_owned(block.id, Centring::cell);
      for (Index k = box.begin[2]; k < box.end[2]; ++k) {
        for (Index j = box.begin[1]; j < box.end[1]; ++j) {
          for (Index i = box.begin[0]; i < box.end[0]; ++i) visit(component, i, j, k);
        }
      }
    }
  }
}

/// Expects that a vector shared by all ranks has the bits of one that this rank computed alone.
template <class Real>
void expect_same_bits(Mesh const& mesh, Vector const& shared, Vector const& alone) {
  auto const mine = values_of<Real>(shared);
  auto const all = values_of<Real>(alone);
  Extents const extents = mesh.extents(Centring::cell);
  std::size_t const points = all.size() / 2;
  std::size_t n = 0;
  for_each_unknown(mesh, [&](std::size_t component, Index i, Index j, Index k) {
    EXPECT_EQ(mine[n++], all[component * points + static_cast<std::size_t>(i + extents[0] * (j + extents[1] * k))]);
  });
  EXPECT_EQ(n, mine.size());
}

template <class Real>
class CoupledOperator : public testing::Test {
 protected:
  static constexpr auto rounding = static_cast<double>(std::numeric_limits<Real>::epsilon());
  static double difference(Vector const& a, Vector const& b) {
    auto const d = a.create();
    d->assign({{1, &a}, {-1, &b}});
    return d->maximum();
  }
  static std::unique_ptr<Vector> random(Operator const& a, std::uint64_t seed) {
    auto x = a.create_vector();
    x->randomize(seed);
    return x;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CoupledOperator, Precisions);

/// Reference: loops over a dense array.
TYPED_TEST(CoupledOperator, AppliesToAllUnknownsOfAPoint) {
  Problem const problem{{.cells = {11, 6}}};
  Index const nx = 11;
  Index const ny = 6;
  auto const a = make_operator<TypeParam>(make_mesh(this_rank_alone(), problem.mesh), problem);
  auto const x = this->random(*a, 1);
  auto const y = a->create_vector();
  a->apply(*x, *y);
  EXPECT_EQ(x->size(), 2 * nx * ny);
  auto const u = values_of<TypeParam>(*x);
  auto const result = values_of<TypeParam>(*y);
  auto const at = [&](std::size_t c, Index i, Index j) {
    bool const outside = i < 0 || i >= nx || j < 0 || j >= ny;
    return outside ? 0.0 : static_cast<double>(u[c * u.size() / 2 + static_cast<std::size_t>(i + nx * j)]);
  };
  for (std::size_t c = 0; c < 2; ++c) {
    for (Index j = 0; j < ny; ++j) {
      for (Index i = 0; i < nx; ++i) {
        double const rate = 4.0 * static_cast<double>((5 * i + 3 * j) % 8) / 8;
        double const differences =
            4 * at(c, i, j) - at(c, i + 1, j) - at(c, i - 1, j) - at(c, i, j + 1) - at(c, i, j - 1);
        double const mixed =
            (at(1 - c, i + 1, j + 1) - at(1 - c, i - 1, j + 1) - at(1 - c, i + 1, j - 1) + at(1 - c, i - 1, j - 1)) / 8;
        double const expected =
            0.5 * at(c, i, j) + problem.diffusivity[c] * differences + rate * (at(c, i, j) - at(1 - c, i, j)) + mixed;
        EXPECT_NEAR(static_cast<double>(result[c * u.size() / 2 + static_cast<std::size_t>(i + nx * j)]), expected,
                    32 * this->rounding);
      }
    }
  }
}

TYPED_TEST(CoupledOperator, EveryRankCountGivesTheSameBits) {
  for (Problem const& problem : problems()) {
    auto const a = make_operator<TypeParam>(make_mesh(all_ranks(), problem.mesh), problem);
    Problem one_block = problem;
    one_block.mesh.blocks_per_rank = 1;
    auto const mesh = make_mesh(all_ranks(), problem.mesh);
    auto const whole = make_operator<TypeParam>(make_mesh(this_rank_alone(), one_block.mesh), one_block);
    EXPECT_EQ(a->norm_bound(), whole->norm_bound());
    auto const expect_same = [&](auto const& work) {
      auto const result = [&](Operator const& op) {
        auto const b = this->random(op, 1);
        auto x = this->random(op, 2);
        auto y = op.create_vector();
        work(op, *b, x, *y);
        return std::pair(std::move(x), std::move(y));
      };
      auto const [x, y] = result(*a);
      auto const [expected_x, expected_y] = result(*whole);
      expect_same_bits<TypeParam>(*mesh, *x, *expected_x);
      expect_same_bits<TypeParam>(*mesh, *y, *expected_y);
    };
    using Made = std::unique_ptr<Vector>;
    expect_same([](Operator const& op, Vector const&, Made& x, Vector& y) { op.apply(*x, y); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector& y) { (void)op.residual(b, *x, y); });
    expect_same([](Operator const& op, Vector const&, Made&, Vector& y) { EXPECT_TRUE(op.diagonal(y)); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector&) { op.relaxation()->relax(true, b, *x); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector&) { op.relaxation()->relax(false, b, *x); });
    expect_same(
        [](Operator const& op, Vector const& b, Made& x, Vector& y) { (void)op.jacobi()->step(0.75, b, *x, y); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector& y) {
      auto const d = op.create_vector();
      op.chebyshev()->step({.direction = 0, .residual = 0.5}, b, *x, *d, y);
      op.chebyshev()->step({.direction = 0.25, .residual = 0.5}, b, y, *d, *x);
    });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector& y) {
      Made p = op.create_vector();
      Made q = op.create_vector();
      for (int step = 0; step < 3; ++step) (void)op.cg()->direction_apply_and_dot(0.5, 0.25, b, *x, p, q);
      y.copy(b);
      (void)op.cg()->update_and_square(0.125, *p, *q, y, {});
    });
  }
}

TYPED_TEST(CoupledOperator, IsSymmetricAndBounded) {
  for (Problem const& problem : problems()) {
    auto const a = make_operator<TypeParam>(make_mesh(all_ranks(), problem.mesh), problem);
    auto const [x, ax] = test::expect_symmetric(*a, 8 * this->rounding);
    // The norm of A is at least what any vector shows, here one that alternates between the unknowns of a point too.
    EXPECT_LE(ax->maximum(), a->norm_bound() * x->maximum());
  }
}

/// The infinity norm from all entries.
TYPED_TEST(CoupledOperator, TheNormIsThatOfTheMatrix) {
  Problem const problem{{.cells = {4, 3}}};
  auto const a = make_operator<TypeParam>(make_mesh(this_rank_alone(), problem.mesh), problem);
  auto const mesh = make_mesh(this_rank_alone(), problem.mesh);
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  auto const d = a->create_vector();
  ASSERT_TRUE(a->diagonal(*d));
  auto const diagonal = values_of<TypeParam>(*d);
  std::vector<double> sums(24, 0.0);
  for (std::size_t column = 0; column < 24; ++column) {
    x->fill(0);
    Field<TypeParam>& field = *as_field_vector<TypeParam>(*x).fields().front();
    std::vector<TypeParam> unit(12, TypeParam{0});
    unit[column % 12] = 1;
    field.set_owned(mesh->blocks().front(), static_cast<int>(column / 12), std::as_bytes(std::span(unit)));
    a->apply(*x, *y);
    auto const entries = values_of<TypeParam>(*y);
    for (std::size_t row = 0; row < 24; ++row) sums[row] += std::abs(static_cast<double>(entries[row]));
    EXPECT_NEAR(static_cast<double>(diagonal[column]), static_cast<double>(entries[column]),
                8 * this->rounding * a->norm_bound());
  }
  double const norm = *std::max_element(sums.begin(), sums.end());
  // Beside walls rows have fewer entries, so the bound is that of the point with the largest rate.
  EXPECT_LE(norm, a->norm_bound() * (1 + 32 * this->rounding));
  EXPECT_GE(norm, 0.7 * a->norm_bound());
}

/// Without diffusion the unknowns of different points are not coupled: one step then solves, however strong the
/// coupling within points is.
TYPED_TEST(CoupledOperator, SmoothersSolveForTheUnknownsOfAPointTogether) {
  for (auto const& cells : {std::vector<Index>{29}, {5, 4, 7}}) {
    Problem const problem{{.cells = cells}, {0, 0}, 1000};
    auto const a = make_operator<TypeParam>(make_mesh(all_ranks(), problem.mesh), problem);
    auto const b = this->random(*a, 1);
    auto const x = this->random(*a, 2);
    auto const r = a->create_vector();
    // Elimination multiplies the rounding of b by the condition of a block, 2 * 1000 / 0.5 at most.
    double const solved = 8 * this->rounding * 4000;
    auto const expect_solved = [&](Vector const& found) {
      (void)a->residual(*b, found, *r);
      EXPECT_LE(r->maximum(), solved);
    };
    auto const y = a->create_vector();
    JacobiSquares const squares = a->jacobi()->step(1, *b, *x, *y);
    expect_solved(*y);
    EXPECT_NEAR(squares.residual, a->residual(*b, *x, *r), 1e3 * this->rounding * squares.residual);
    r->assign({{1, y.get()}, {-1, x.get()}});
    EXPECT_NEAR(squares.change, r->square(), 1e3 * this->rounding * squares.change);
    auto const d = a->create_vector();
    a->chebyshev()->step({.direction = 0, .residual = 1}, *b, *x, *d, *y);
    expect_solved(*y);
    d->fill(0);
    a->chebyshev()->step({.direction = 1, .residual = 1}, *b, *x, *d, *y);
    expect_solved(*y);
    a->relaxation()->relax(true, *b, *x);
    expect_solved(*x);
  }
}

TYPED_TEST(CoupledOperator, RelaxationsTakeOneColourAfterTheOther) {
  for (Problem const& problem : problems()) {
    auto const mesh = make_mesh(all_ranks(), problem.mesh);
    auto const a = make_operator<TypeParam>(mesh, problem);
    int const colours = mesh->dimensions() == 2 ? 4 : 2;
    ASSERT_EQ(a->relaxation()->colours(), colours);
    auto const b = this->random(*a, 1);
    auto const x = this->random(*a, 2);
    auto const r = a->create_vector();
    // Forward and backward are adjoint in the scalar product of A.
    auto const zero = a->create_vector();
    auto const y = this->random(*a, 3);
    auto const ax = a->create_vector();
    auto const ay = a->create_vector();
    a->apply(*x, *ax);
    a->apply(*y, *ay);
    double const scale = a->norm_bound() * std::sqrt(x->square() * y->square());
    a->relaxation()->relax(true, *zero, *x);
    a->relaxation()->relax(false, *zero, *y);
    EXPECT_NEAR(x->dot(*ay), ax->dot(*y), 64 * this->rounding * scale);
    if (problem.mesh.periodic) continue;  // an odd number of cells has neighbours of one colour
    a->relaxation()->relax(true, *b, *x);
    (void)a->residual(*b, *x, *r);
    auto const left = values_of<TypeParam>(*r);
    std::size_t n = 0;
    double most = 0;
    for_each_unknown(*mesh, [&](std::size_t, Index i, Index j, Index k) {
      double const value = std::abs(static_cast<double>(left[n++]));
      bool const is_last = colours == 2 ? (i + j + k) % 2 == 1 : (i + j) % 2 == 1 && j % 2 == 1;
      if (is_last) most = std::max(most, value);
    });
    EXPECT_LE(most, 64 * this->rounding * a->norm_bound()) << "the last colour";
    EXPECT_GT(r->maximum(), 1e-3) << "the others";
  }
}

/// The same operator with only the required methods.
class Plain final : public Operator {
 public:
  explicit Plain(Operator const& a) : a_(a) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override { a_.apply(x, y); }

 private:
  Operator const& a_;
};

TYPED_TEST(CoupledOperator, StepsOfConjugateGradientsAreThoseOfApplyAndDot) {
  for (Problem const& problem : problems()) {
    auto const a = make_operator<TypeParam>(make_mesh(all_ranks(), problem.mesh), problem);
    Plain const plain(*a);
    auto const z = this->random(*a, 1);
    std::unique_ptr<Vector> v[6];
    for (auto& each : v) each = a->create_vector();
    auto& [x, p, q, plain_x, plain_p, plain_q] = v;
    auto const r = a->create_vector();
    auto const plain_r = a->create_vector();
    auto const scaled = a->create_vector();
    auto const plain_scaled = a->create_vector();
    auto const d = this->random(*a, 3);
    double const norm = a->norm_bound();
    double const sum = 64 * norm * static_cast<double>(z->size()) * this->rounding;
    for (int step = 0; step < 4; ++step) {
      double const alpha = step == 0 ? 0 : 0.5;
      double const beta = step == 0 ? 0 : 0.25;
      EXPECT_NEAR(cg_steps(*a)->direction_apply_and_dot(alpha, beta, *z, *x, p, q),
                  cg_steps(plain)->direction_apply_and_dot(alpha, beta, *z, *plain_x, plain_p, plain_q), sum);
      EXPECT_LE(this->difference(*x, *plain_x), 16 * this->rounding);
      EXPECT_LE(this->difference(*p, *plain_p), 16 * this->rounding);
      r->copy(*z);
      plain_r->copy(*z);
      CgScaling const scaling{step % 2 == 0 ? nullptr : d.get(), scaled.get()};
      CgScaling const plain_scaling{scaling.inverse, plain_scaled.get()};
      CgUpdate const found = cg_steps(*a)->update_and_square(0.125, *p, *q, *r, scaling);
      CgUpdate const expected = cg_steps(plain)->update_and_square(0.125, *plain_p, *plain_q, *plain_r, plain_scaling);
      EXPECT_NEAR(found.square, expected.square, norm * sum);
      ASSERT_EQ(found.product.has_value(), static_cast<bool>(scaling));
      ASSERT_EQ(expected.product.has_value(), static_cast<bool>(scaling));
      EXPECT_NEAR(found.product.value_or(0), expected.product.value_or(0), norm * sum);
      EXPECT_LE(this->difference(*r, *plain_r), 16 * this->rounding * (1 + norm));
      EXPECT_LE(this->difference(*scaled, *plain_scaled), 16 * this->rounding * (1 + norm));
    }
  }
}

TYPED_TEST(CoupledOperator, RefusesVectorsOfOtherUnknowns) {
  Problem const problem{{.cells = {9, 8}}};
  auto const mesh = make_mesh(all_ranks(), problem.mesh);
  auto const a = make_operator<TypeParam>(mesh, problem);
  auto const y = a->create_vector();
  auto const one = std::make_shared<Field<TypeParam>>(mesh, FieldDescription{.name = "one"});
  auto const another = std::make_shared<Field<TypeParam>>(mesh, FieldDescription{.name = "another"});
  EXPECT_THROW(a->apply(FieldVector<TypeParam>(one), *y), DefectError);
  EXPECT_THROW(a->apply(FieldVector<TypeParam>(Fields<TypeParam>{one, another}), *y), DefectError);
}

template <class Real, int Count>
void expect_solution(std::array<std::array<double, Count>, Count> const& rows) {
  stencil_functor::PointBlock<Real, Count> block{};
  Values<Real, Count> x{};
  Values<Real, Count> r{};
  double norm = 0;
  for (int row = 0; row < Count; ++row) x.value[row] = static_cast<Real>(row - 1.5);
  for (int row = 0; row < Count; ++row) {
    for (int column = 0; column < Count; ++column) {
      Real const entry = static_cast<Real>(rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]);
      block.entry[row][column] = entry;
      r.value[row] += entry * x.value[column];
      norm = std::max(norm, std::abs(static_cast<double>(entry)));
    }
  }
  Values<Real, Count> const found = block.solve(Real{2}, r);
  for (int row = 0; row < Count; ++row) {
    EXPECT_NEAR(static_cast<double>(found.value[row]), 2 * static_cast<double>(x.value[row]),
                256 * static_cast<double>(std::numeric_limits<Real>::epsilon()))
        << row;
  }
}

TYPED_TEST(CoupledOperator, BlocksOfPointsAreSolvedWithPivots) {
  expect_solution<TypeParam, 2>({{{2, 1}, {1, 3}}});
  expect_solution<TypeParam, 2>({{{0, 1}, {1, 0}}});  // no pivot in the first place
  expect_solution<TypeParam, 3>({{{4, 1, 0}, {1, 5, 2}, {0, 2, 6}}});
  expect_solution<TypeParam, 3>({{{0, 2, 1}, {1, 0, 0}, {3, 1, 0}}});
  expect_solution<TypeParam, 3>({{{1, 2, 3}, {2, 4, 1}, {1, 1, 1}}});  // none in the second place after the first step
  expect_solution<TypeParam, 4>({{{0, 0, 0, 3}, {2, 0, 1, 0}, {0, 1, 0, 1}, {1, 0, 4, 0}}});
}

}  // namespace
}  // namespace halocline
