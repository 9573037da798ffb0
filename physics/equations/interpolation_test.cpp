#include "framework/multigrid/cubic_interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "framework/operator/test_problem.hpp"
#include "framework/runtime/communicator.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

using namespace halocline::test;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

using Point = std::array<double, 3>;

/// Values of a function at the unknowns of a block, x fastest.
template <class Function>
std::vector<double> values_at(ControlVolumeGrid const& grid, Block const& block, Function const& function) {
  Extents const first = grid.first_unknown(block);
  IndexRange const box = grid.unknowns(block);
  auto const position = [&](int axis, Index n) {
    auto const a = static_cast<std::size_t>(axis);
    return grid.volumes[a].position[static_cast<std::size_t>(first[a] + n)];
  };
  std::vector<double> values;
  for (Index k = 0; k < box.extent(2); ++k) {
    for (Index j = 0; j < box.extent(1); ++j) {
      for (Index i = 0; i < box.extent(0); ++i) {
        values.push_back(function(Point{position(0, i), position(1, j), position(2, k)}));
      }
    }
  }
  return values;
}

/// The largest difference, over all ranks, between a function and its interpolation from a grid coarsened by `factor`.
template <class Function>
double error(ControlVolumeGrid const& fine, std::array<Index, 3> const& factor, Function const& function) {
  auto const coarse = coarsened(fine, factor);
  if (!coarse) return 0;  // a rank without unknowns
  auto const vector_on = [](ControlVolumeGrid const& grid) {
    auto field = std::make_shared<Field<double>>(grid.mesh,
                                                 FieldDescription{.name = "u", .centring = grid.centring, .ghosts = 1});
    return FieldVector<double>(std::move(field), grid.unknowns());
  };
  FieldVector<double> const from = vector_on(*coarse);
  FieldVector<double> const to = vector_on(fine);
  for (Block const& block : coarse->mesh->blocks()) {
    std::vector<double> const values = values_at(*coarse, block, function);
    from.field().set_owned(block, 0, std::as_bytes(std::span(values)));
  }
  CubicInterpolation<double>(fine, *coarse, factor)(from.field(), to.field());
  double largest = 0;
  std::size_t n = 0;
  std::vector<double> const found = test_problem::values_of<double>(to);
  for (Block const& block : fine.mesh->blocks()) {
    for (double const expected : values_at(fine, block, function)) {
      largest = std::max(largest, std::abs(found[n++] - expected));
    }
  }
  return communicator().max(largest);
}

struct GridCase {
  std::vector<Index> cells;
  std::array<Index, 3> factor;
  Centring centring = Centring::cell;
  bool stretched = false;
  Periodicity periodic{};
};

ControlVolumeGrid grid_of(GridCase const& test) {
  auto const mesh = unit_mesh(test.cells, {.stretched = test.stretched, .periodic = test.periodic});
  BoundaryConditions conditions = all_walls(BoundaryKind::dirichlet);
  for (int axis = 0; axis < 3; ++axis) {
    if (!test.periodic[static_cast<std::size_t>(axis)]) continue;
    for (int const side : {-1, 1}) conditions.at(axis, side).kind = BoundaryKind::periodic;
  }
  return control_volume_grid(mesh, test.centring, conditions);
}

TEST(CubicInterpolation, IsExactForPolynomialsOfThirdOrder) {
  // On four ranks each block of these has at least three coarse unknowns along an axis, and a fourth next to it.
  std::vector<GridCase> const cases{
      {.cells = {53}, .factor = {2, 1, 1}},
      {.cells = {47}, .factor = {2, 1, 1}, .centring = Centring::node, .stretched = true},
      {.cells = {40, 37}, .factor = {2, 2, 1}, .stretched = true},
      {.cells = {41, 30}, .factor = {1, 2, 1}, .centring = Centring::node},
      {.cells = {29, 31, 37}, .factor = {2, 2, 2}},
      {.cells = {28, 29, 30}, .factor = {2, 1, 2}, .stretched = true},
      {.cells = {30, 32, 28}, .factor = {2, 2, 2}, .centring = Centring::node},
  };
  auto const polynomial = [](Point const& at) {
    auto const cubic = [](double s) { return 1 + s * (2 + s * (-3 + s * 4)); };
    return cubic(at[0]) * cubic(at[1] - 0.5) * cubic(0.7 - at[2]);
  };
  for (GridCase const& test : cases) {
    SCOPED_TRACE(std::to_string(test.cells[0]));
    // 64 terms with weights below 2.3 each (one-sided, all axes at once) and values below 90.
    EXPECT_LE(error(grid_of(test), test.factor, polynomial), 64 * 2.3 * 90 * epsilon);
  }
}

TEST(CubicInterpolation, OfAConstantIsTheConstantWhateverTheSize) {
  for (Index const cells : {1, 2, 3, 5, 7}) {
    for (bool const periodic : {false, true}) {
      std::vector<Index> const all{4 * cells, 2 * cells + 3, cells};
      for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
        GridCase const test{.cells = {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(dimensions)},
                            .factor = {2, dimensions > 1 ? 2 : 1, dimensions > 2 ? 2 : 1},
                            .periodic = {periodic, false, periodic && dimensions > 2}};
        EXPECT_LE(error(grid_of(test), test.factor, [](Point const&) { return 3.0; }), 200 * epsilon)
            << cells << " cells, periodic: " << periodic << ", dimensions: " << dimensions;
      }
    }
  }
}

TEST(CubicInterpolation, IsOfFourthOrderAroundPeriodicEnds) {
  auto const wave = [](Point const& at) {
    return std::sin(2 * std::numbers::pi * at[0]) * std::cos(2 * std::numbers::pi * at[1]);
  };
  auto const at = [&](Index cells) {
    GridCase const test{.cells = {cells, cells}, .factor = {2, 2, 1}, .periodic = {true, true, false}};
    return error(grid_of(test), test.factor, wave);
  };
  // The next term of the series is smaller by (2 pi h)^2, 4 % at 32 cells.
  EXPECT_NEAR(std::log2(at(32) / at(64)), 4, 0.1);
}

}  // namespace
}  // namespace halocline
