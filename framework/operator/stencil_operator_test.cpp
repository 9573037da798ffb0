#include "framework/operator/stencil_operator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/halo/transport.hpp"
#include "framework/operator/crs_operator.hpp"
#include "framework/operator/generic_steps.hpp"
#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/symmetry.hpp"

namespace halocline {
namespace {

using test_problem::make_operator;
using test_problem::mesh_of;
using test_problem::values_of;
using test_problem::Wall;

/// The same operator with only the required methods and its diagonal.
class Plain final : public Operator {
 public:
  explicit Plain(Operator const& a) : a_(a) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override { a_.apply(x, y); }
  [[nodiscard]] bool diagonal(Vector& d) const override { return a_.diagonal(d); }

 private:
  Operator const& a_;
};

std::shared_ptr<Communicator> all_ranks() { return test::communicator().split(0); }
std::shared_ptr<Communicator> this_rank_alone() { return test::communicator().split(test::communicator().rank()); }

std::vector<test_problem::Options> problems() {
  return {{.cells = {17, 13}},
          {.cells = {7, 5, 6}, .wall = Wall::insulated, .shift = 0.5},
          {.cells = {29}, .contrast = 100},
          {.cells = {4}},
          {.cells = {9, 8}, .periodic = true, .shift = 1},
          {.cells = {130, 67}, .wall = Wall::insulated, .shift = 0.01},
          {.cells = {19, 43}, .blocks_per_rank = 2},
          {.cells = {6, 5, 31}, .periodic = true, .shift = 1, .blocks_per_rank = 2},
          {.cells = {61}, .wall = Wall::insulated, .shift = 0.5, .blocks_per_rank = 3}};
}

template <class Real>
class StencilOperatorTest : public testing::Test {
 protected:
  /// Largest difference of entries, in units of the last place of numbers of magnitude 1.
  static double difference(Vector const& a, Vector const& b) {
    auto const d = a.create();
    d->copy(a);
    d->add(-1, b);
    return d->maximum() / static_cast<double>(std::numeric_limits<Real>::epsilon());
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(StencilOperatorTest, Precisions);

TYPED_TEST(StencilOperatorTest, ConstantCoefficientsGiveTheFivePointLaplacian) {
  Index const nx = 11;
  Index const ny = 6;
  auto const a = make_operator<TypeParam>(this_rank_alone(), {.cells = {nx, ny}, .shift = 0.25, .contrast = 0});
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  x->randomize(1);
  a->apply(*x, *y);
  auto const u = values_of<TypeParam>(*x);
  auto const result = values_of<TypeParam>(*y);
  auto const at = [&](Index i, Index j) {
    bool const outside = i < 0 || i >= nx || j < 0 || j >= ny;
    return outside ? 0.0 : static_cast<double>(u[static_cast<std::size_t>(i + nx * j)]);
  };
  for (Index j = 0; j < ny; ++j) {
    for (Index i = 0; i < nx; ++i) {
      // A cold wall half a cell away doubles the coefficient of its face.
      int const walls = (i == 0) + (i == nx - 1) + (j == 0) + (j == ny - 1);
      double const expected = (4.25 + walls) * at(i, j) - at(i - 1, j) - at(i + 1, j) - at(i, j - 1) - at(i, j + 1);
      EXPECT_NEAR(static_cast<double>(result[static_cast<std::size_t>(i + nx * j)]), expected,
                  16 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
    }
  }
}

/// Calls visit(i, j, k) with the global indices of this rank's cells, in the order of `values_of`.
template <class Visit>
void for_each_cell(Mesh const& mesh, Visit const& visit) {
  for (Block const& block : mesh.blocks()) {
    IndexRange const box = mesh.global_owned(block.id, Centring::cell);
    for (Index k = box.begin[2]; k < box.end[2]; ++k) {
      for (Index j = box.begin[1]; j < box.end[1]; ++j) {
        for (Index i = box.begin[0]; i < box.end[0]; ++i) visit(i, j, k);
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
  std::size_t n = 0;
  for_each_cell(mesh, [&](Index i, Index j, Index k) {
    EXPECT_EQ(mine[n++], all[static_cast<std::size_t>(i + extents[0] * (j + extents[1] * k))]);
  });
  EXPECT_EQ(n, mine.size());
}

TYPED_TEST(StencilOperatorTest, EveryRankCountGivesTheSameBits) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    test_problem::Options one_block = options;
    one_block.blocks_per_rank = 1;
    auto const whole = make_operator<TypeParam>(this_rank_alone(), one_block);
    EXPECT_EQ(a->norm_bound(), whole->norm_bound());
    auto const expect_same = [&](auto const& work) {
      auto const result = [&work](Operator const& op) {
        auto const b = op.create_vector();
        auto x = op.create_vector();
        auto y = op.create_vector();
        b->randomize(1);
        x->randomize(2);
        work(op, *b, x, *y);
        return std::pair(std::move(x), std::move(y));
      };
      auto const [x, y] = result(*a);
      auto const [expected_x, expected_y] = result(*whole);
      expect_same_bits<TypeParam>(mesh_of<TypeParam>(*a), *x, *expected_x);
      expect_same_bits<TypeParam>(mesh_of<TypeParam>(*a), *y, *expected_y);
    };
    using Made = std::unique_ptr<Vector>;
    expect_same([](Operator const& op, Vector const&, Made& x, Vector& y) { op.apply(*x, y); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector& y) { (void)op.residual(b, *x, y); });
    expect_same([](Operator const& op, Vector const&, Made&, Vector& y) { EXPECT_TRUE(op.diagonal(y)); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector&) { op.relaxation()->relax(true, b, *x); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector&) { op.relaxation()->relax(false, b, *x); });
    expect_same([](Operator const& op, Vector const& b, Made& x, Vector& y) {
      op.jacobi()->start_step(0, 0.75, b, *x, y);
      (void)op.jacobi()->squares(0);
    });
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

TYPED_TEST(StencilOperatorTest, IsSymmetric) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    static_cast<void>(test::expect_symmetric(*a, 8 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon())));
  }
}

// Entries differ by the rounding of a few operations on numbers no larger than ||A||; sums by that of their terms.
TYPED_TEST(StencilOperatorTest, CapabilitiesDoWhatTheFallbacksDo) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    Plain const plain(*a);
    auto const make = [&](std::uint64_t seed) {
      auto v = a->create_vector();
      v->randomize(seed);
      return v;
    };
    auto const b = make(1);
    auto const x = make(2);
    double const norm = a->norm_bound();
    double const entry = 16 * norm;
    double const sum = 16 * norm * norm * static_cast<double>(b->size()) *
                       static_cast<double>(std::numeric_limits<TypeParam>::epsilon());

    auto r = make(3);
    auto expected = make(4);
    EXPECT_NEAR(a->residual(*b, *x, *r), plain.residual(*b, *x, *expected), sum);
    EXPECT_LE(this->difference(*r, *expected), entry);
    EXPECT_NEAR(apply_dot(*a, *x, *r), apply_dot(plain, *x, *expected), sum);
    EXPECT_LE(this->difference(*r, *expected), entry);

    JacobiSquares const squares = jacobi_steps(*a)->step(0.75, *b, *x, *r);
    JacobiSquares const plain_squares = jacobi_steps(plain)->step(0.75, *b, *x, *expected);
    EXPECT_NEAR(squares.residual, plain_squares.residual, sum);
    EXPECT_NEAR(squares.change, plain_squares.change, sum);
    EXPECT_LE(this->difference(*r, *expected), entry);

    auto direction = make(5);
    auto plain_direction = make(6);
    chebyshev_steps(*a)->step({.direction = 0, .residual = 0.5}, *b, *x, *direction, *r);
    chebyshev_steps(plain)->step({.direction = 0, .residual = 0.5}, *b, *x, *plain_direction, *expected);
    EXPECT_LE(this->difference(*r, *expected), entry);
    EXPECT_LE(this->difference(*direction, *plain_direction), entry);
    chebyshev_steps(*a)->step({.direction = 0.25, .residual = 0.5}, *b, *x, *direction, *r);
    chebyshev_steps(plain)->step({.direction = 0.25, .residual = 0.5}, *b, *x, *plain_direction, *expected);
    EXPECT_LE(this->difference(*r, *expected), entry);
    EXPECT_LE(this->difference(*direction, *plain_direction), entry);
  }
}

// Kernels that are replayed as a graph, exchange included, give the same results as when enqueued one by one.
TYPED_TEST(StencilOperatorTest, RepeatedStepsOfJacobiAreThoseOfNewOperators) {
  for (TransportEntry const& entry : known_transports()) {
    if (!entry.obstacle.empty()) continue;
    std::string const obstacle = entry.probe == nullptr ? "" : entry.probe(test::communicator());
    if (test::communicator().any(!obstacle.empty())) continue;
    for (auto options : problems()) {
      options.transport = entry.make();
      auto const mesh = test_problem::make_mesh(all_ranks(), options);
      auto const a = make_operator<TypeParam>(mesh, options);
      auto const b = a->create_vector();
      b->randomize(1);
      std::unique_ptr<Vector> x[2] = {a->create_vector(), a->create_vector()};
      auto const expected = a->create_vector();
      x[0]->randomize(2);
      for (std::size_t step = 0; step < 9; ++step) {
        Vector const& before = *x[step % 2];
        Vector& after = *x[(step + 1) % 2];
        auto const buffer = static_cast<int>(step % 2);
        a->jacobi()->start_step(buffer, 0.75, *b, before, after);
        JacobiSquares const squares = a->jacobi()->squares(buffer);
        auto const other = make_operator<TypeParam>(mesh, options);
        JacobiSquares const expected_squares = jacobi_steps(*other)->step(0.75, *b, before, *expected);
        EXPECT_EQ(squares.change, expected_squares.change) << entry.name << ", step " << step;
        EXPECT_EQ(squares.residual, expected_squares.residual) << entry.name << ", step " << step;
        EXPECT_EQ(this->difference(after, *expected), 0) << entry.name << ", step " << step;
        // Another exchange of the same operator runs in between.
        if (step == 4) (void)a->residual(*b, after, *expected);
      }
    }
  }
}

TYPED_TEST(StencilOperatorTest, StepsOfConjugateGradientsDoWhatTheFallbackDoes) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    Plain const plain(*a);
    auto const z = a->create_vector();
    z->randomize(1);
    std::unique_ptr<Vector> v[6];
    for (auto& each : v) each = a->create_vector();
    auto& [x, p, q, plain_x, plain_p, plain_q] = v;
    auto const r = a->create_vector();
    auto const plain_r = a->create_vector();
    auto const scaled = a->create_vector();
    auto const plain_scaled = a->create_vector();
    auto const d = a->create_vector();
    d->randomize(3);
    double const norm = a->norm_bound();
    double const sum =
        64 * norm * static_cast<double>(z->size()) * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    for (int step = 0; step < 4; ++step) {
      double const alpha = step == 0 ? 0 : 0.5;
      double const beta = step == 0 ? 0 : 0.25;
      EXPECT_NEAR(cg_steps(*a)->direction_apply_and_dot(alpha, beta, *z, *x, p, q),
                  cg_steps(plain)->direction_apply_and_dot(alpha, beta, *z, *plain_x, plain_p, plain_q), sum);
      EXPECT_LE(this->difference(*x, *plain_x), 16);
      EXPECT_LE(this->difference(*p, *plain_p), 16);
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
      EXPECT_LE(this->difference(*r, *plain_r), 16 * (1 + norm));
      EXPECT_LE(this->difference(*scaled, *plain_scaled), 16 * (1 + norm));
    }
  }
}

/// The largest magnitude among the red entries of a vector on `mesh`, and among the black ones.
template <class Real>
std::array<double, 2> largest_by_colour(Mesh const& mesh, Vector const& x) {
  auto const values = values_of<Real>(x);
  std::array<double, 2> largest{};
  std::size_t n = 0;
  for_each_cell(mesh, [&](Index i, Index j, Index k) {
    double& colour = largest[static_cast<std::size_t>((i + j + k) % 2)];
    colour = std::max(colour, std::abs(static_cast<double>(values[n++])));
  });
  test::communicator().max(largest);
  return largest;
}

TYPED_TEST(StencilOperatorTest, RedBlackRelaxationTakesOneColourAfterTheOther) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    auto const r = a->create_vector();
    auto const change = a->create_vector();
    b->randomize(1);
    for (bool const forward : {true, false}) {
      x->randomize(2);
      change->copy(*x);
      a->relaxation()->relax(forward, *b, *x);
      (void)a->residual(*b, *x, *r);
      change->add(-1, *x);
      // The last colour has no residual left, the other one has; both have changed.
      auto const left = largest_by_colour<TypeParam>(mesh_of<TypeParam>(*a), *r);
      auto const changed = largest_by_colour<TypeParam>(mesh_of<TypeParam>(*a), *change);
      // On a periodic axis with an odd number of cells, two neighbours have the same colour.
      bool const two_colours = !options.periodic;
      double const rounding = 16 * a->norm_bound() * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
      if (two_colours) {
        EXPECT_LE(left[forward ? 1 : 0], rounding);
      }
      EXPECT_GT(left[forward ? 0 : 1], rounding);
      EXPECT_GT(changed[0], 0.01);
      EXPECT_GT(changed[1], 0.01);
    }
  }
}

