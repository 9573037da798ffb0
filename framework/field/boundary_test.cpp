#include "framework/field/boundary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

using test::all_centrings;
using test::HostCopy;
using test::mesh_of;
using test::message_of;

template <class Visit>
void for_each(IndexRange const& range, Visit const& visit) {
  for (Index k = range.begin[2]; k < range.end[2]; ++k) {
    for (Index j = range.begin[1]; j < range.end[1]; ++j) {
      for (Index i = range.begin[0]; i < range.end[0]; ++i) visit(i, j, k);
    }
  }
}

bool contains(IndexRange const& range, Index i, Index j, Index k) {
  return !intersection(range, {{i, j, k}, {i + 1, j + 1, k + 1}}).empty();
}

/// Sets every entry beyond a physical face of the block, and with `walls` also those on it, to NaN: none may be read
/// before it is written.
template <class Real>
void spoil_physical_ghosts(Field<Real>& field, bool walls = false) {
  for (Block const& block : field.mesh().blocks()) {
    IndexRange known = field.with_ghosts(block);
    IndexRange const owned = field.owned(block);
    for (int axis = 0; axis < field.mesh().dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      Index const wall = walls && on_edges(field.centring(), axis) ? 1 : 0;
      if (!block.neighbour(axis, -1)) known.begin[a] = owned.begin[a] + wall;
      if (!block.neighbour(axis, 1)) known.end[a] = owned.end[a] - wall;
    }
    HostCopy<Real> host(field, block);
    for (int c = 0; c < field.components(); ++c) {
      for_each(field.with_ghosts(block), [&](Index i, Index j, Index k) {
        if (!contains(known, i, j, k)) host(c, i, j, k) = std::numeric_limits<Real>::quiet_NaN();
      });
    }
    host.write_back();
  }
}

/// Conditions on every face that `u`, with the given derivatives (as expressions), satisfies.
BoundaryConditions conditions_of(BoundaryKind kind, std::string const& u,
                                 std::array<std::string, 3> const& derivative) {
  BoundaryConditions conditions;
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : {-1, 1}) {
      std::string normal = side < 0 ? "-(" : "(";
      normal.append(derivative[static_cast<std::size_t>(axis)]).append(")");
      BoundaryCondition& condition = conditions.at(axis, side);
      condition.kind = kind;
      if (kind == BoundaryKind::dirichlet) condition.value = Expression(u);
      if (kind == BoundaryKind::neumann) condition.value = Expression(normal);
      if (kind == BoundaryKind::robin) {
        condition.a = 0.7;
        condition.b = 1.3;
        condition.value = Expression(std::string("0.7 * (").append(u).append(") + 1.3 * ").append(normal));
      }
    }
  }
  return conditions;
}

/// Largest difference between a field and the expression that it should equal, over owned entries and ghosts. Without
/// corners, only entries beyond at most one face.
template <class Real>
double largest_error(Field<Real>& field, std::string const& text, double time, bool corners) {
  Expression const expression(text);
  StructuredMesh const& mesh = structured(field.mesh());
  double largest = 0;
  for (Block const& block : mesh.blocks()) {
    HostCopy<Real> host(field, block);
    IndexRange const all = field.with_ghosts(block);
    IndexRange const owned = field.owned(block);
    std::vector<double> position[3];
    for (int axis = 0; axis < 3; ++axis)
      position[axis] = mesh.coordinates(block, axis, field.centring(), field.ghosts());
    for_each(all, [&](Index i, Index j, Index k) {
      Index const at[3] = {i, j, k};
      int beyond = 0;
      double x[3];
      for (std::size_t a = 0; a < 3; ++a) {
        beyond += at[a] < owned.begin[a] || at[a] >= owned.end[a];
        x[a] = position[a][static_cast<std::size_t>(at[a] - all.begin[a])];
      }
      if (beyond > 1 && !corners) return;
      double const error = std::abs(static_cast<double>(host(0, i, j, k)) - expression(x[0], x[1], x[2], time));
      largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
    });
  }
  return largest;
}

