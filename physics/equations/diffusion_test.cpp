#include "physics/equations/diffusion.hpp"
#include "framework/operator/generic_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/grid/control_volumes.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

using namespace halocline::test;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// One, except `jump` in a checkerboard of blocks of three cells.
auto checkerboard(double jump) {
  return [jump](Index i, Index j, Index k) { return (i / 3 + j / 3 + k / 3) % 2 == 0 ? 1.0 : jump; };
}

std::unique_ptr<Vector> random_like(Operator const& a, std::uint64_t seed) {
  auto x = a.create_vector();
  x->randomize(seed);
  return x;
}

/// |x.Ay - y.Ax| is within the rounding of both: each product is off by less than (entries of a row + log n) epsilon.
void expect_symmetric(Operator const& a) {
  auto const x = random_like(a, 1);
  auto const y = random_like(a, 2);
  auto const ax = a.create_vector();
  auto const ay = a.create_vector();
  a.apply(*x, *ax);
  a.apply(*y, *ay);
  double const size = std::sqrt(x->square() * y->square()) * a.norm_bound();
  EXPECT_NEAR(x->dot(*ay), y->dot(*ax), 40 * epsilon * size);
}

void expect_positive(Operator const& a) {
  for (std::uint64_t seed : {5U, 6U, 7U}) {
    auto const x = random_like(a, seed);
    auto const ax = a.create_vector();
    EXPECT_GT(apply_dot(a, *x, *ax), 0);
  }
}

std::vector<std::vector<Index>> awkward_sizes() {
  return {{1},    {2},      {3},      {7},       {101},     {1, 1},     {2, 1},
          {5, 2}, {13, 17}, {64, 48}, {1, 1, 1}, {3, 2, 1}, {5, 7, 11}, {24, 24, 24}};
}

/// Sizes with at least one cell per block.
bool fits(std::vector<Index> const& cells, int blocks_per_rank) {
  Index total = 1;
  for (Index const n : cells) total *= n;
  try {
    [[maybe_unused]] auto const mesh = unit_mesh(cells, {.blocks_per_rank = blocks_per_rank});
  } catch (InputError const&) {
    return false;
  }
  return total >= communicator().size();
}

TEST(Diffusion, IsSymmetricAndPositiveOnEveryLevel) {
  for (int const blocks : {1, 2}) {
    for (auto const& cells : awkward_sizes()) {
      if (!fits(cells, blocks)) continue;
      for (bool const varying : {false, true}) {
        auto const mesh = unit_mesh(cells, {.stretched = varying && cells[0] > 2, .blocks_per_rank = blocks});
        auto const k = cell_field<double>(mesh, checkerboard(1e4));
        DiffusionDescription const description{.mesh = mesh, .conditions = all_walls(BoundaryKind::dirichlet)};
        DiffusionMaterial<double> material;
        if (varying) material.conductivity = &k;
        auto const a = make_diffusion<double>(description, material);
        Multigrid multigrid;
        multigrid.prepare(*a);
        for (int level = 0; level < multigrid.levels(); ++level) {
          SCOPED_TRACE("cells " + std::to_string(cells[0]) + ", level " + std::to_string(level));
          expect_symmetric(multigrid.level_operator(level));
          expect_positive(multigrid.level_operator(level));
        }
        EXPECT_EQ(multigrid.level_operator(multigrid.levels() - 1).create_vector()->size(), 1);
      }
    }
  }
}

TEST(Diffusion, ConstantFormIsFaceForm) {
  for (auto const centring : {Centring::cell, Centring::node}) {
    auto const mesh = unit_mesh({12, 9, 10});
    BoundaryConditions conditions = all_walls(BoundaryKind::dirichlet);
    if (centring == Centring::cell) conditions.at(1, 1) = {.kind = BoundaryKind::robin, .a = 2, .b = 0.3};
    if (centring == Centring::cell) conditions.at(2, -1) = {.kind = BoundaryKind::neumann};
    DiffusionDescription const description{
        .mesh = mesh, .centring = centring, .conditions = conditions, .conductivity = 0.7, .mass = 3};
    Field<double> one(mesh, {.name = "one", .centring = centring});
    one.fill(1);
    auto const constant = make_diffusion<double>(description);
    auto const faces = make_diffusion<double>(description, {.conductivity = &one});
    auto const x = random_like(*constant, 4);
    auto const y = constant->create_vector();
    auto const z = constant->create_vector();
    constant->apply(*x, *y);
    faces->apply(*x, *z);
    z->add(-1, *y);
    // Both evaluate 14 products of the same numbers, each with a few roundings.
    EXPECT_LE(z->maximum(), 30 * epsilon * constant->norm_bound());
  }
}