/// Couples a point to all points of its shape: the diagonal is slightly above the number of neighbours.
template <class Real, Shape Reach>
struct AllNeighbours {
  static constexpr Shape shape = Reach;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    constexpr int radius = Reach.radius;
    constexpr int width = 2 * radius + 1;
    return [&]<int... N>(std::integer_sequence<int, N...>) {
      auto const term = [&]<int X, int Y, int Z>(Offset<X, Y, Z> offset) {
        if constexpr (X == 0 && Y == 0 && Z == 0) return static_cast<Real>(width * width * width) * u[here];
        if constexpr (stencil_functor::reads<AllNeighbours, X, Y, Z>) return -u[offset];
        return Real{0};
      };
      return (Real{0} + ... +
              term(Offset<N % width - radius, N / width % width - radius, N / (width * width) - radius>{}));
    }
    (std::make_integer_sequence<int, width * width * width>());
  }
};

/// Only the Gauss-Seidel part of a StencilOperator, because the whole would compile ten times as long.
template <class Real, Shape Reach>
struct Relaxed {
  using Functor = AllNeighbours<Real, Reach>;
  Relaxed(std::shared_ptr<Communicator> ranks, test_problem::Options const& options)
      : core({.mesh = test_problem::make_mesh(std::move(ranks), options), .functor = {}}) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const {
    return std::make_unique<FieldVector<Real>>(core.make_field(), core.unknowns);
  }
  void apply(Vector const& x, Vector& y) const {
    core.halo.over({&core.field(x)}, [&](Block const& block, IndexRange const& box, std::size_t) {
      core.run(block, box, core.output(y, block), core.functor(), core.view(x, block));
    });
  }

