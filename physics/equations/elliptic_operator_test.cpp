#include "framework/multigrid/elliptic_operator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/grid/uniform_faces.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/relaxation.hpp"
#include "physics/equations/face_means.hpp"
#include "physics/equations/test_problems.hpp"

// Multigrid for operators that consist of a point functor and coefficients.

namespace halocline {
namespace {

using namespace halocline::test;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// -div(k grad u) + c u
template <int Dimensions>
struct Reaction {
  static constexpr Shape shape = star<1, Dimensions>;
  UniformFaces<double> faces;
  template <class P, class U, class K, class C>
  KOKKOS_FUNCTION double operator()(P const& at, U const& u, K const& k, C const& c) const {
    auto const flow = [&](auto there, double face) {
      return face * harmonic_mean(k[here], k[there]) * (u[here] - u[there]);
    };
    double sum = faces.volume * c[here] * u[here];
    sum += flow(west, faces.lower(at, 0)) + flow(east, faces.upper(at, 0));
    if constexpr (Dimensions > 1) sum += flow(south, faces.lower(at, 1)) + flow(north, faces.upper(at, 1));
    if constexpr (Dimensions > 2) sum += flow(bottom, faces.lower(at, 2)) + flow(top, faces.upper(at, 2));
    return sum;
  }
};

/// -div(D grad u), D = (1 xy; xy 1) in the first two directions and 1 in the third
template <int Dimensions>
struct Tensor {
  static constexpr Shape shape = box<1, Dimensions>;
  UniformFaces<double> faces;
  double xy;
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const& at, U const& u) const {
    double sum = faces.lower(at, 0) * (u[here] - u[west]) + faces.upper(at, 0) * (u[here] - u[east]) +
                 faces.lower(at, 1) * (u[here] - u[south]) + faces.upper(at, 1) * (u[here] - u[north]);
    if constexpr (Dimensions > 2) {
      sum += faces.lower(at, 2) * (u[here] - u[bottom]) + faces.upper(at, 2) * (u[here] - u[top]);
    }
    constexpr Offset<-1, -1> south_west{};
    constexpr Offset<1, -1> south_east{};
    constexpr Offset<-1, 1> north_west{};
    constexpr Offset<1, 1> north_east{};
    return sum - xy / 2 * faces.inside[0] * ((u[north_east] - u[north_west]) - (u[south_east] - u[south_west]));
  }
};

/// du/dx by the upwind cell
struct Upwind {
  static constexpr Shape shape = star<1, 1>;
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    return u[here] - u[west];
  }
};

struct Problem {
  std::vector<Index> cells;
  BoundaryKind walls = BoundaryKind::dirichlet;
  Centring centring = Centring::cell;
  Periodicity periodic{};
};

ControlVolumeGrid grid_of(Problem const& problem, std::shared_ptr<Communicator> ranks = all_ranks()) {
  auto const mesh = unit_mesh(problem.cells, {.periodic = problem.periodic}, std::move(ranks));
  BoundaryConditions conditions = all_walls(problem.walls);
  for (int axis = 0; axis < 3; ++axis) {
    if (!problem.periodic[static_cast<std::size_t>(axis)]) continue;
    for (int const side : {-1, 1}) conditions.at(axis, side).kind = BoundaryKind::periodic;
  }
  return control_volume_grid(mesh, problem.centring, conditions);
}

std::shared_ptr<Field<double> const> coefficient(ControlVolumeGrid const& grid, std::string const& text) {
  auto const field =
      std::make_shared<Field<double>>(grid.mesh, FieldDescription{.name = "k", .centring = grid.centring});
  field->fill(Expression(text), 0);
  fill_coefficient_ghosts(grid, *field);
  return field;
}