std::vector<Axis> stretched_axes() {
  std::vector<double> x{0};
  for (int i = 0; i < 12; ++i) x.push_back(x.back() + 0.1 + 0.03 * (i % 4));
  return {Axis::stretched(x), Axis::uniform(9, -1, 2), Axis::uniform(8, 0, 1)};
}

constexpr BoundaryKind with_values[] = {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::robin};

TEST(Boundary, IsExactForLinearFieldsInGhostsOfEveryWidth) {
  auto const mesh = mesh_of(stretched_axes());
  std::string const u = "1 + 2 * x - 3 * y + 0.5 * z + 4 * t";
  for (BoundaryKind const kind : with_values) {
    for (Centring const centring : all_centrings) {
      for (int const ghosts : {1, 2, 3, 4}) {
        for (BoundaryReach const reach : {BoundaryReach::faces, BoundaryReach::corners}) {
          Field<double> field(mesh, {.name = "u", .centring = centring, .ghosts = ghosts});
          field.fill(Expression(u), 0.25);
          spoil_physical_ghosts(field, kind == BoundaryKind::dirichlet && reach == BoundaryReach::corners);
          BoundaryFill boundary(field, conditions_of(kind, u, {"2", "-3", "0.5"}));
          boundary.fill(field, 0.25, reach);
          // Values are below 30, after a few operations with rounding errors of 1.1e-16 each.
          EXPECT_LT(largest_error(field, u, 0.25, reach == BoundaryReach::corners), 1e-13)
              << to_string(kind) << ' ' << to_string(centring) << ' ' << ghosts;
        }
      }
    }
  }
}

TEST(Boundary, SinglePrecisionIsExactToo) {
  auto const mesh = mesh_of(stretched_axes());
  std::string const u = "1 + 2 * x - 3 * y + 0.5 * z";
  for (BoundaryKind const kind : with_values) {
    Field<float> field(mesh, {.name = "u", .ghosts = 2});
    field.fill(Expression(u), 0);
    spoil_physical_ghosts(field);
    BoundaryFill(field, conditions_of(kind, u, {"2", "-3", "0.5"})).fill(field, 0, BoundaryReach::corners);
    EXPECT_LT(largest_error(field, u, 0, true), 5e-5) << to_string(kind);  // 6e-8 times values below 30
  }
}

/// Error of ghosts on a line of `cells` cells for a smooth u.
double error_of(BoundaryKind kind, Centring centring, Index cells) {
  auto const mesh = mesh_of({Axis::uniform(cells, 0.1, 0.9)});
  Field<double> field(mesh, {.name = "u", .centring = centring, .ghosts = 1});
  field.fill(Expression("exp(x)"), 0);
  spoil_physical_ghosts(field);
  BoundaryFill(field, conditions_of(kind, "exp(x)", {"exp(x)", "0", "0"})).fill(field, 0);
  return test::communicator().max(largest_error(field, "exp(x)", 0, false));
}

TEST(Boundary, ConvergesWithTheOrderOfItsFormula) {
  struct Case {
    BoundaryKind kind;
    Centring centring;
    double order;
  };
  Case const cases[] = {{BoundaryKind::dirichlet, Centring::cell, 2}, {BoundaryKind::neumann, Centring::cell, 3},
                        {BoundaryKind::robin, Centring::cell, 3},     {BoundaryKind::dirichlet, Centring::node, 2},
                        {BoundaryKind::neumann, Centring::node, 3},   {BoundaryKind::robin, Centring::node, 3}};
  for (Case const& c : cases) {
    double const order = std::log2(error_of(c.kind, c.centring, 64) / error_of(c.kind, c.centring, 128));
    EXPECT_NEAR(order, c.order, 0.1) << to_string(c.kind) << ' ' << to_string(c.centring);
  }
}