  StencilCore<Real, Functor, 0> core;
  StencilRelaxation<Real, Functor, 0> relaxation{core};
};

/// Checks Gauss-Seidel relaxations on a mesh of these cells: the number of colours; forward and backward are adjoint in
/// the scalar product of A, leave no residual on the last colour, and have the same bits on any number of ranks.
template <class Real, Shape Reach>
void expect_relaxations(std::vector<Index> const& cells, bool periodic, int colours, int blocks_per_rank = 1) {
  test_problem::Options options{.cells = cells, .periodic = periodic, .blocks_per_rank = blocks_per_rank};
  Relaxed<Real, Reach> const a(all_ranks(), options);
  ASSERT_EQ(a.relaxation.colours(), colours);
  auto const zero = a.create_vector();
  auto const x = a.create_vector();
  auto const y = a.create_vector();
  auto const ax = a.create_vector();
  auto const ay = a.create_vector();
  x->randomize(1);
  y->randomize(2);
  a.apply(*x, *ax);
  a.apply(*y, *ay);
  double const norm = 2 * std::pow(2 * Reach.radius + 1, 3);
  double const scale = norm * std::sqrt(x->square() * y->square());
  a.relaxation.relax(true, *zero, *x);
  a.relaxation.relax(false, *zero, *y);
  EXPECT_NEAR(x->dot(*ay), ax->dot(*y), 16 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * scale);

  options.blocks_per_rank = 1;
  Relaxed<Real, Reach> const whole(this_rank_alone(), options);
  auto const alone = whole.create_vector();
  auto const b = whole.create_vector();
  alone->randomize(1);
  whole.relaxation.relax(true, *b, *alone);
  expect_same_bits<Real>(a.core.mesh(), *x, *alone);
}

