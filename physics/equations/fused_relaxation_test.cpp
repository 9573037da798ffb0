#include "framework/multigrid/fused_relaxation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/coarse_coefficients.hpp"
#include "framework/multigrid/face_level.hpp"
#include "framework/operator/relaxation.hpp"
#include "physics/equations/constant_level.hpp"
#include "physics/equations/constant_rows.hpp"
#include "physics/equations/test_problems.hpp"

// Both colours in one pass over memory, tested alone; coarsening_test.cpp tests the passes that use them.

namespace halocline {
namespace {

using namespace halocline::test;

struct Problem {
  std::vector<Index> cells;
  Centring centring = Centring::cell;
  Periodicity periodic{};
};

/// An operator with constant coefficients that differ along each axis and at each wall, and its parts.
template <int Dimensions>
struct ConstantParts {
  using Rows = ConstantRows<double, Dimensions>;

  explicit ConstantParts(Problem const& problem) : mesh(unit_mesh(problem.cells, {.periodic = problem.periodic})) {
    BoundaryConditions conditions = all_walls(BoundaryKind::dirichlet);
    ConstantDiffusion<double, Dimensions> functor{.coupling = {1, 0.5, 2}, .shift = 0.25};
    for (int axis = 0; axis < Dimensions; ++axis) {
      bool const periodic = mesh->periodic(axis);
      if (periodic) conditions.at(axis, -1).kind = conditions.at(axis, 1).kind = BoundaryKind::periodic;
      functor.wall[axis][0] = periodic ? functor.coupling[axis] : 3;
      functor.wall[axis][1] = periodic ? functor.coupling[axis] : 0;
    }
    grid = control_volume_grid(mesh, problem.centring, conditions);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      functor.first[axis] = grid.volumes[axis].first_entry;
      functor.last[axis] = functor.first[axis] + grid.volumes[axis].size() - 1;
    }
    a = make_constant_operator<double, Dimensions>(grid, functor);
    bool open = false;
    for (Block const& block : mesh->blocks()) {
      rows.push_back(constant_rows(functor, grid.first_entry(block)));
      for (int axis = 0; axis < Dimensions; ++axis) {
        open = open || block.neighbour(axis, -1).has_value() || block.neighbour(axis, 1).has_value();
      }
    }
    x = a->create_vector();
    if (mesh->communicator().any(open)) {
      exchange = std::make_unique<Exchange>(std::vector<FieldBase const*>{&field(*x)});
    }
  }
  [[nodiscard]] static Field<double>& field(Vector const& vector) { return as_field_vector<double>(vector).field(); }

  std::shared_ptr<StructuredMesh const> mesh;
  std::unique_ptr<Operator> a;
  ControlVolumeGrid grid;
  std::vector<Rows> rows;
  std::unique_ptr<Vector> x;
  std::unique_ptr<Exchange> exchange;
};

struct WavyValues {
  int seed;
  Index first[3];
  Index period[3];
  KOKKOS_FUNCTION double operator()(Index i, Index j, Index k) const {
    return 1.5 + Kokkos::sin(static_cast<double>(seed * (1 + 7 * at(0, i) + 31 * at(1, j) + 101 * at(2, k))));
  }
  KOKKOS_FUNCTION Index at(int axis, Index n) const { return (first[axis] + n + period[axis]) % period[axis]; }
};

/// The same with rough coefficients of the faces.
template <int Dimensions>
struct FaceParts {
  using Rows = FaceRows<double, Dimensions>;

