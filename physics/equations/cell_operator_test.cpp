#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/operator/relaxation.hpp"
#include "framework/operator/single_precision_form.hpp"
#include "physics/equations/test_problems.hpp"

// The operator with one coefficient per cell is that with stored faces.

namespace halocline {
namespace {

using namespace halocline::test;

/// How the conductivity varies: by up to ten thousand between neighbours; by less than two, as within one material,
/// where walls extrapolate it; or the first way with cells that conduct nothing.
enum class Variation { jumps, smooth, insulated };

struct Problem {
  std::vector<Index> cells;
  std::vector<BoundaryKind> walls;  ///< lower and upper of each axis
  Variation variation = Variation::jumps;
  FaceMean mean = FaceMean::harmonic;
  double mass = 0.5;
  int blocks_per_rank = 1;
};

constexpr auto held = BoundaryKind::dirichlet;
constexpr auto closed = BoundaryKind::neumann;
constexpr auto mixed = BoundaryKind::robin;
constexpr auto periodic = BoundaryKind::periodic;

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (FaceMean const mean : {FaceMean::harmonic, FaceMean::arithmetic}) {
    for (Variation const variation : {Variation::jumps, Variation::smooth, Variation::insulated}) {
      auto const add = [&](std::vector<Index> cells, std::vector<BoundaryKind> walls, double mass, int blocks) {
        all.push_back({std::move(cells), std::move(walls), variation, mean, mass, blocks});
      };
      add({101}, {held, mixed}, 0, 1);
      add({97}, {closed, mixed}, 0.5, 3);
      add({64}, {periodic, periodic}, 0.5, 2);
      add({53, 31}, {mixed, held, closed, closed}, 0, 2);
      add({24, 40}, {periodic, periodic, closed, mixed}, 0.5, 1);
      add({12, 4}, {closed, closed, closed, closed}, 0.5, 1);
      add({40, 1}, {held, held, closed, mixed}, 0.5, 1);
      add({40, 1}, {closed, held, periodic, periodic}, 0.5, 1);
      add({19, 23, 17}, {held, mixed, closed, closed, mixed, held}, 0, 2);
      add({16, 9, 14}, {periodic, periodic, mixed, closed, periodic, periodic}, 0.5, 1);
    }
  }
  return all;
}

/// Without visible order, between 0 and 1.
double noise(Index i, Index j, Index k) {
  double const x = 43758.5453 * std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * static_cast<double>(j + 1) +
                                         37.719 * static_cast<double>(k + 1));
  return x - std::floor(x);
}

struct Both {
  std::unique_ptr<Operator> faces;
  std::unique_ptr<Operator> cells;
};

template <class Real>
Both make(Problem const& problem) {
  MeshOptions options{.blocks_per_rank = problem.blocks_per_rank};
  BoundaryConditions walls = all_walls(closed);
  for (std::size_t axis = 0; axis < problem.cells.size(); ++axis) {
    options.periodic[axis] = problem.walls[2 * axis] == periodic;
    for (int const side : {-1, 1}) {
      walls.at(static_cast<int>(axis), side) = {.kind = problem.walls[2 * axis + (side < 0 ? 0 : 1)], .a = 2, .b = 0.3};
    }
  }
  auto const mesh = unit_mesh(problem.cells, options);
  auto const k = cell_field<Real>(mesh, [&](Index i, Index j, Index l) {
    double const at = noise(i, j, l);
    if (problem.variation == Variation::smooth) return 40 * (1 + 0.9 * at);
    if (problem.variation == Variation::insulated && i < problem.cells[0] / 3 + 1) return 0.0;
    return std::pow(10.0, 4 * at - 2);
  });
  auto const make_with = [&](bool evaluates_faces) {
    return make_diffusion<Real>({.mesh = mesh,
                                 .conditions = walls,
                                 .conductivity = 0.7,
                                 .mass = problem.mass,
                                 .evaluates_faces = evaluates_faces},
                                {.conductivity = &k, .mean = problem.mean});
  };
  return {make_with(false), make_with(true)};
}

std::string name_of(Problem const& problem) {
  std::string text = "cells";
  for (Index const n : problem.cells) text += " " + std::to_string(n);
  return text + ", variation " + std::to_string(static_cast<int>(problem.variation)) +
         (problem.mean == FaceMean::harmonic ? ", harmonic" : ", arithmetic");
}

/// Differences of positions have the rounding of a hundred of them; each entry adds a few more.
template <class Real>
constexpr double rounding = 200 * static_cast<double>(std::numeric_limits<Real>::epsilon());

template <class Real>
void expect_same(Vector const& x, Vector const& y, char const* what) {
  auto const difference = x.create();
  difference->copy(x);
  difference->add(-1, y);
  EXPECT_LE(difference->maximum(), rounding<Real> * x.maximum()) << what;
}