TYPED_TEST(StencilOperatorTest, RelaxationsTakeAsManyColoursAsTheShapeNeeds) {
  for (bool const periodic : {false, true}) {
    expect_relaxations<TypeParam, star<2, 1>>({37}, periodic, 3);
    expect_relaxations<TypeParam, star<1, 2>>({17, 13}, periodic, 2);
    expect_relaxations<TypeParam, star<2, 2>>({17, 13}, periodic, 3);
    expect_relaxations<TypeParam, box<1, 2>>({17, 13}, periodic, 4);
    expect_relaxations<TypeParam, box<1, 3>>({9, 8, 7}, periodic, 8);
    // Widths 1 and 2 and corners, some of which belong to another block of this rank.
    expect_relaxations<TypeParam, star<2, 2>>({17, 29}, periodic, 3, 2);
    expect_relaxations<TypeParam, box<1, 2>>({17, 29}, periodic, 4, 2);
    expect_relaxations<TypeParam, box<1, 3>>({9, 8, 19}, periodic, 8, 2);
  }
  expect_relaxations<TypeParam, line<1, 1>>({4, 29}, false, 2);
}

/// Reference: relaxes one unknown after the other.
TEST(StencilOperator, ARelaxationOfNinePointsIsGaussSeidelInFourColours) {
  Index const nx = 7;
  Index const ny = 5;
  Relaxed<double, box<1, 2>> const a(this_rank_alone(), {.cells = {nx, ny}});
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  for (bool const forward : {true, false}) {
    b->randomize(1);
    x->randomize(2);
    auto const right = values_of<double>(*b);
    auto expected = values_of<double>(*x);
    a.relaxation.relax(forward, *b, *x);
    auto const at = [&](Index i, Index j) { return static_cast<std::size_t>(i + nx * j); };
    Index const first_points[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    for (Index n = 0; n < 4; ++n) {
      Index const(&first)[2] = first_points[forward ? n : 3 - n];
      for (Index j = first[1]; j < ny; j += 2) {
        for (Index i = first[0]; i < nx; i += 2) {
          double sum = right[at(i, j)];
          for (Index q = std::max<Index>(j - 1, 0); q <= std::min(j + 1, ny - 1); ++q) {
            for (Index p = std::max<Index>(i - 1, 0); p <= std::min(i + 1, nx - 1); ++p) {
              if (p != i || q != j) sum += expected[at(p, q)];
            }
          }
          expected[at(i, j)] = sum / 27;
        }
      }
    }
    auto const swept = values_of<double>(*x);
    for (std::size_t n = 0; n < swept.size(); ++n) EXPECT_NEAR(swept[n], expected[n], 1e-14);
  }
}

TYPED_TEST(StencilOperatorTest, DiagonalAndNormAreThoseOfTheMatrix) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    auto const d = a->create_vector();
    auto const probed = a->create_vector();
    ASSERT_TRUE(a->diagonal(*d));
    ASSERT_TRUE(CrsOperator<TypeParam>(*a, 1).diagonal(*probed));
    double const norm = a->norm_bound();
    EXPECT_LE(this->difference(*d, *probed), 8 * norm);
    // Off-diagonal entries are negative, so a checkerboard of signs reaches the sum of magnitudes away from walls.
    auto const x = a->create_vector();
    auto const y = a->create_vector();
    x->randomize(1);
    a->apply(*x, *y);
    EXPECT_LE(y->maximum(), norm * x->maximum() * 1.0001);
    EXPECT_GE(norm, d->maximum());
    EXPECT_LE(norm, 2.0001 * d->maximum());
  }
}

