#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "physics/equations/test_problems.hpp"

// The iterations of conjugate gradients with multigrid do not depend on the mesh width or the number of ranks.

namespace halocline {
namespace {

using namespace halocline::test;

using Conductivity = std::function<double(double x, double y, double z)>;

/// Each iteration except the last reduces the error by at least a digit.
constexpr Index most_iterations = 9;

struct Problem {
  std::string name;
  std::vector<std::vector<Index>> meshes;  ///< cells; from coarse to fine
  Conductivity conductivity = nullptr;     ///< null: 1
  BoundaryKind walls = BoundaryKind::dirichlet;
  Centring centring = Centring::cell;
};

double inclusion(double jump, double x, double y, double z) {
  auto const is_inside = [](double s) { return s > 0.3 && s < 0.7; };
  return is_inside(x) && is_inside(y) && is_inside(z) ? jump : 1;
}

std::vector<Problem> problems() {
  return {
      {.name = "Poisson", .meshes = {{32, 32, 32}, {64, 64, 64}, {128, 128, 128}}},
      {.name = "Poisson on nodes", .meshes = {{32, 32, 32}, {64, 64, 64}}, .centring = Centring::node},
      {.name = "plane", .meshes = {{64, 64}, {128, 128}, {251, 251}, {256, 256}}},
      {.name = "inclusion that conducts well",
       .meshes = {{32, 32, 32}, {48, 48, 48}, {64, 64, 64}},
       .conductivity = [](double x, double y, double z) { return inclusion(1e6, x, y, z); }},
      {.name = "inclusion that insulates",
       .meshes = {{32, 32, 32}, {48, 48, 48}, {64, 64, 64}},
       .conductivity = [](double x, double y, double z) { return inclusion(1e-6, x, y, z); }},
      // Couplings that differ by a factor of a thousand.
      {.name = "flat cells", .meshes = {{128, 4}, {256, 8}, {512, 16}}},
      {.name = "pure Neumann", .meshes = {{64, 64}, {128, 128}, {256, 256}}, .walls = BoundaryKind::neumann},
      {.name = "three layers", .meshes = {{32, 32, 3}, {64, 64, 3}, {128, 128, 3}}},
  };
}

Index iterations(Problem const& problem, std::vector<Index> const& cells, std::shared_ptr<Communicator> ranks) {
  auto const mesh = unit_mesh(cells, {}, std::move(ranks));
  auto const centre = [&](std::size_t axis, Index i) {
    return axis < cells.size() ? (static_cast<double>(i) + 0.5) / static_cast<double>(cells[axis]) : 0.5;
  };
  auto const k = cell_field<double>(mesh, [&](Index i, Index j, Index l) {
    return problem.conductivity ? problem.conductivity(centre(0, i), centre(1, j), centre(2, l)) : 1.0;
  });
  auto const a =
      make_diffusion<double>({.mesh = mesh, .centring = problem.centring, .conditions = all_walls(problem.walls)},
                             {.conductivity = problem.conductivity ? &k : nullptr});
  auto const b = a->create_vector();
  auto const x = a->create_vector();
  // A random x, and b = A x, so that singular problems have a solution as well.
  x->randomize(3);
  a->apply(*x, *b);
  x->fill(0);
  ConjugateGradients solver = multigrid_cg(1e-8);
  solver.prepare(*a);
  SolveReport const report = solver.solve(*a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged) << problem.name << ": " << report.remark;
  return report.iterations;
}

TEST(Iterations, DoNotGrowWithTheMesh) {
  for (Problem const& problem : problems()) {
    std::vector<Index> counts;
    for (auto const& cells : problem.meshes) {
      counts.push_back(iterations(problem, cells, all_ranks()));
      EXPECT_LE(counts.back(), most_iterations) << problem.name << ", " << cells[0];
    }
    auto const [fewest, most] = std::minmax_element(counts.begin(), counts.end());
    EXPECT_LE(*most - *fewest, 2) << problem.name;
  }
}

TEST(Iterations, AreThoseOfOneRank) {
  for (Problem const& problem : problems()) {
    auto const& cells = problem.meshes.front();
    Index const alone = iterations(problem, cells, this_rank());
    EXPECT_NEAR(static_cast<double>(iterations(problem, cells, all_ranks())), static_cast<double>(alone), 1)
        << problem.name;
  }
}

TEST(Iterations, OfPoissonOnManyCells) {
  Problem const poisson = problems().front();
  Index const coarse = iterations(poisson, {32, 32, 32}, all_ranks());
  EXPECT_NEAR(static_cast<double>(iterations(poisson, {256, 256, 256}, all_ranks())), static_cast<double>(coarse), 2);
}

}  // namespace
}  // namespace halocline
