#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "framework/operator/assemble.hpp"
#include "framework/operator/test_problem.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"
#include "tests/support/communicator.hpp"

// Preconditioners made from a matrix, with which linear_solver_test.cpp solves too.

namespace halocline {
namespace {

using test_problem::make_operator;
using test_problem::values_of;
using testing::ThrowsMessage;

/// A communicator of this rank only.
[[nodiscard]] auto alone() { return test::communicator().split(test::communicator().rank()); }

template <class Real>
class MatrixPreconditionersTest : public testing::Test {
 protected:
  static constexpr double unit = std::numeric_limits<Real>::epsilon();

  /// The largest entry of M^-1 A x - x for a random x with entries below one.
  [[nodiscard]] static double error(Operator const& a, Preconditioner& preconditioner) {
    auto const x = a.create_vector();
    auto const b = a.create_vector();
    auto const z = a.create_vector();
    x->randomize(7);
    a.apply(*x, *b);
    preconditioner.apply(*b, *z);
    z->add(-1, *x);
    return z->maximum();
  }
  [[nodiscard]] static std::vector<std::unique_ptr<Preconditioner>> all() {
    std::vector<std::unique_ptr<Preconditioner>> made;
    for (int const n : {1, 3}) made.push_back(std::make_unique<GaussSeidelPreconditioner>(n));
    for (int const n : {0, 1, 2}) made.push_back(std::make_unique<IncompleteLuPreconditioner>(n));
    return made;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixPreconditionersTest, Precisions);

// A tridiagonal matrix has no fill-in, and the other ones here have none above level 10. The condition number of these
// matrices is below a thousand.
TYPED_TEST(MatrixPreconditionersTest, FactorsThatNothingIsLeftOutOfAreExact) {
  struct Case {
    std::vector<Index> cells;
    int fill;
  };
  for (auto const& [cells, fill] : {Case{{1}, 0}, Case{{2}, 0}, Case{{29}, 0}, Case{{5, 3}, 10}, Case{{2, 2, 3}, 10}}) {
    auto const a = make_operator<TypeParam>(alone(), {.cells = cells, .contrast = 20});
    IncompleteLuPreconditioner exact(fill);
    exact.prepare(*a);
    EXPECT_LE(this->error(*a, exact), 1e4 * this->unit);
  }
}

TYPED_TEST(MatrixPreconditionersTest, FillMakesFactorsBetter) {
  auto const a = make_operator<TypeParam>(alone(), {.cells = {13, 11}});
  double before = std::numeric_limits<double>::infinity();
  for (int const fill : {0, 1, 2, 4}) {
    IncompleteLuPreconditioner factors(fill);
    factors.prepare(*a);
    double const now = this->error(*a, factors);
    EXPECT_LT(now, 0.9 * before) << fill;
    before = now;
  }
}

// Gauss-Seidel converges for these matrices; each relaxation reduces the error by more than a tenth.
TYPED_TEST(MatrixPreconditionersTest, ManySweepsSolve) {
  for (std::vector<Index> const& cells : {std::vector<Index>{1}, {2}, {5, 3}, {2, 3, 2}}) {
    auto const matrix = assemble(*make_operator<TypeParam>(alone(), {.cells = cells, .shift = 0.5}));
    GaussSeidelPreconditioner sweeps(100);
    sweeps.prepare(*matrix);
    EXPECT_LE(this->error(*matrix, sweeps), 1e3 * this->unit);
  }
}

TYPED_TEST(MatrixPreconditionersTest, AreSymmetricAndPositiveWhereTheMatrixIs) {
  std::vector<test_problem::Options> const problems = {{.cells = {17, 13}, .contrast = 50},
                                                       {.cells = {7, 5, 6}, .shift = 0.5},
                                                       {.cells = {10, 8}, .periodic = true, .shift = 1},
                                                       {.cells = {2, 9}, .periodic = true, .shift = 1},
                                                       {.cells = {2, 2, 5}, .periodic = true, .shift = 1},
                                                       {.cells = {9, 23}, .blocks_per_rank = 2}};
  for (auto const& options : problems) {
    auto const matrix = assemble(*make_operator<TypeParam>(test::communicator().split(0), options));
    auto const u = matrix->create_vector();
    auto const v = matrix->create_vector();
    auto const of_u = matrix->create_vector();
    auto const of_v = matrix->create_vector();
    u->randomize(1);
    v->randomize(2);
    for (auto const& preconditioner : this->all()) {
      preconditioner->prepare(*matrix);
      preconditioner->apply(*u, *of_u);
      preconditioner->apply(*v, *of_v);
      double const size = std::sqrt(of_u->square() * v->square());
      EXPECT_NEAR(of_u->dot(*v), of_v->dot(*u), 100 * this->unit * size);
      EXPECT_GT(of_u->dot(*u), 0);
    }
  }
}

// Colours and levels must not depend on the timing of threads.
TYPED_TEST(MatrixPreconditionersTest, ThreadsLeaveTheBitsOfAPreconditioner) {
  auto const matrix = assemble(*make_operator<TypeParam>(test::communicator().split(0), {.cells = {37, 41}}));
  auto const r = matrix->create_vector();
  auto const z = matrix->create_vector();
  r->randomize(3);
  for (auto const& preconditioner : this->all()) {
    std::vector<TypeParam> expected;
    test_problem::for_each_thread_count(test_problem::mesh_of<TypeParam>(*matrix), [&] {
      for (int repetition = 0; repetition < 5; ++repetition) {
        preconditioner->prepare(*matrix);
        preconditioner->apply(*r, *z);
        auto const found = values_of<TypeParam>(*z);
        if (expected.empty()) expected = found;
        EXPECT_EQ(found, expected);
      }
    });
  }
}

TEST(MatrixPreconditioners, RefuseADiagonalWithAZero) {
  test_operators::DiagonalOperator const a(4, [](Index n) { return n == 2 ? 0.0 : 1.0; });
  EXPECT_THROW(IncompleteLuPreconditioner(0).prepare(a), UnsuitableOperator);
}

TEST(MatrixPreconditioners, RefuseWhatCannotBeAssembled) {
  test_operators::DiagonalOperator const a(4, [](Index) { return 1.0; });
  EXPECT_THAT([&] { IncompleteLuPreconditioner(0).prepare(a); },
              ThrowsMessage<UnsuitableOperator>("an operator that does not act on fields cannot be assembled"));
}

TEST(MatrixPreconditioners, RefuseEntriesThatAreNoFiniteNumbers) {
  auto const a = make_operator<float>(alone(), {.cells = {6, 5}, .contrast = 1e39});
  EXPECT_THAT([&] { static_cast<void>(assemble(*a)); },
              ThrowsMessage<SolveError>(testing::HasSubstr("entries that are not finite")));
}

#if !defined(KOKKOS_ENABLE_CUDA)
// A host factorises the rows of a level together; 0.75 * 80^2 * 80^3 numbers of four bytes are about 10 GB.
TEST(MatrixPreconditioners, RefuseFactorsThatTakeTooMuchMemoryToMake) {
  auto const a = make_operator<double>(alone(), {.cells = {80, 80, 80}});
  EXPECT_THAT([&] { IncompleteLuPreconditioner(0).prepare(*a); },
              ThrowsMessage<UnsuitableOperator>(testing::StartsWith(
                  "incomplete LU of the unknowns of one rank takes 9 GB to factorise; use more ranks")));
}
#endif

}  // namespace
}  // namespace halocline