TEST(Diffusion, APeriodicAxisHasNoWalls) {
  auto const mesh = unit_mesh({12, 9}, {.periodic = {false, true, false}});
  for (BoundaryKind const kind : {BoundaryKind::dirichlet, BoundaryKind::neumann}) {
    EXPECT_THAT([&] { static_cast<void>(make_diffusion<double>({.mesh = mesh, .conditions = all_walls(kind)})); },
                ThrowsMessage<InputError>(HasSubstr("the south wall is " + to_string(kind) +
                                                    ", but the mesh is periodic along y and has no such wall")));
  }
  BoundaryConditions walls = all_walls(BoundaryKind::dirichlet);
  for (int const side : {-1, 1}) walls.at(1, side).kind = BoundaryKind::periodic;
  EXPECT_NO_THROW(static_cast<void>(make_diffusion<double>({.mesh = mesh, .conditions = walls})));
}

TEST(Diffusion, ConservesWhereNothingPassesTheWalls) {
  auto const mesh = unit_mesh({31, 14}, {.stretched = true, .periodic = {}});
  auto const k = cell_field<double>(mesh, checkerboard(1e-4));
  DiffusionDescription const description{.mesh = mesh, .conditions = all_walls(BoundaryKind::neumann)};
  auto const a = make_diffusion<double>(description, {.conductivity = &k});
  auto const x = random_like(*a, 9);
  auto const y = a->create_vector();
  auto const ones = a->create_vector();
  ones->fill(1);
  a->apply(*x, *y);
  EXPECT_NEAR(ones->dot(*y), 0, 10 * epsilon * a->norm_bound() * static_cast<double>(x->size()));
}

TEST(Diffusion, KnowsTeaLeafsFaces) {
  // One step of implicit Euler as in TeaLeaf: the face coefficient (a + b) / (2 a b) of densities a and b is the
  // arithmetic mean of their inverses.
  auto const mesh = unit_mesh({6, 5});
  auto const conductivity = cell_field<double>(mesh, [](Index i, Index, Index) { return i < 3 ? 1 / 100.0 : 1 / 0.1; });
  DiffusionDescription const description{
      .mesh = mesh, .conditions = all_walls(BoundaryKind::neumann), .conductivity = 0.004, .mass = 1};
  auto const a = make_diffusion<double>(description,
                                        {.conductivity = &conductivity, .mass = nullptr, .mean = FaceMean::arithmetic});
  auto const row_sum = a->norm_bound();
  double const volume = 1.0 / 30;
  double const x_face = 0.004 * (1 / 0.1) * (1.0 / 5) * 6;
  double const x_jump = 0.004 * (100 + 0.1) / (2 * 100 * 0.1) * (1.0 / 5) * 6;
  double const y_face = 0.004 * (1 / 0.1) * (1.0 / 6) * 5;
  // The largest row: a low-density cell with low-density neighbours on all sides.
  double const expected = volume + 2 * (2 * x_face + 2 * y_face);
  EXPECT_GT(expected, volume + 2 * (x_face + x_jump + 2 * y_face));
  EXPECT_NEAR(row_sum, expected, 20 * epsilon * expected);
}

TEST(Diffusion, RefusesWhatIsNotDefinite) {
  auto const mesh = unit_mesh({8, 8});
  auto const make = [&](BoundaryCondition const& condition, Centring centring) {
    return make_diffusion<double>(
        {.mesh = mesh, .centring = centring, .conditions = BoundaryConditions::all(condition)});
  };
  EXPECT_THAT([&] { (void)make({.kind = BoundaryKind::robin, .a = -1, .b = 1}, Centring::cell); },
              ThrowsMessage<InputError>(
                  "the robin condition on the west face needs `a` and `b` of one sign, and `b` not zero on nodes"));
  EXPECT_THAT([&] { (void)make({.kind = BoundaryKind::robin, .a = 1, .b = 0}, Centring::node); },
              ThrowsMessage<InputError>(HasSubstr("`b` not zero on nodes")));
  EXPECT_THAT([&] { (void)make({.kind = BoundaryKind::zero}, Centring::cell); },
              ThrowsMessage<InputError>("`zero` does not determine the flux through the west face"));
  EXPECT_THAT(
      [&] { (void)make_diffusion<double>({.mesh = mesh, .conditions = all_walls(BoundaryKind::neumann), .mass = -1}); },
      ThrowsMessage<InputError>("diffusion: the mass must be finite and not below zero"));
  EXPECT_THAT(
      [&] {
        (void)make_diffusion<double>({.mesh = mesh,
                                      .conditions = all_walls(BoundaryKind::neumann),
                                      .conductivity = std::numeric_limits<double>::quiet_NaN()});
      },
      ThrowsMessage<InputError>("diffusion: the conductivity must be finite and not below zero"));
}