TEST(Boundary, FollowsTime) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)});
  Field<double> field(mesh, {.name = "u"});
  BoundaryFill boundary(field, conditions_of(BoundaryKind::dirichlet, "t * y + x", {"", "", ""}));
  for (double const time : {0.0, 1.0, 1.0, 3.0}) {
    field.fill(Expression("t * y + x"), time);
    spoil_physical_ghosts(field);
    boundary.fill(field, time);
    EXPECT_LT(largest_error(field, "t * y + x", time, false), 1e-14);
  }
}

/// Entries on a Dirichlet wall equal the expression, on faces of any direction and size and at any time.
template <class Real>
void expect_walls_of(std::vector<Axis> const& axes, std::string const& text) {
  auto const mesh = mesh_of(axes);
  Expression const value(text);
  Field<Real> field(mesh, {.name = "u", .centring = Centring::node, .ghosts = 2});
  BoundaryFill boundary(field, BoundaryConditions::all({.kind = BoundaryKind::dirichlet, .value = value}));
  for (double const time : {0.5, 0.25, 0.25, 3.0}) {
    field.fill(-7);
    boundary.fill(field, time);
    for (Block const& block : mesh->blocks()) {
      HostCopy<Real> u(field, block);
      IndexRange const owned = field.owned(block);
      std::vector<double> along[3];
      for (int axis = 0; axis < 3; ++axis) along[axis] = mesh->coordinates(block, axis, Centring::node, 0);
      for_each(owned, [&](Index i, Index j, Index k) {
        Index const at[3] = {i, j, k};
        bool on_wall = false;
        for (int axis = 0; axis < mesh->dimensions(); ++axis) {
          on_wall = on_wall || (at[axis] == 0 && !block.neighbour(axis, -1)) ||
                    (at[axis] == owned.extent(axis) - 1 && !block.neighbour(axis, 1));
        }
        auto const position = [&](int axis) { return along[axis][static_cast<std::size_t>(at[axis])]; };
        auto const expected =
            on_wall ? static_cast<Real>(value(position(0), position(1), position(2), time)) : Real{-7};
        // Functions on devices differ by a few units in the last place.
        Real const tolerance = memory_on_host ? Real{0} : 16 * std::numeric_limits<Real>::epsilon();
        ASSERT_NEAR(u(0, i, j, k), expected, tolerance) << text << " at " << i << ' ' << j << ' ' << k << ' ' << time;
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Boundary, HasTheValuesOfItsExpressionAtAnyTime) {
  std::vector<std::vector<Axis>> const domains{{Axis::uniform(9, 0, 1)},
                                               {Axis::uniform(300, 0, 1), Axis::uniform(7, 0, 1)},
                                               {Axis::uniform(6, 0, 1), Axis::uniform(170, 0, 1)},
                                               stretched_axes()};
  for (std::vector<Axis> const& axes : domains) {
    for (std::string const text : {"cos(x + 2*y - z)*exp(-t)", "y < t ? random(1) : sin(z + t)", "t"}) {
      expect_walls_of<double>(axes, text);
      expect_walls_of<float>(axes, text);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Boundary, NamesWhereAValueThatDependsOnTimeIsNone) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 8), Axis::uniform(6, 0, 6)});
  Field<double> field(mesh, {.name = "u"});
  BoundaryConditions conditions = BoundaryConditions::all({.kind = BoundaryKind::zero});
  conditions.at(1, -1) = {.kind = BoundaryKind::dirichlet, .value = Expression("x < 0 || x > 2 && t > 1 ? 1/0 : 2")};
  BoundaryFill boundary(field, conditions);
  boundary.fill(field, 1);  // the expression has no finite value at ghosts beyond two faces
  for (Block const& block : mesh->blocks()) {
    bool const at_wall = !block.neighbour(1, -1);
    Index const first = std::max<Index>(2, block.cells.begin[0]);
    if (!at_wall || first >= block.cells.end[0]) continue;
    EXPECT_EQ(message_of([&] { boundary.fill(field, 2); }),
              "boundary.south: 'x < 0 || x > 2 && t > 1 ? 1/0 : 2' is not a finite number at (" +
                  std::to_string(first) + ".5, 0, 0), t = 2");
  }
}

TEST(Boundary, ReflectingTurnsNormalComponentsAround) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(9, 0, 1)});
  Field<double> velocity(mesh, {.name = "v", .components = 2, .ghosts = 2, .vector = true});
  for (int c = 0; c < 2; ++c) velocity.fill(Expression("1 + x + 10 * y"), 0, c);
  BoundaryFill boundary(velocity, BoundaryConditions::all({.kind = BoundaryKind::reflecting}));
  boundary.fill(velocity, 0, BoundaryReach::corners);
  for (Block const& block : mesh->blocks()) {
    IndexRange const owned = velocity.owned(block);
    HostCopy<double> v(velocity, block);
    bool const west = !block.neighbour(0, -1);
    bool const north = !block.neighbour(1, 1);
    Index const last = owned.end[1] - 1;
    for (Index n = 0; n < 2; ++n) {
      if (west) {
        EXPECT_EQ(v(0, -1 - n, 3, 0), -v(0, n, 3, 0));
      }
      if (west) {
        EXPECT_EQ(v(1, -1 - n, 3, 0), v(1, n, 3, 0));
      }
      if (north) {
        EXPECT_EQ(v(0, 1, last + 1 + n, 0), v(0, 1, last - n, 0));
      }
      if (north) {
        EXPECT_EQ(v(1, 1, last + 1 + n, 0), -v(1, 1, last - n, 0));
      }
      if (west && north) {
        EXPECT_EQ(v(0, -1 - n, last + 1, 0), -v(0, n, last, 0));
      }
    }
  }
}