TYPED_TEST(StencilOperatorTest, ProductsAreSubtractedAsInResiduals) {
  for (auto const& options : problems()) {
    auto const a = make_operator<TypeParam>(all_ranks(), options);
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    auto const r = a->create_vector();
    auto const subtracted = a->create_vector();
    b->randomize(1);
    x->randomize(2);
    (void)a->residual(*b, *x, *r);
    a->subtract_product(*b, *x, *subtracted);
    EXPECT_EQ(values_of<TypeParam>(*subtracted), values_of<TypeParam>(*r));
  }
}

/// Provides its diagonal and a bound of its row sums, which differ from the matrix so that it shows which are used.
struct WithOwnDiagonal {
  static constexpr Shape shape = star<1, 1>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class K>
  KOKKOS_FUNCTION double operator()(P const&, U const& u, K const& k) const {
    return k[here] * ((u[here] - u[west]) + (u[here] - u[east]));
  }
  template <class P, class K>
  KOKKOS_FUNCTION double diagonal(P const&, K const& k) const {
    return double{16} * k[here];
  }
  template <class P, class K>
  KOKKOS_FUNCTION double row_sum(P const&, K const& k) const {
    return double{64} * k[here];
  }
};

TEST(StencilOperator, TakesTheDiagonalAndTheRowSumThatAFunctorProvides) {
  auto const mesh = test_problem::make_mesh(all_ranks(), {.cells = {13}});
  auto const k = std::make_shared<Field<double>>(mesh, FieldDescription{.name = "k", .ghosts = 0});
  k->fill(0.5);
  StencilOperator<double, WithOwnDiagonal, 1> const a({.mesh = mesh, .functor = {}, .coefficients = {k}});
  auto const d = a.create_vector();
  ASSERT_TRUE(a.diagonal(*d));
  for (double const entry : values_of<double>(*d)) EXPECT_EQ(entry, 8);
  EXPECT_EQ(a.norm_bound(), 32);
}