TEST(Diffusion, RefusesAMeshOfGivenNodesOnly) {
  auto const mesh = unit_mesh({1}, {}, this_rank());
  EXPECT_THAT(
      [&] {
        (void)make_diffusion<double>(
            {.mesh = mesh, .centring = Centring::node, .conditions = all_walls(BoundaryKind::dirichlet)});
      },
      ThrowsMessage<InputError>(HasSubstr("all nodes of an axis lie on walls with a given value")));
}

TEST(ControlVolumes, MergeToTheSameWallsAndTotal) {
  auto const mesh = unit_mesh({7}, {.stretched = true, .periodic = {}}, this_rank());
  ControlVolumes const fine = control_volumes(*mesh, 0, Centring::cell, all_walls(BoundaryKind::dirichlet));
  ControlVolumes const coarse = fine.merged({0, 2, 4, 6, 7});
  ASSERT_EQ(coarse.size(), 4);
  double total = 0;
  for (double const width : coarse.width) total += width;
  EXPECT_NEAR(total, 1, 8 * epsilon);
  EXPECT_NEAR(coarse.position[0], coarse.width[0] / 2, 8 * epsilon);
  EXPECT_NEAR(1 / coarse.conductance(0), coarse.width[0] / 2, 8 * epsilon);
  EXPECT_NEAR(1 / coarse.conductance(4), coarse.width[3] / 2, 8 * epsilon);
  EXPECT_NEAR(1 / coarse.conductance(1), (coarse.width[0] + coarse.width[1]) / 2, 8 * epsilon);
}

TEST(Diffusion, SaysWhereNothingHoldsTheUnknown) {
  struct Case {
    BoundaryConditions conditions;
    double mass = 0;
    bool singular = false;
  };
  BoundaryConditions one_held = all_walls(BoundaryKind::neumann);
  one_held.at(1, 1).kind = BoundaryKind::dirichlet;
  BoundaryConditions hardly_held = all_walls(BoundaryKind::neumann);
  hardly_held.at(0, -1) = {.kind = BoundaryKind::robin, .a = 1e-30, .b = 1};
  BoundaryConditions robin_in_name = hardly_held;
  robin_in_name.at(0, -1).a = 0;
  std::vector<Case> const cases{{.conditions = all_walls(BoundaryKind::dirichlet)},
                                {.conditions = all_walls(BoundaryKind::neumann), .singular = true},
                                {.conditions = all_walls(BoundaryKind::reflecting), .singular = true},
                                {.conditions = all_walls(BoundaryKind::neumann), .mass = 1e-30},
                                {.conditions = one_held},
                                {.conditions = hardly_held},
                                {.conditions = robin_in_name, .singular = true}};
  for (bool const stretched : {false, true}) {
    auto const mesh = unit_mesh({13, 11}, {.stretched = stretched, .periodic = {}});
    for (Centring const centring : {Centring::cell, Centring::node}) {
      for (Case const& test : cases) {
        auto const a = make_diffusion<double>(
            {.mesh = mesh, .centring = centring, .conditions = test.conditions, .mass = test.mass});
        auto const measure = a->null_space_measure();
        ASSERT_EQ(measure != nullptr, test.singular);
        if (!test.singular) continue;
        // Volumes of the unit square; and the constants are indeed in the null space.
        auto const ones = a->create_vector();
        ones->fill(1);
        EXPECT_NEAR(measure->dot(*ones), 1, 1e-13);
        auto const product = a->create_vector();
        a->apply(*ones, *product);
        EXPECT_LE(product->maximum(), 4 * std::numeric_limits<double>::epsilon() * a->norm_bound());
      }
    }
  }
}

}  // namespace
}  // namespace halocline