template <int Dimensions>
std::unique_ptr<Operator> reaction(ControlVolumeGrid const& grid, std::string const& k, std::string const& c) {
  return make_elliptic_operator<double, Reaction<Dimensions>, 2>(
      {.grid = grid, .coefficients = {coefficient(grid, k), coefficient(grid, c)}, .functor_on = [](auto const& any) {
         return Reaction<Dimensions>{uniform_faces<double>(any)};
       }});
}
template <int Dimensions>
std::unique_ptr<Operator> tensor(ControlVolumeGrid const& grid, double xy) {
  return make_elliptic_operator<double, Tensor<Dimensions>, 0>(
      {.grid = grid, .functor_on = [xy](auto const& any) {
         return Tensor<Dimensions>{uniform_faces<double>(any), xy};
       }});
}

double relative_difference(Vector const& x, Vector const& y) {
  auto const difference = x.create();
  difference->copy(x);
  difference->add(-1, y);
  return std::sqrt(difference->square() / x.square());
}

/// The fused down- and up-sweeps equal relaxation and transfer step by step. The two forms round differently, by less
/// than about ten roundings per step; a residual cancels some digits.
void expect_passes_are_steps(Operator const& a) {
  auto const coarsening = a.coarsen();
  ASSERT_NE(coarsening, nullptr);
  if (coarsening->kind() == LevelKind::moved) return;
  ASSERT_NE(coarsening->passes(), nullptr);
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  auto const y = a.create_vector();
  auto const coarse_x = coarsening->coarse().create_vector();
  auto const coarse_y = coarsening->coarse().create_vector();
  double const steps = 2 * a.relaxation()->colours();
  for (bool const from_zero : {false, true}) {
    b->randomize(1);
    x->randomize(2);  // must not be read when starting from zero
    y->fill(0);
    if (!from_zero) y->copy(*x);
    coarsening->passes()->relax_restrict(2, from_zero, *b, *x, *coarse_x);
    for (int n = 0; n < 2; ++n) a.relaxation()->relax(true, *b, *y);
    coarsening->residual_restrict(*b, *y, *coarse_y);
    EXPECT_LE(relative_difference(*x, *y), 10 * steps * epsilon * 1e2);
    EXPECT_LE(relative_difference(*coarse_x, *coarse_y), 10 * steps * epsilon * 1e4);
    coarse_x->randomize(3);
    coarsening->passes()->prolong_relax(2, *coarse_x, *b, *x);
    coarsening->prolong_add(*coarse_x, *y);
    for (int n = 0; n < 2; ++n) a.relaxation()->relax(false, *b, *y);
    EXPECT_LE(relative_difference(*x, *y), 10 * steps * epsilon * 1e2);
  }
}

TEST(EllipticOperator, PassesOfAnyFunctorAreItsStepsOneByOne) {
  for (Problem const& problem : {Problem{.cells = {20011}}, Problem{.cells = {9001}, .walls = BoundaryKind::neumann}}) {
    expect_passes_are_steps(*reaction<1>(grid_of(problem), "1 + x", "2"));
  }
  for (Problem const& problem :
       {Problem{.cells = {150, 120}}, Problem{.cells = {97, 101}},
        Problem{.cells = {100, 98}, .centring = Centring::node},
        Problem{.cells = {128, 96}, .walls = BoundaryKind::neumann, .periodic = {true, false, false}}}) {
    SCOPED_TRACE(problem.cells[0]);
    expect_passes_are_steps(*reaction<2>(grid_of(problem), "1 + x + 3 * (y > 0.4)", "1 + y"));
    expect_passes_are_steps(*tensor<2>(grid_of(problem), 0.6));
  }
  for (Problem const& problem : {Problem{.cells = {24, 20, 22}}, Problem{.cells = {23, 29, 19}}}) {
    SCOPED_TRACE(problem.cells[0]);
    expect_passes_are_steps(*reaction<3>(grid_of(problem), "1 + x * z", "y"));
    expect_passes_are_steps(*tensor<3>(grid_of(problem), 0.6));
  }
}

TEST(EllipticOperator, PassesOfEightColoursInWavesOnSeveralThreads) {
  expect_passes_are_steps(*tensor<3>(grid_of({.cells = {61, 67, 59}}), 0.5));
  expect_passes_are_steps(*tensor<2>(grid_of({.cells = {611, 397}}), 0.5));
}