template <class Real>
void expect_same_operators(Operator const& faces, Operator const& cells, bool has_zero_rows) {
  auto const x = faces.create_vector();
  auto const b = x->create();
  auto const of_faces = x->create();
  auto const of_cells = x->create();
  x->randomize(1);
  b->randomize(2);
  EXPECT_NEAR(cells.norm_bound(), faces.norm_bound(), rounding<Real> * faces.norm_bound());
  faces.apply(*x, *of_faces);
  cells.apply(*x, *of_cells);
  expect_same<Real>(*of_faces, *of_cells, "apply");
  static_cast<void>(faces.residual(*b, *x, *of_faces));
  static_cast<void>(cells.residual(*b, *x, *of_cells));
  expect_same<Real>(*of_faces, *of_cells, "residual");
  ASSERT_TRUE(faces.diagonal(*of_faces) && cells.diagonal(*of_cells));
  expect_same<Real>(*of_faces, *of_cells, "diagonal");
  for (bool const forward : {true, false}) {
    of_faces->copy(*x);
    of_cells->copy(*x);
    faces.relaxation()->relax(forward, *b, *of_faces);
    cells.relaxation()->relax(forward, *b, *of_cells);
    expect_same<Real>(*of_faces, *of_cells, forward ? "forward" : "backward");
  }
  if (has_zero_rows) return;
  static_cast<void>(faces.jacobi()->step(0.6, *b, *x, *of_faces));
  static_cast<void>(cells.jacobi()->step(0.6, *b, *x, *of_cells));
  expect_same<Real>(*of_faces, *of_cells, "Jacobi");
}

TEST(CellOperator, IsTheOneWithStoredFaces) {
  for (Problem const& problem : problems()) {
    SCOPED_TRACE(name_of(problem));
    bool const has_zero_rows = problem.variation == Variation::insulated && problem.mass == 0;
    auto const [faces, cells] = make<double>(problem);
    expect_same_operators<double>(*faces, *cells, has_zero_rows);
    Both const single = make<float>(problem);
    expect_same_operators<float>(*single.faces, *single.cells, has_zero_rows);
    auto const rounded_faces = faces->in_single_precision();
    auto const rounded_cells = cells->in_single_precision();
    expect_same_operators<float>(rounded_faces->rounded(), rounded_cells->rounded(), has_zero_rows);
  }
}

/// One V-cycle for a random right-hand side.
std::unique_ptr<Vector> cycle(Operator const& a) {
  Multigrid multigrid;
  multigrid.prepare(a);
  auto const b = a.create_vector();
  auto x = b->create();
  b->randomize(3);
  multigrid.apply(*b, *x);
  return x;
}

TEST(CellOperator, MultigridIsThatOfStoredFaces) {
  for (Problem const& problem : problems()) {
    if (problem.variation == Variation::insulated && problem.mass == 0) continue;
    SCOPED_TRACE(name_of(problem));
    auto const [faces, cells] = make<double>(problem);
    auto const x = cycle(*faces);
    auto const difference = cycle(*cells);
    difference->add(-1, *x);
    // Coefficients that differ by a factor of 1e4 amplify roundings by as much.
    EXPECT_LE(difference->maximum(), 1e4 * rounding<double> * x->maximum());
    SolveReport const by_faces = solve_random(*faces, 1e-4);
    SolveReport const by_cells = solve_random(*cells, 1e-4);
    EXPECT_TRUE(reached(by_cells.outcome));
    EXPECT_NEAR(static_cast<double>(by_cells.iterations), static_cast<double>(by_faces.iterations), 1);
  }
}

TEST(CellOperator, OtherProblemsKeepTheirFaces) {
  struct Case {
    bool stretched;
    Centring centring;
    bool has_mass;
  };
  for (Case const& test : std::initializer_list<Case>{
           {true, Centring::cell, false}, {false, Centring::node, false}, {false, Centring::cell, true}}) {
    auto const mesh = unit_mesh({24, 20}, {.stretched = test.stretched, .periodic = {}});
    Field<double> two(mesh, {.name = "two", .centring = test.centring});
    two.fill(2);
    auto const make_with = [&](bool evaluates_faces) {
      return make_diffusion<double>({.mesh = mesh,
                                     .centring = test.centring,
                                     .conditions = all_walls(held),
                                     .mass = 1,
                                     .evaluates_faces = evaluates_faces},
                                    {.conductivity = &two, .mass = test.has_mass ? &two : nullptr});
    };
    auto const x = make_with(false)->create_vector();
    auto const stored = x->create();
    auto const evaluated = x->create();
    x->randomize(1);
    make_with(false)->apply(*x, *stored);
    make_with(true)->apply(*x, *evaluated);
    stored->add(-1, *evaluated);
    EXPECT_EQ(stored->maximum(), 0);
  }
}

}  // namespace
}  // namespace halocline