TEST(Boundary, ReflectingStopsFlowThroughNormalFaces) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)});
  Field<double> flow(mesh, {.name = "v", .centring = Centring::face_x, .ghosts = 2, .vector = true});
  flow.fill(3.0);
  BoundaryFill(flow, BoundaryConditions::all({.kind = BoundaryKind::reflecting})).fill(flow, 0);
  for (Block const& block : mesh->blocks()) {
    HostCopy<double> v(flow, block);
    if (block.neighbour(0, -1)) continue;
    EXPECT_EQ(v(0, 0, 1, 0), 0);
    EXPECT_EQ(v(0, -1, 1, 0), -3);
    EXPECT_EQ(v(0, -2, 1, 0), -3);
    if (!block.neighbour(1, -1)) {
      EXPECT_EQ(v(0, 1, -1, 0), 3);
    }
  }
}

TEST(Boundary, ZeroFillsWithZeroAndLeavesWallsAlone) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1)});
  for (Centring const centring : {Centring::cell, Centring::node}) {
    Field<double> field(mesh, {.name = "u", .centring = centring, .ghosts = 3});
    field.fill(7.0);
    BoundaryFill(field, BoundaryConditions::all({.kind = BoundaryKind::zero})).fill(field, 0);
    for (Block const& block : mesh->blocks()) {
      HostCopy<double> u(field, block);
      IndexRange const owned = field.owned(block);
      for (Index i = -3; i < owned.end[0] + 3; ++i) {
        bool const beyond = (i < 0 && !block.neighbour(0, -1)) || (i >= owned.end[0] && !block.neighbour(0, 1));
        EXPECT_EQ(u(0, i, 0, 0), beyond ? 0 : 7);
      }
    }
  }
}

