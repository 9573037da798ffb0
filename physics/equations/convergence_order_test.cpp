#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "framework/grid/volumes.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "physics/equations/test_problems.hpp"

// Manufactured solutions: the discretisation error falls with order 2.

namespace halocline {
namespace {

using namespace halocline::test;

struct Case {
  std::string name;
  int dimensions;
  Centring centring;
  bool stretched;
  bool varying;  ///< conductivity 1 + x y
};

std::string solution(int dimensions) {
  std::string const all[] = {"sin(2*x+0.3)", "*cos(1.5*y-0.2)", "*exp(0.5*z)"};
  std::string text;
  for (int axis = 0; axis < dimensions; ++axis) text += all[axis];
  return text;
}

/// Derivatives along each axis.
std::string slope(int axis, int dimensions) {
  std::string const factor[] = {"2*cos(2*x+0.3)", "(-1.5*sin(1.5*y-0.2))", "0.5*exp(0.5*z)"};
  std::string const plain[] = {"sin(2*x+0.3)", "cos(1.5*y-0.2)", "exp(0.5*z)"};
  std::string text = factor[axis];
  for (int other = 0; other < dimensions; ++other) {
    if (other != axis) text += "*" + plain[other];
  }
  return text;
}

/// -div(k grad u) with k = 1 or 1 + x y.
std::string source(Case const& test) {
  double const sum = 4 + (test.dimensions > 1 ? 2.25 : 0) - (test.dimensions > 2 ? 0.25 : 0);
  std::string const u = solution(test.dimensions);
  if (!test.varying) return std::to_string(sum) + "*" + u;
  return "(1+x*y)*" + std::to_string(sum) + "*" + u + "-(y*" + slope(0, test.dimensions) + "+x*" +
         slope(1, test.dimensions) + ")";
}

/// Dirichlet, Neumann and Robin walls, on both sides of x and y.
BoundaryConditions walls(int dimensions) {
  BoundaryConditions all =
      BoundaryConditions::all({.kind = BoundaryKind::dirichlet, .value = Expression(solution(dimensions))});
  all.at(0, 1) = {.kind = BoundaryKind::neumann, .value = Expression(slope(0, dimensions))};
  if (dimensions > 1) {
    all.at(1, -1) = {.kind = BoundaryKind::robin,
                     .value = Expression("2*" + solution(dimensions) + "-3*" + slope(1, dimensions)),
                     .a = 2,
                     .b = 3};
    all.at(1, 1) = {.kind = BoundaryKind::neumann, .value = Expression(slope(1, dimensions))};
  }
  return all;
}

/// 2-norm of the error of the computed solution.
double error(Case const& test, Index cells, LinearSolver& solver) {
  auto const mesh = unit_mesh(std::vector<Index>(static_cast<std::size_t>(test.dimensions), cells),
                              {.stretched = test.stretched, .periodic = {}});
  DiffusionDescription const description{.mesh = mesh, .centring = test.centring, .conditions = walls(test.dimensions)};
  Field<double> k(mesh, {.name = "k", .centring = test.centring});
  DiffusionMaterial<double> material;
  if (test.varying) {
    k.fill(Expression("1+x*y"), 0);
    material = {.conductivity = &k, .mass = nullptr, .mean = FaceMean::harmonic};
  }
  auto const a = make_diffusion<double>(description, material);
  auto const b = a->create_vector();
  auto const volume = a->create_vector();
  auto const u = a->create_vector();
  fill_volumes(control_volume_grid(description.mesh, description.centring, description.conditions),
               as_field_vector<double>(*volume).field());
  evaluate<double>(Expression(source(test)), "source", 0, *b);
  b->multiply(*b, *volume);
  BoundarySource<double>(description, material).add(0, 1, *b);
  solver.prepare(*a);
  static_cast<void>(solver.solve(*a, *b, *u));
  return error_norms<double>(*u, Expression(solution(test.dimensions)), "exact", 0, *volume).two;
}

double error_of_discretisation(Case const& test, Index cells) {
  ConjugateGradients solver = multigrid_cg(1e-11);
  return error(test, cells, solver);
}

double error_of_full_multigrid(Case const& test, Index cells) {
  MultigridSolver solver({.relative = 1e-14, .absolute = 0, .iterations = 1},
                         {.start = MultigridStart::full, .start_cycles = 2});
  return error(test, cells, solver);
}

class Order : public testing::TestWithParam<Case> {};

TEST_P(Order, IsTwo) {
  // The error is C h^2 (1 + O(h)): between these sizes the next term changes the order by less than 0.1.
  Index const coarse = GetParam().dimensions == 3 ? 20 : 48;
  double const ratio = error_of_discretisation(GetParam(), coarse) / error_of_discretisation(GetParam(), 2 * coarse);
  EXPECT_NEAR(std::log2(ratio), 2, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Discretisation, Order,
                         testing::Values(Case{"CellsUniform1d", 1, Centring::cell, false, false},
                                         Case{"NodesStretched1d", 1, Centring::node, true, false},
                                         Case{"CellsUniform2d", 2, Centring::cell, false, false},
                                         Case{"CellsStretched2d", 2, Centring::cell, true, false},
                                         Case{"CellsVarying2d", 2, Centring::cell, true, true},
                                         Case{"NodesUniform2d", 2, Centring::node, false, false},
                                         Case{"NodesStretched2d", 2, Centring::node, true, false},
                                         Case{"NodesVarying2d", 2, Centring::node, false, true},
                                         Case{"CellsUniform3d", 3, Centring::cell, false, false},
                                         Case{"NodesVarying3d", 3, Centring::node, true, true}),
                         [](testing::TestParamInfo<Case> const& each) { return each.param.name; });

TEST(FullMultigrid, LeavesNoMoreErrorThanTheDiscretisation) {
  std::vector<Case> const cases{{"2d cells", 2, Centring::cell, false, false},
                                {"2d nodes", 2, Centring::node, false, false},
                                {"2d nodes, conductivity varies", 2, Centring::node, false, true},
                                {"3d cells", 3, Centring::cell, false, false}};
  for (Case const& test : cases) {
    for (Index const cells : {16, 33, 64}) {
      if (test.dimensions == 3 && cells == 64) continue;
      EXPECT_LE(error_of_full_multigrid(test, cells), 1.1 * error_of_discretisation(test, cells))
          << test.name << ", " << cells;
    }
  }
}

}  // namespace
}  // namespace halocline