Index iterations(Operator const& a, Vector const& b) {
  ConjugateGradients solver({.relative = 1e-8, .absolute = 0, .iterations = 100}, std::make_unique<Multigrid>());
  solver.prepare(a);
  auto const x = a.create_vector();
  SolveReport const report = solver.solve(a, b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_TRUE(solver.fallbacks().empty());
  return report.iterations;
}

/// On the same problem: the diffusion operator of this module, and point functors.
TEST(EllipticOperator, NeedsTheIterationsOfDiffusion) {
  for (std::vector<Index> const& cells : {std::vector<Index>{128, 128}, {32, 32, 32}}) {
    ControlVolumeGrid const grid = grid_of({.cells = cells});
    std::string const k = "1 + 9 * (x > 0.5) * (y < 0.5)";
    auto const conductivity = coefficient(grid, k);
    auto const known = make_diffusion<double>({.mesh = grid.mesh, .conditions = all_walls(BoundaryKind::dirichlet)},
                                              {.conductivity = conductivity.get()});
    auto const by_functor = cells.size() == 2 ? reaction<2>(grid, k, "0") : reaction<3>(grid, k, "0");
    auto const b = known->create_vector();
    b->randomize(1);
    Index const expected = iterations(*known, *b);
    EXPECT_LE(iterations(*by_functor, *b), expected + 2);
  }
}

TEST(EllipticOperator, NeedsTheIterationsOfDiffusionInFourAndEightColours) {
  for (std::vector<Index> const& cells : {std::vector<Index>{128, 128}, {32, 32, 32}}) {
    ControlVolumeGrid const grid = grid_of({.cells = cells});
    auto const known = make_diffusion<double>({.mesh = grid.mesh, .conditions = all_walls(BoundaryKind::dirichlet)});
    auto const same = cells.size() == 2 ? tensor<2>(grid, 0) : tensor<3>(grid, 0);
    auto const b = known->create_vector();
    b->randomize(1);
    EXPECT_LE(iterations(*same, *b), iterations(*known, *b) + 2);
  }
}

TEST(EllipticOperator, IterationsHardlyGrowWithTheMesh) {
  auto const iterations_on = [](Index cells) {
    auto const a = tensor<2>(grid_of({.cells = {cells, cells}}), 0.5);
    auto const b = a->create_vector();
    b->randomize(1);
    return iterations(*a, *b);
  };
  EXPECT_LE(iterations_on(256), iterations_on(64) + 2);
}

/// An operator stores one matrix entry per face for both of its cells, which needs symmetry.
TEST(EllipticOperator, RefusesAFunctorThatIsNotSymmetric) {
  EllipticEquation<double, Upwind, 0> const flow{.grid = grid_of({.cells = {24}}),
                                                 .functor_on = [](auto const&) { return Upwind{}; }};
  EXPECT_THAT([&] { static_cast<void>(make_elliptic_operator(flow)); },
              testing::ThrowsMessage<PhysicsError>(testing::HasSubstr("Upwind` is not symmetric")));
}

/// Both build their rows from the same numbers.
TEST(EllipticOperator, IsTheOperatorOfDiffusion) {
  for (Problem const& problem :
       {Problem{.cells = {33, 20}}, Problem{.cells = {17, 12}, .walls = BoundaryKind::neumann}}) {
    ControlVolumeGrid const grid = grid_of(problem);
    auto const conductivity = coefficient(grid, "1 + x * y");
    auto const known = make_diffusion<double>({.mesh = grid.mesh, .conditions = all_walls(problem.walls), .mass = 2},
                                              {.conductivity = conductivity.get()});
    auto const a = reaction<2>(grid, "1 + x * y", "2");
    auto const x = a->create_vector();
    auto const y = a->create_vector();
    auto const expected = a->create_vector();
    x->randomize(1);
    a->apply(*x, *y);
    known->apply(*x, *expected);
    y->add(-1, *expected);
    EXPECT_LE(y->maximum(), 30 * epsilon * known->norm_bound());
  }
}

}  // namespace
}  // namespace halocline