  explicit FaceParts(Problem const& problem) : whole(problem), mesh(whole.mesh), grid(whole.grid) {
    FaceCoefficients<double> faces(grid);
    int seed = 5;
    auto const fill = [&](Field<double>& field) {
      ++seed;
      for (Block const& block : mesh->blocks()) {
        IndexRange all = grid.unknowns(block);
        for (std::size_t axis = 0; axis < Dimensions; ++axis) --all.begin[axis], ++all.end[axis];
        WavyValues values{seed, {}, {1, 1, 1}};
        for (std::size_t axis = 0; axis < Dimensions; ++axis) {
          values.first[axis] = grid.first_entry(block)[axis];
          // Without a period, more than any index.
          values.period[axis] = mesh->periodic(static_cast<int>(axis)) ? mesh->extents(Centring::cell)[axis] : 1000;
        }
        set_values(execution(block), all, field.view(block), values);
      }
    };
    for (std::size_t axis = 0; axis < Dimensions; ++axis) fill(*faces.faces[axis]);
    fill(*faces.shift);
    sum_diagonal(grid, faces);
    coefficients = std::make_shared<FaceCoefficients<double>>(faces);
    for (Block const& block : mesh->blocks()) rows.push_back(coefficients->template rows<Dimensions>(block));
    a = make_face_operator<double, Dimensions>(grid, faces);
    x = a->create_vector();
  }
  [[nodiscard]] static Field<double>& field(Vector const& vector) { return as_field_vector<double>(vector).field(); }

  ConstantParts<Dimensions> whole;
  std::shared_ptr<StructuredMesh const> mesh;
  ControlVolumeGrid grid;
  std::shared_ptr<FaceCoefficients<double>> coefficients;
  std::unique_ptr<Operator> a;
  std::vector<Rows> rows;
  std::unique_ptr<Vector> x;
  std::unique_ptr<Exchange> const& exchange = whole.exchange;
};

template <class Parts>
void expect_half_sweeps_of(Problem const& problem) {
  SCOPED_TRACE(problem.cells[0]);
  Parts const parts(problem);
  Vector& x = *parts.x;
  auto const b = parts.a->create_vector();
  auto const expected = parts.a->create_vector();
  auto const to = parts.a->create_vector();
  FusedRelaxation<typename Parts::Rows> const fused(parts.grid, parts.rows, parts.exchange.get());
  EXPECT_EQ(fused.pays(), false);  // the problem is too small
  auto const expect_equal = [&] {
    expected->add(-1, *to);
    // Seven terms of a row and a division, twice, on values of the order of b / diagonal and x.
    EXPECT_LE(expected->maximum(), 40 * std::numeric_limits<double>::epsilon() * (x.maximum() + to->maximum()));
  };
  b->randomize(1);
  for (int const first : {0, 1}) {
    bool const forward = first == 0;
    to->randomize(2);  // must not be read
    fused.from_zero(first, parts.field(*b), parts.field(*to));
    expected->fill(0);
    parts.a->relaxation()->relax(forward, *b, *expected);
    expect_equal();

    x.randomize(3);
    to->randomize(4);
    expected->copy(x);
    if (parts.exchange != nullptr) parts.exchange->exchange({&parts.field(x)});
    fused(first, parts.field(*b), parts.field(x), parts.field(*to));
    parts.a->relaxation()->relax(forward, *b, *expected);
    expect_equal();
  }
}

template <int Dimensions>
void expect_half_sweeps(Problem const& problem) {
  expect_half_sweeps_of<ConstantParts<Dimensions>>(problem);
  expect_half_sweeps_of<FaceParts<Dimensions>>(problem);
}

TEST(FusedRelaxation, IsTwoHalfSweeps) {
  expect_half_sweeps<2>({.cells = {30, 23}});
  expect_half_sweeps<2>({.cells = {29, 31}, .centring = Centring::node});
  expect_half_sweeps<2>({.cells = {24, 30}, .periodic = {true, true, false}});
  // With an odd count two neighbours across the periodic boundary have the same colour.
  expect_half_sweeps<2>({.cells = {25, 31}, .periodic = {true, false, false}});
  expect_half_sweeps<3>({.cells = {15, 13, 12}, .periodic = {false, true, false}});
  expect_half_sweeps<3>({.cells = {13, 11, 24}});
  expect_half_sweeps<3>({.cells = {20, 14, 12}, .centring = Centring::node});
  expect_half_sweeps<3>({.cells = {12, 16, 20}, .periodic = {true, false, true}});
}

/// Blocks so thin that they consist of shell only.
TEST(FusedRelaxation, NeedsNoInside) {
  expect_half_sweeps<2>({.cells = {16, 3}});
  expect_half_sweeps<3>({.cells = {5, 4, 12}});
}

}  // namespace
}  // namespace halocline
