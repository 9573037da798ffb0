#include "physics/wave/sweeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/test_fields.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/test_recording.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "physics/wave/star.hpp"

namespace halocline::wave {
namespace {

using test::HostCopy;
using MeshPointer = std::shared_ptr<StructuredMesh const>;

template <class Real>
std::shared_ptr<Field<Real>> field_of(MeshPointer const& mesh) {
  return std::make_shared<Field<Real>>(mesh, FieldDescription{.name = "u", .ghosts = ghosts});
}

/// A number between -1 and 1 for every cell of a mesh, however it is partitioned; zero beyond non-periodic ends.
template <class Real>
double number_at(StructuredMesh const& mesh, Extents at, int seed) {
  Extents const cells = mesh.extents(Centring::cell);
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    if (at[a] >= 0 && at[a] < cells[a]) continue;
    if (!mesh.periodic(axis)) return 0;
    at[a] = (at[a] + cells[a]) % cells[a];
  }
  double const number = static_cast<double>(at[0] + cells[0] * (at[1] + cells[1] * at[2]) + seed);
  return static_cast<double>(static_cast<Real>(std::sin(12.9898 * number)));
}

/// Calls visit(local, global) for every cell of a block.
template <class Visit>
void for_each_cell(FieldBase const& field, Block const& block, Visit const& visit) {
  IndexRange const owned = field.owned(block);
  Extents const& first = block.cells.begin;
  for (Index k = 0; k < owned.end[2]; ++k) {
    for (Index j = 0; j < owned.end[1]; ++j) {
      for (Index i = 0; i < owned.end[0]; ++i)
        visit(Extents{i, j, k}, Extents{i + first[0], j + first[1], k + first[2]});
    }
  }
}

template <class Real>
void fill(Field<Real>& field, int seed) {
  for (Block const& block : field.mesh().blocks()) {
    HostCopy<Real> host(field, block);
    for_each_cell(field, block, [&](Extents const& at, Extents const& global) {
      host(0, at[0], at[1], at[2]) = static_cast<Real>(number_at<Real>(structured(field.mesh()), global, seed));
    });
    host.write_back();
  }
}

/// A weighted sum in exact arithmetic, and the sum of the magnitudes of its terms, which bounds rounding.
struct Bounded {
  double value = 0;
  double magnitude = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
};

/// The sum over the star of a cell: along each axis `weights` times `scale[axis]`; the centre's weight is `centre`.
template <class Real>
Bounded star(StructuredMesh const& mesh, Extents const& at, Weights const& weights, double centre,
             std::vector<double> const& scale, int seed) {
  Bounded sum;
  sum.add(centre * number_at<Real>(mesh, at, seed));
  for (std::size_t axis = 0; axis < scale.size(); ++axis) {
    for (Index n = 1; n <= 4; ++n) {
      for (Index const side : {-n, n}) {
        Extents there = at;
        there[axis] += side;
        sum.add(scale[axis] * weights[static_cast<std::size_t>(n)] * number_at<Real>(mesh, there, seed));
      }
    }
  }
  return sum;
}

template <class Real>
class WaveSweepsTest : public testing::Test {
 protected:
  /// Checks every cell within the rounding of `operations` operations.
  template <class Expected>
  static void expect_cells(Field<Real>& field, int operations, Expected const& expected) {
    // Higham, 2002, Accuracy and Stability of Numerical Algorithms, 3.1.
    double const rounding = operations * static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
    for (Block const& block : field.mesh().blocks()) {
      HostCopy<Real> host(field, block);
      for_each_cell(field, block, [&](Extents const& at, Extents const& global) {
        Bounded const sum = expected(global);
        EXPECT_NEAR(static_cast<double>(host(0, at[0], at[1], at[2])), sum.value,
                    rounding / (1 - rounding) * sum.magnitude)
            << global[0] << ", " << global[1] << ", " << global[2];
      });
    }
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(WaveSweepsTest, Reals);

std::vector<MeshPointer> meshes() {
  Axis const x = Axis::uniform(37, 0, 2);
  Axis const y = Axis::uniform(16, -1, 1);
  Axis const z = Axis::uniform(17, 0, 3);
  return {test::mesh_of({x}, {}), test::mesh_of({x, y}, {true, false, false}), test::mesh_of({x, y, z}, {}),
          test::mesh_of({x, y, z}, {true, true, true})};
}

/// Spacings to the power of -2.
std::vector<double> inverse_squares(StructuredMesh const& mesh) {
  std::vector<double> all;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) all.push_back(1 / std::pow(mesh.axis(axis).spacing(), 2));
  return all;
}

double sum_of(std::vector<double> const& numbers) {
  double sum = 0;
  for (double const number : numbers) sum += number;
  return sum;
}

TYPED_TEST(WaveSweepsTest, AWeightedSumIsThatOfTheStar) {
  Weights const weights{0.375, -0.25, 0.125, 0.0625, -0.03125};
  for (MeshPointer const& mesh : meshes()) {
    auto const u = field_of<TypeParam>(mesh);
    auto const out = field_of<TypeParam>(mesh);
    fill(*u, 1);
    Exchange({u.get()}).exchange({u.get()});
    auto const sweeps = make_sweeps<TypeParam>(mesh);
    for (Block const& block : mesh->blocks()) sweeps->weighted_sum(block, u->owned(block), weights, *u, *out);
    std::vector<double> const ones(static_cast<std::size_t>(mesh->dimensions()), 1.0);
    this->expect_cells(*out, 26,
                       [&](Extents const& at) { return star<TypeParam>(*mesh, at, weights, weights[0], ones, 1); });
  }
}

TYPED_TEST(WaveSweepsTest, AStepIsThatOfLeapfrog) {
  double const h = 0.03125;
  double const speed = 1.5;
  for (MeshPointer const& mesh : meshes()) {
    auto const u = field_of<TypeParam>(mesh);
    auto const before = field_of<TypeParam>(mesh);
    fill(*u, 1);
    fill(*before, 2);
    Exchange({u.get()}).exchange({u.get()});
    auto const sweeps = make_sweeps<TypeParam>(mesh);
    for (Block const& block : mesh->blocks()) {
      sweeps->step(block, u->owned(block), {.speed = speed}, h, *u, *before);
    }
    std::vector<double> scale = inverse_squares(*mesh);
    for (double& of_axis : scale) of_axis *= h * h * speed * speed;
    // Weights are rounded too, the centre's after a summation.
    this->expect_cells(*before, 34, [&](Extents const& at) {
      Bounded sum = star<TypeParam>(*mesh, at, second_derivative, second_derivative[0] * sum_of(scale), scale, 1);
      sum.add(2 * number_at<TypeParam>(*mesh, at, 1));
      sum.add(-number_at<TypeParam>(*mesh, at, 2));
      return sum;
    });
  }
}

/// Every mesh with sponges of several widths; 0: none.
std::vector<std::pair<MeshPointer, double>> meshes_and_widths() {
  std::vector<std::pair<MeshPointer, double>> all;
  for (double const width : {0.0, 0.125, 0.5, 2.0}) {
    for (MeshPointer const& mesh : meshes()) all.emplace_back(mesh, width);
  }
  return all;
}

/// The widest sponge has no interior.
TYPED_TEST(WaveSweepsTest, AStepInAMediumIsDampedBySponges) {
  using Real = TypeParam;
  double const h = 0.03125;
  for (auto const& mesh_and_width : meshes_and_widths()) {
    MeshPointer const& mesh = mesh_and_width.first;
    std::optional<Sponge> sponge;
    if (mesh_and_width.second > 0) sponge = Sponge{.width = mesh_and_width.second, .rate = 3};
    auto const u = field_of<Real>(mesh);
    auto const before = field_of<Real>(mesh);
    auto const speed_squared = field_of<Real>(mesh);
    fill(*u, 1);
    fill(*before, 2);
    fill(*speed_squared, 3);
    Exchange({u.get()}).exchange({u.get()});
    auto const sweeps = make_sweeps<Real>(mesh);
    Medium<Real> medium{.speed_squared = speed_squared.get()};
    if (sponge) {
      medium.sponge.set(*mesh, *sponge, 2 * h);
      Real const* const place = medium.sponge.along(0);
      medium.sponge.set(*mesh, *sponge, h);
      EXPECT_EQ(medium.sponge.along(0), place);
    }
    for (Block const& block : mesh->blocks()) sweeps->step(block, u->owned(block), medium, h, *u, *before);
    std::vector<double> scale = inverse_squares(*mesh);
    for (double& of_axis : scale) of_axis *= h * h;
    auto const left_at = [&](Extents const& at) {
      double left = 1;
      for (int axis = 0; axis < mesh->dimensions(); ++axis) {
        if (!sponge || mesh->periodic(axis)) continue;
        Axis const& line = mesh->axis(axis);
        double const x = line.centre(at[static_cast<std::size_t>(axis)]);
        double const depth = std::max({0.0, line.lower() + sponge->width - x, x - (line.upper() - sponge->width)});
        left /= 1 + h * sponge->rate * depth * depth / (sponge->width * sponge->width);
      }
      return left;
    };
    // 34 roundings as without a medium; one for c^2, seven for the three factors and what is computed from them.
    this->expect_cells(*before, 42, [&](Extents const& at) {
      double const left = left_at(at);
      double const medium_at = number_at<Real>(*mesh, at, 3);
      Bounded const star_sum = star<Real>(*mesh, at, second_derivative, second_derivative[0] * sum_of(scale), scale, 1);
      Bounded sum;
      sum.add(2 * number_at<Real>(*mesh, at, 1));
      sum.add(-number_at<Real>(*mesh, at, 2));
      Bounded next{left * (sum.value + medium_at * star_sum.value),
                   left * (sum.magnitude + std::abs(medium_at) * star_sum.magnitude)};
      next.add((1 - left) * number_at<Real>(*mesh, at, 2));
      next.magnitude += left * std::abs(number_at<Real>(*mesh, at, 2));  // 1 - left has the roundings of left
      return next;
    });
  }
}

/// Boxes that cover a block give the same bits as one sweep.
TYPED_TEST(WaveSweepsTest, BoxesOfABlockLeaveTheBitsOfTheWhole) {
  for (MeshPointer const& mesh : meshes()) {
    auto const u = field_of<TypeParam>(mesh);
    auto const whole = field_of<TypeParam>(mesh);
    auto const parts = field_of<TypeParam>(mesh);
    fill(*u, 1);
    fill(*whole, 2);
    fill(*parts, 2);
    Exchange({u.get()}).exchange({u.get()});
    auto const sweeps = make_sweeps<TypeParam>(mesh);
    for (Block const& block : mesh->blocks()) {
      sweeps->step(block, u->owned(block), {.speed = 1.5}, 0.03125, *u, *whole);
      sweeps->step(block, mesh->interior(block, Centring::cell, ghosts), {.speed = 1.5}, 0.03125, *u, *parts);
      for (IndexRange const& box : mesh->shell(block, Centring::cell, ghosts)) {
        sweeps->step(block, box, {.speed = 1.5}, 0.03125, *u, *parts);
      }
      HostCopy<TypeParam> expected(*whole, block);
      HostCopy<TypeParam> actual(*parts, block);
      Index differences = 0;
      for_each_cell(*whole, block, [&](Extents const& at, Extents const&) {
        differences += expected(0, at[0], at[1], at[2]) != actual(0, at[0], at[1], at[2]) ? 1 : 0;
      });
      EXPECT_EQ(differences, 0);
    }
  }
}

/// Largest error of div grad for a wave on a periodic mesh with `cells` cells along each axis.
double laplacian_error(Index cells, int dimensions) {
  std::vector<Axis> axes;
  Periodicity periodic{};
  double eigenvalue = 0;
  std::string wave = "1";
  for (int axis = 0; axis < dimensions; ++axis) {
    double const length = 1 + 0.25 * axis;
    axes.push_back(Axis::uniform(cells, 0, length));
    periodic[static_cast<std::size_t>(axis)] = true;
    eigenvalue -= std::pow(2 * std::numbers::pi / length, 2);
    wave += std::string(" * sin(2*pi*") + "xyz"[axis] + "/" + std::to_string(length) + " + 0.3)";
  }
  auto const mesh = test::mesh_of(axes, periodic);
  auto const u = field_of<double>(mesh);
  auto const out = field_of<double>(mesh);
  FieldVector<double> u_vector(u);
  FieldVector<double> out_vector(out);
  evaluate<double>(Expression(wave), "wave", 0, u_vector);
  Exchange({u.get()}).exchange({u.get()});
  auto const sweeps = make_sweeps<double>(mesh);
  for (Block const& block : mesh->blocks()) sweeps->laplacian(block, u->owned(block), 1, *u, *out);
  out_vector.add(-eigenvalue, u_vector);
  return out_vector.maximum();
}

TEST(WaveOperator, IsOfEighthOrder) {
  for (int const dimensions : {1, 2, 3}) {
    double const coarse = laplacian_error(20, dimensions);
    double const fine = laplacian_error(40, dimensions);
    EXPECT_NEAR(std::log2(coarse / fine), 8, 0.3) << dimensions << " axes: " << coarse << ", " << fine;
  }
}

template <int Axes>
void expect_reads_within_shapes() {
  auto const star_reads = reads_within_shape<1>(WeightedStar<double, Axes>{});
  EXPECT_TRUE(star_reads) << star_reads.message;
  auto const step_reads = reads_within_shape<2>(LeapfrogStep<double, Axes>{});
  EXPECT_TRUE(step_reads) << step_reads.message;
  auto const medium_reads = reads_within_shape<3>(MediumStep<double, Axes>{});
  EXPECT_TRUE(medium_reads) << medium_reads.message;
  double const one = 1;
  DampedStep<double, Axes> damped{};
  for (auto& factors : damped.factors) factors = &one;
  auto const damped_reads = reads_within_shape<3>(damped);
  EXPECT_TRUE(damped_reads) << damped_reads.message;
  EXPECT_TRUE(reads_only_here<2>(LeapfrogStep<double, Axes>{}, 1));
  EXPECT_TRUE(reads_only_here<3>(MediumStep<double, Axes>{}, 1));
  EXPECT_TRUE(reads_only_here<3>(damped, 1));
}

TEST(WaveFunctors, ReadWithinTheirShapes) {
  expect_reads_within_shapes<1>();
  expect_reads_within_shapes<2>();
  expect_reads_within_shapes<3>();
}

}  // namespace
}  // namespace halocline::wave