TEST(Boundary, LeavesPeriodicAxesToTheExchange) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)}, {true, false, false});
  Field<double> field(mesh, {.name = "u"});
  field.fill(5.0);
  BoundaryConditions conditions = BoundaryConditions::all({.kind = BoundaryKind::zero});
  conditions.at(0, -1).kind = conditions.at(0, 1).kind = BoundaryKind::periodic;
  BoundaryFill(field, conditions).fill(field, 0);
  for (Block const& block : mesh->blocks()) {
    HostCopy<double> u(field, block);
    EXPECT_EQ(u(0, -1, 1, 0), 5);
    if (!block.neighbour(1, -1)) {
      EXPECT_EQ(u(0, 1, -1, 0), 0);
    }
  }
}

TEST(Boundary, ThinMeshesFoldGhostsBack) {
  if (test::communicator().size() > 1) GTEST_SKIP() << "one cell is for one rank";
  for (Centring const centring : {Centring::cell, Centring::node}) {
    for (BoundaryKind const kind : with_values) {
      auto const mesh = mesh_of({Axis::uniform(1, 0, 1)});
      Field<double> field(mesh, {.name = "u", .centring = centring, .ghosts = 4});
      field.fill(Expression("2 - 3 * x"), 0);
      spoil_physical_ghosts(field);
      BoundaryFill(field, conditions_of(kind, "2 - 3 * x", {"-3", "0", "0"})).fill(field, 0);
      EXPECT_LT(largest_error(field, "2 - 3 * x", 0, false), 1e-13) << to_string(kind) << ' ' << to_string(centring);
    }
  }
}

TEST(Boundary, ARobinConditionThatFixesTheGhostAloneGivesItItsValue) {
  Axis const axis = Axis::uniform(8, 0, 1);
  auto const mesh = mesh_of({axis, axis, axis});
  for (std::string const text : {"3", "1 + x + 2 * y + 4 * z"}) {
    Expression const value(text);
    Field<double> field(mesh, {.name = "u"});
    field.fill(7);
    BoundaryFill boundary(field, BoundaryConditions::all(
                                     {.kind = BoundaryKind::robin, .value = value, .a = 16, .b = 1}));  // a / 2 = b / d
    boundary.fill(field, 0);
    for (Block const& block : mesh->blocks()) {
      HostCopy<double> u(field, block);
      for (int axis_of_face = 0; axis_of_face < 3; ++axis_of_face) {
        auto const a = static_cast<std::size_t>(axis_of_face);
        for (int const side : {-1, 1}) {
          if (block.neighbour(axis_of_face, side)) continue;
          IndexRange ghosts = field.owned(block);
          ghosts.begin[a] = side < 0 ? -1 : ghosts.end[a];
          ghosts.end[a] = ghosts.begin[a] + 1;
          for_each(ghosts, [&](Index i, Index j, Index k) {
            std::array<double, 3> at{};
            Index const local[3] = {i, j, k};
            for (std::size_t n = 0; n < 3; ++n) {
              at[n] = (static_cast<double>(block.cells.begin[n] + local[n]) + 0.5) / 8;
            }
            at[a] = side < 0 ? 0 : 1;
            ASSERT_EQ(u(0, i, j, k), value(at[0], at[1], at[2], 0) / 16) << text << ", axis " << axis_of_face;
          });
        }
      }
    }
  }
}

/// Conditions of all kinds, other ones on each face and for each n; periodic where the mesh is.
BoundaryConditions mixed_conditions(StructuredMesh const& mesh, int n) {
  BoundaryKind const kinds[] = {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::robin,
                                BoundaryKind::reflecting, BoundaryKind::zero};
  static Expression const values[] = {Expression("2"), Expression("1 + x - 2*y + 3*z"), Expression("cos(x + t)*y"),
                                      Expression("t")};
  BoundaryConditions conditions;
  for (int face = 0; face < 6; ++face) {
    int const at = face + 7 * n;
    conditions.faces[static_cast<std::size_t>(face)] = {
        .kind = mesh.periodic(face / 2) ? BoundaryKind::periodic : kinds[at % 5],
        .value = values[at % 4],
        .a = 0.3 + at,
        .b = 1.7};
  }
  return conditions;
}

