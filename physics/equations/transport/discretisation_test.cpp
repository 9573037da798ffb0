#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "framework/grid/volumes.hpp"
#include "framework/operator/coarsening.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/test_problems.hpp"
#include "physics/equations/transport/rows.hpp"
#include "physics/equations/transport/test_manufactured.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "tests/support/symmetry.hpp"

namespace halocline::transport {
namespace {

using test::all_walls;
using test::unit_mesh;

/// Smallest and largest entry of a vector.
std::array<double, 2> range_of(Vector const& x) {
  auto const shifted = x.create();
  double const reach = x.maximum();
  shifted->fill(reach);
  shifted->add(1, x);
  double const largest = shifted->maximum() - reach;
  shifted->fill(reach);
  shifted->add(-1, x);
  return {reach - shifted->maximum(), largest};
}

/// Sizes that all tests use: one, two, primes, and axes with fewer cells than ranks.
std::vector<std::vector<Index>> sizes() {
  return {{5}, {29}, {4, 4}, {7, 13}, {31, 4}, {5, 4, 7}, {4, 1, 11}, {3, 2, 2}};
}

TEST(Transport, WithoutFlowIsDiffusion) {
  for (auto const& cells : sizes()) {
    for (BoundaryKind const kind : {BoundaryKind::dirichlet, BoundaryKind::robin, BoundaryKind::reflecting}) {
      auto const mesh = unit_mesh(cells, {.stretched = true});
      Discretisation const discretisation({.mesh = mesh, .conditions = all_walls(kind), .reaction = Expression(2.5)});
      auto const a = make_operator<double>(discretisation, assemble<double>(discretisation));
      auto const known = make_diffusion<double>({.mesh = mesh, .conditions = all_walls(kind), .mass = 2.5});
      auto const x = a->create_vector();
      auto const y = a->create_vector();
      auto const z = a->create_vector();
      x->randomize(3);
      a->apply(*x, *y);
      known->apply(*x, *z);
      y->add(-1, *z);
      // A row has up to seven entries, each made of up to six faces with a few roundings each.
      EXPECT_LE(y->maximum(), 32 * std::numeric_limits<double>::epsilon() * known->norm_bound() * x->maximum());
    }
  }
}

TEST(Transport, ConstantsStayConstantInAnyFlow) {
  for (auto const& cells : sizes()) {
    for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
      for (bool const periodic : {false, true}) {
        auto const mesh = unit_mesh(cells, {.stretched = true, .periodic = {periodic, false, periodic}});
        BoundaryConditions walls = all_walls(BoundaryKind::neumann);
        for (int axis : {0, 2}) {
          for (int side : {-1, 1}) {
            if (periodic) walls.at(axis, side).kind = BoundaryKind::periodic;
          }
        }
        Discretisation const discretisation(
            {.mesh = mesh, .conditions = walls, .velocity = whirl(20), .scheme = scheme});
        auto const a = make_operator<double>(discretisation, assemble<double>(discretisation));
        auto const ones = a->create_vector();
        auto const image = a->create_vector();
        ones->fill(1);
        a->apply(*ones, *image);
        EXPECT_LE(image->maximum(), 16 * std::numeric_limits<double>::epsilon() * a->norm_bound());
      }
    }
  }
}

TEST(Transport, UpwindRowsCannotOscillate) {
  for (auto const& cells : sizes()) {
    auto const mesh = unit_mesh(cells);
    BoundaryConditions walls = all_walls(BoundaryKind::dirichlet);
    walls.at(0, 1).kind = BoundaryKind::neumann;
    Discretisation const discretisation(
        {.mesh = mesh, .conditions = walls, .velocity = whirl(1000), .scheme = Scheme::upwind});
    Rows<double> const rows = assemble<double>(discretisation);
    FieldVector<double> const diagonal(rows.weights.front());
    auto const sum = diagonal.create();
    sum->copy(diagonal);
    for (std::size_t n = 1; n < rows.weights.size(); ++n) {
      FieldVector<double> const neighbour(rows.weights[n]);
      EXPECT_LE(range_of(neighbour)[1], 0);
      sum->add(1, neighbour);
    }
    EXPECT_GE(range_of(*sum)[0], -16 * std::numeric_limits<double>::epsilon() * diagonal.maximum());
  }
}

TEST(Transport, PecletNumberIsThatOfTheCells) {
  auto const mesh = unit_mesh({16, 4});
  Discretisation const discretisation({.mesh = mesh,
                                       .conditions = all_walls(BoundaryKind::dirichlet),
                                       .velocity = {Expression(-3.0), Expression(0.25), Expression(0.0)},
                                       .diffusivity = Expression(0.5)});
  EXPECT_NEAR(assemble<double>(discretisation).peclet, 3.0 / 16 / 0.5, 1e-14);
}

struct OrderCase {
  std::string name;
  int dimensions;
  Scheme scheme;
  bool stretched;
};

double error(OrderCase const& test, Index cells) {
  Manufactured const problem{test.dimensions};
  auto const mesh =
      unit_mesh(std::vector<Index>(static_cast<std::size_t>(test.dimensions), cells), {.stretched = test.stretched});
  Discretisation const discretisation({.mesh = mesh,
                                       .conditions = problem.walls(),
                                       .velocity = whirl(4),
                                       .diffusivity = Expression("1+x/2"),
                                       .reaction = Expression("3+y"),
                                       .scheme = test.scheme});
  Rows<double> const rows = assemble<double>(discretisation);
  auto const a = make_operator<double>(discretisation, rows);
  auto const b = a->create_vector();
  auto const u = a->create_vector();
  auto const volume = a->create_vector();
  fill_volumes(control_volume_grid(mesh, Centring::cell, problem.walls()), as_field_vector<double>(*volume).field());
  evaluate<double>(Expression(problem.source()), "source", 0, *b);
  b->multiply(*b, *volume);
  wall_source<double>(discretisation).add(0, 1, *b);
  Gmres solver({.criteria = {.relative = 1e-11, .absolute = 0, .iterations = 200}},
               std::make_unique<Multigrid>(MultigridSettings{}));
  solver.prepare(*a);
  EXPECT_EQ(solver.solve(*a, *b, *u).outcome, Outcome::converged);
  return error_norms<double>(*u, Expression(problem.solution()), "exact", 0, *volume).two;
}

class TransportOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(TransportOrder, IsThatOfTheScheme) {
  Index const coarse = GetParam().dimensions == 3 ? 16 : 48;
  double const ratio = error(GetParam(), coarse) / error(GetParam(), 2 * coarse);
  EXPECT_NEAR(std::log2(ratio), GetParam().scheme == Scheme::central ? 2 : 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Schemes, TransportOrder,
                         testing::Values(OrderCase{"Central1d", 1, Scheme::central, false},
                                         OrderCase{"CentralStretched1d", 1, Scheme::central, true},
                                         OrderCase{"Upwind1d", 1, Scheme::upwind, false},
                                         OrderCase{"Central2d", 2, Scheme::central, false},
                                         OrderCase{"CentralStretched2d", 2, Scheme::central, true},
                                         OrderCase{"Upwind2d", 2, Scheme::upwind, true},
                                         OrderCase{"Central3d", 3, Scheme::central, false}),
                         [](auto const& test) { return test.param.name; });

// Between given values the flux is the same everywhere: u is linear on either side of a jump of k on a face, with
// slopes of the ratio of k, and such a u is exact.
TEST(Transport, AJumpOfTheDiffusivityOnAFaceIsExact) {
  for (Scheme const scheme : {Scheme::central, Scheme::upwind}) {
    BoundaryConditions walls = all_walls(BoundaryKind::dirichlet);
    walls.at(0, 1).value = Expression(1.0);
    Discretisation const discretisation({.mesh = unit_mesh({16}),
                                         .conditions = walls,
                                         .diffusivity = Expression("x < 0.5 ? 1 : 0.001"),
                                         .scheme = scheme});
    auto const a = make_operator<double>(discretisation, assemble<double>(discretisation));
    auto const b = a->create_vector();
    wall_source<double>(discretisation).add(0, 1, *b);
    auto const u = a->create_vector();
    Gmres solver({.criteria = {.relative = 1e-14, .absolute = 0, .iterations = 200}});
    solver.prepare(*a);
    EXPECT_TRUE(reached(solver.solve(*a, *b, *u).outcome));
    auto const expected = a->create_vector();
    evaluate<double>(Expression("(x < 0.5 ? 0.001*x : 0.0005 + (x - 0.5)) / 0.5005"), "exact", 0, *expected);
    expected->add(-1, *u);
    // A residual of 1e-14 times the norm of the inverse, some 1e3.
    EXPECT_LE(expected->maximum(), 1e-10);
  }
}

/// Iterations of gmres with multigrid on a vortex of strength `speed`.
SolveReport solve_whirl(Index cells, double speed, Scheme scheme) {
  auto const mesh = unit_mesh({cells, cells});
  Discretisation const discretisation(
      {.mesh = mesh, .conditions = all_walls(BoundaryKind::dirichlet), .velocity = whirl(speed), .scheme = scheme});
  auto const a = make_operator<double>(discretisation, assemble<double>(discretisation));
  auto const b = a->create_vector();
  auto const u = a->create_vector();
  b->randomize(5);
  Gmres solver({.criteria = {.relative = 1e-8, .absolute = 0, .iterations = 100}},
               std::make_unique<Multigrid>(MultigridSettings{}));
  solver.prepare(*a);
  return solver.solve(*a, *b, *u);
}

TEST(TransportMultigrid, IterationsDoNotGrowWithTheMesh) {
  for (double const speed : {0.0, 10.0, 100.0}) {
    Index const few = solve_whirl(32, speed, Scheme::upwind).iterations;
    for (Index const cells : {64, 128}) {
      SolveReport const report = solve_whirl(cells, speed, Scheme::upwind);
      EXPECT_EQ(report.outcome, Outcome::converged);
      EXPECT_LE(report.iterations, few + 3) << "speed " << speed << ", " << cells << " cells";
    }
  }
}

TEST(TransportMultigrid, CoarseLevelsOfACentralSchemeGoUpwind) {
  // On the finest mesh the Péclet number is below 2, on the coarsest far above.
  EXPECT_EQ(solve_whirl(96, 150, Scheme::central).outcome, Outcome::converged);
}

template <class Real>
class CellTransfers : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CellTransfers, Precisions);

TYPED_TEST(CellTransfers, AreAdjointAndKeepConstants) {
  using Real = TypeParam;
  for (auto const& cells : sizes()) {
    Discretisation const discretisation({.mesh = unit_mesh(cells), .conditions = all_walls(BoundaryKind::dirichlet)});
    auto const fine = make_operator<Real>(discretisation, assemble<Real>(discretisation));
    auto const coarsening = fine->coarsen();
    if (coarsening == nullptr) continue;  // every block has one cell
    auto const x = fine->create_vector();
    auto const restricted = coarsening->coarse().create_vector();
    auto const y = coarsening->coarse().create_vector();
    auto const prolonged = fine->create_vector();
    x->randomize(1);
    y->randomize(2);
    coarsening->restrict_to(*x, *restricted);
    coarsening->prolong_add(*y, *prolonged);
    double const norms = std::sqrt(x->square() * prolonged->square());
    EXPECT_NEAR(restricted->dot(*y), x->dot(*prolonged), 8 * std::numeric_limits<Real>::epsilon() * norms);

    y->fill(0.5);
    prolonged->fill(0.25);
    coarsening->prolong_add(*y, *prolonged);
    EXPECT_EQ(range_of(*prolonged), (std::array{0.75, 0.75}));
  }
}

TYPED_TEST(CellTransfers, AResidualIsRestrictedWhole) {
  using Real = TypeParam;
  auto const mesh = unit_mesh({13, 9});
  Discretisation const discretisation({.mesh = mesh, .conditions = all_walls(BoundaryKind::dirichlet)});
  auto const fine = make_operator<Real>(discretisation, assemble<Real>(discretisation));
  auto const coarsening = fine->coarsen();
  ASSERT_NE(coarsening, nullptr);
  auto const b = fine->create_vector();
  auto const x = fine->create_vector();
  auto const r = fine->create_vector();
  auto const direct = coarsening->coarse().create_vector();
  auto const restricted = coarsening->coarse().create_vector();
  b->randomize(1);
  x->randomize(2);
  coarsening->residual_restrict(*b, *x, *direct);
  static_cast<void>(fine->residual(*b, *x, *r));
  coarsening->restrict_to(*r, *restricted);
  restricted->add(-1, *direct);
  // The children are summed in another order.
  EXPECT_LE(restricted->maximum(), 4 * std::numeric_limits<Real>::epsilon() * fine->norm_bound());
}

/// If the coefficients differed at the two ends of a period, more would leave through the face on one side than enters
/// on the other.
TEST(Transport, TheFaceThatClosesAPeriodIsOne) {
  auto const mesh = unit_mesh({6, 5}, {.periodic = {true, true, false}});
  BoundaryConditions walls;
  for (int axis = 0; axis < 2; ++axis) {
    for (int const side : {-1, 1}) walls.at(axis, side).kind = BoundaryKind::periodic;
  }
  Discretisation const discretisation(
      {.mesh = mesh, .conditions = walls, .diffusivity = Expression("1 + random(3)"), .reaction = Expression(1.0)});
  auto const a = make_operator<double>(discretisation, assemble<double>(discretisation));
  static_cast<void>(test::expect_symmetric(*a, 1e-13));
}

std::string message_of(Description description) {
  try {
    static_cast<void>(assemble<double>(Discretisation(std::move(description))));
  } catch (InputError const& error) {
    return error.what();
  } catch (RemoteError const& error) {
    return error.what();
  }
  return "none";
}

TEST(Transport, SaysWhereACoefficientIsWrong) {
  if (test::communicator().size() > 1) return;
  auto const mesh = unit_mesh({4, 4});
  BoundaryConditions const walls = all_walls(BoundaryKind::dirichlet);
  EXPECT_EQ(message_of({.mesh = mesh, .conditions = walls, .diffusivity = Expression("x-0.5")}),
            "`transport.diffusivity`: 'x-0.5' is not above 0 at (0.125, 0.125, 0)");
  std::string const velocity = message_of(
      {.mesh = mesh, .conditions = walls, .velocity = {Expression(0.0), Expression("1/y"), Expression(0.0)}});
  EXPECT_NE(velocity.find("velocity.y"), std::string::npos) << velocity;
  EXPECT_NE(velocity.find("1/y"), std::string::npos) << velocity;
}

}  // namespace
}  // namespace halocline::transport