TEST(StencilOperator, EliminatedEntriesStayZero) {
  auto const communicator = all_ranks();
  test_problem::Options const options{.cells = {13, 9}, .contrast = 0};
  auto const mesh = test_problem::make_mesh(communicator, options);
  std::vector<IndexRange> unknowns;
  for (Block const& block : mesh->blocks()) {
    IndexRange range = mesh->owned(block, Centring::cell);
    if (block.cells.begin[0] == 0) range.begin[0] = 1;
    unknowns.push_back(range);
  }
  auto const a = make_operator<double>(mesh, options, unknowns);
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  EXPECT_EQ(x->size(), 12 * 9);
  x->randomize(1);
  a->apply(*x, *y);
  Field<double> const& field = as_field_vector<double>(*y).field();
  for (Block const& block : mesh->blocks()) {
    std::vector<double> values(static_cast<std::size_t>(field.owned(block).size()));
    field.copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
    if (block.cells.begin[0] > 0) continue;
    for (std::size_t n = 0; n < values.size(); n += static_cast<std::size_t>(field.owned(block).end[0])) {
      EXPECT_EQ(values[n], 0);
    }
  }
}

TEST(StencilOperator, RepeatsToTheBitForAnyNumberOfThreads) {
  auto const a = make_operator<double>(all_ranks(), {.cells = {211, 83}});
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  x->randomize(1);
  double const first = apply_dot(*a, *x, *y);
  test_problem::for_each_thread_count(mesh_of<double>(*a), [&] { EXPECT_EQ(apply_dot(*a, *x, *y), first); });
}

TEST(StencilOperator, VectorsWithTooFewGhostsAreRefused) {
  auto const mesh = test_problem::make_mesh(all_ranks(), {.cells = {8}});
  Field<double> const field(mesh, {.name = "thin", .ghosts = 0});
  EXPECT_THAT([&] { StencilHalo(field, {mesh->owned(mesh->blocks()[0], Centring::cell)}, star<1>, nullptr); },
              testing::ThrowsMessage<DefectError>(testing::StrEq("a stencil reaches beyond the ghosts of `thin`")));
}

}  // namespace
}  // namespace halocline