/// Fills `count` fields together and one by one, and expects the same bits everywhere.
template <class Real>
void expect_filled_as_one_by_one(std::shared_ptr<StructuredMesh const> const& mesh, std::vector<Centring> const& kinds,
                                 int count, int ghosts, int components) {
  std::vector<std::unique_ptr<Field<Real>>> fields[2];
  std::vector<FieldBase*> together;
  std::vector<FieldBase const*> like;
  std::vector<BoundaryConditions> conditions;
  std::vector<BoundaryFill> alone;
  for (int n = 0; n < count; ++n) {
    FieldDescription const description{.name = "u" + std::to_string(n),
                                       .centring = kinds[static_cast<std::size_t>(n) % kinds.size()],
                                       .components = components,
                                       .ghosts = ghosts,
                                       .vector = components > 1};
    conditions.push_back(mixed_conditions(*mesh, n));
    for (auto& all : fields) {
      all.push_back(std::make_unique<Field<Real>>(mesh, description));
      for (int c = 0; c < components; ++c)
        all.back()->fill(Expression("sin(1 + x + 3*y - z) + " + std::to_string(10 * n + c)), 0, c);
    }
    together.push_back(fields[0].back().get());
    like.push_back(together.back());
    alone.emplace_back(*like.back(), conditions.back());
  }
  BoundaryFill all(like, conditions);
  for (auto const& [time, reach] : {std::pair{0.5, BoundaryReach::faces}, {0.25, BoundaryReach::corners}}) {
    all.fill(together, time, reach);
    for (std::size_t n = 0; n < like.size(); ++n) {
      alone[n].fill(*fields[1][n], time, reach);
      for (Block const& block : mesh->blocks()) {
        HostCopy<Real> mine(*fields[0][n], block);
        HostCopy<Real> other(*fields[1][n], block);
        for_each(like[n]->with_ghosts(block), [&](Index i, Index j, Index k) {
          for (int c = 0; c < components; ++c) {
            ASSERT_EQ(mine(c, i, j, k), other(c, i, j, k))
                << to_string(like[n]->centring()) << ", field " << n << " of " << count << ", component " << c << " at "
                << i << ' ' << j << ' ' << k << ", time " << time;
          }
        });
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Boundary, SeveralFieldsAreFilledTogetherAsOneByOne) {
  auto const axis = [](Index cells) { return Axis::uniform(cells, 0, 0.5 + static_cast<double>(cells)); };
  std::vector<std::vector<Axis>> domains{{axis(13)}, {axis(7), axis(11)}, {axis(5), axis(7), axis(4)}};
  if (test::communicator().size() == 1) {
    for (std::vector<Axis> const& small : {std::vector{axis(1)}, {axis(2), axis(1)}, {axis(1), axis(2), axis(3)}})
      domains.push_back(small);
  }
  std::vector<std::vector<Centring>> kinds{{std::begin(all_centrings), std::end(all_centrings)}};
  for (Centring const each : all_centrings) kinds.push_back({each});
  for (std::vector<Axis> const& axes : domains) {
    for (bool const periodic : {false, true}) {
      auto const mesh = mesh_of(axes, {periodic, false, false}, {0, 0, 0}, axes.back().cells() > 3 ? 2 : 1);
      for (std::vector<Centring> const& of_kinds : kinds) {
        for (int const count : {1, 2, 3, 10}) {
          int const components = count == 3 ? mesh->dimensions() : 1;
          expect_filled_as_one_by_one<double>(mesh, of_kinds, count, count == 2 ? 2 : 1, components);
          expect_filled_as_one_by_one<float>(mesh, of_kinds, count, count == 3 ? 2 : 1, components);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// The launches since the last call.
int launches_so_far = 0;

TEST(Boundary, FieldsOfOneLayoutTakeOneLaunch) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(7, 0, 1)});
  Field<double> u(mesh, {.name = "u"});
  Field<double> v(mesh, {.name = "v"});
  Field<double> w(mesh, {.name = "w", .centring = Centring::face_x});
  auto const conditions = [&](int count) {
    std::vector<BoundaryConditions> all;
    for (int n = 0; n < count; ++n) all.push_back(BoundaryConditions::all({.kind = with_values[n % 3]}));
    return all;
  };
  BoundaryFill same({&u, &v, &u, &v}, conditions(4));
  BoundaryFill other({&u, &v, &w}, conditions(3));
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback([](char const* name, std::uint32_t, std::uint64_t*) {
    launches_so_far += name == std::string("halocline boundary");
  });
  auto const launches = [&](BoundaryFill& fill, std::vector<FieldBase*> const& fields) {
    launches_so_far = 0;
    fill.fill(fields, 0);
    return launches_so_far;
  };
  int const of_same = launches(same, {&u, &v, &u, &v});
  int const of_other = launches(other, {&u, &v, &w});
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  EXPECT_EQ(of_same, mesh->blocks().size());
  EXPECT_EQ(of_other, 2 * mesh->blocks().size());
}

TEST(Boundary, RefusesWhatDoesNotFit) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)}, {false, true, false});
  Field<double> field(mesh, {.name = "u"});
  BoundaryConditions conditions;
  EXPECT_EQ(message_of([&] { BoundaryFill(field, conditions); }),
            "boundary.south is zero, but the mesh is periodic along y");
  conditions.at(1, -1).kind = conditions.at(1, 1).kind = conditions.at(0, 1).kind = BoundaryKind::periodic;
  EXPECT_EQ(message_of([&] { BoundaryFill(field, conditions); }),
            "boundary.east is periodic, but the mesh is not periodic along x");
  conditions.at(0, 1) = {.kind = BoundaryKind::robin, .a = -16, .b = 1};  // d = 1/8: a / 2 + b / d = 0
  EXPECT_EQ(message_of([&] { BoundaryFill(field, conditions); }),
            test::communicator().size() == 1 || !mesh->blocks().front().neighbour(0, 1)
                ? "boundary.east: robin with a = -16 and b = 1 does not determine the ghost: a / 2 + b / d "
                  "is zero"
                : "nothing was thrown");
  conditions.at(0, 1).kind = BoundaryKind::zero;
  BoundaryFill boundary(field, conditions);
  Field<double> wider(mesh, {.name = "w", .ghosts = 2});
  EXPECT_EQ(message_of([&] { boundary.fill(wider, 0); }), "field `w` is not like `u`, whose ghosts are filled");

  std::vector<FieldBase*> const both{&field, &wider};
  EXPECT_EQ(message_of([&] { boundary.fill(both, 0); }), "2 fields were given to a fill of 1");
  EXPECT_EQ(message_of([&] {
              BoundaryFill({&field, &wider}, {conditions});
            }),
            "a fill has conditions for each of its fields, and at least one field");
  Field<float> single(mesh, {.name = "s"});
  EXPECT_EQ(message_of([&] {
              BoundaryFill({&field, &single}, {conditions, conditions});
            }),
            "fields whose ghosts are filled together have one mesh and one precision");
}

TEST(Boundary, NamesWhereAValueDoesNotExist) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)});
  Field<double> field(mesh, {.name = "u"});
  BoundaryConditions conditions = BoundaryConditions::all({.kind = BoundaryKind::dirichlet});
  conditions.at(0, -1).value = Expression("1 / (y - y)");
  BoundaryFill boundary(field, conditions);
  bool const west = !mesh->blocks().front().neighbour(0, -1);
  EXPECT_THAT(
      message_of([&] { boundary.fill(field, 0); }),
      testing::StartsWith(west ? "boundary.west: '1 / (y - y)' is not a finite number at (0, " : "nothing was thrown"));
}

}  // namespace
}  // namespace halocline
