#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/test_fields.hpp"
#include "framework/kernel/test_recording.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/equations.hpp"
#include "physics/equations/sponge.hpp"
#include "physics/equations/test_declared.hpp"
#include "physics/wave/methods.hpp"
#include "physics/wave/star.hpp"

namespace halocline::wave {
namespace {

using test::HostCopy;
using test::make;
using MeshPointer = std::shared_ptr<StructuredMesh const>;

/// The wave equation without what only decks need.
PhysicsEntry waves() {
  Equations equations("wave", "Waves.");
  equations.second_order().usual_walls(BoundaryKind::zero).autonomous();
  equations.speed("speed", "Speed.", "1").sponge().only_field("u", "Initial values.", "0");
  equations.magnitude("u").energy();
  return equations.evolution<Acceleration, 1, 2, 3>();
}

/// The same section with the options of a weighted sum.
PhysicsEntry sums() {
  PhysicsEntry entry = weighted_sum();
  entry.options.reals("weights", "Weights.", 5, 5).optional();
  return entry;
}

constexpr char const* rough = "sin(37*x)*cos(29*y+1)*sin(23*z+2)";

/// That number in a cell, however the mesh is partitioned; zero beyond non-periodic ends.
template <class Real>
double number_at(StructuredMesh const& mesh, Extents at) {
  Extents const cells = mesh.extents(Centring::cell);
  std::array<double, 3> x{};
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    if (at[a] < 0 || at[a] >= cells[a]) {
      if (!mesh.periodic(axis)) return 0;
      at[a] = (at[a] + cells[a]) % cells[a];
    }
    x[a] = mesh.axis(axis).centre(at[a]);
  }
  return static_cast<double>(
      static_cast<Real>(std::sin(37 * x[0]) * std::cos(29 * x[1] + 1) * std::sin(23 * x[2] + 2)));
}

/// A sum in exact arithmetic, and the sum of the magnitudes of its terms, which bounds rounding.
struct Bounded {
  double value = 0;
  double magnitude = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
  [[nodiscard]] Bounded times(double factor) const { return {factor * value, std::abs(factor) * magnitude}; }
};

/// The sum over the star of a cell: along each axis `weights` times `scale[axis]`; the centre's weight is `centre`.
template <class Real>
Bounded star_of(StructuredMesh const& mesh, Extents const& at, std::array<double, 5> const& weights, double centre,
                std::vector<double> const& scale) {
  Bounded sum;
  sum.add(centre * number_at<Real>(mesh, at));
  for (std::size_t axis = 0; axis < scale.size(); ++axis) {
    for (Index n = 1; n <= 4; ++n) {
      for (Index const side : {-n, n}) {
        Extents there = at;
        there[axis] += side;
        sum.add(scale[axis] * weights[static_cast<std::size_t>(n)] * number_at<Real>(mesh, there));
      }
    }
  }
  return sum;
}

template <class Real>
class WaveStepTest : public testing::Test {
 protected:
  static constexpr Precision precision = std::is_same_v<Real, float> ? Precision::single : Precision::double_;
  /// Checks u in every cell within the rounding of `operations` operations.
  template <class Expected>
  static void expect_cells(Physics const& physics, int operations, Expected const& expected) {
    // Higham, 2002, Accuracy and Stability of Numerical Algorithms, 3.1.
    double const rounding = operations * static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
    auto& field = const_cast<Field<Real>&>(dynamic_cast<Field<Real> const&>(*physics.fields().front()));
    for (Block const& block : field.mesh().blocks()) {
      HostCopy<Real> host(field, block);
      IndexRange const owned = field.owned(block);
      Extents const& first = block.cells.begin;
      for (Index k = 0; k < owned.end[2]; ++k) {
        for (Index j = 0; j < owned.end[1]; ++j) {
          for (Index i = 0; i < owned.end[0]; ++i) {
            Bounded const sum = expected(Extents{i + first[0], j + first[1], k + first[2]});
            EXPECT_NEAR(static_cast<double>(host(0, i, j, k)), sum.value, rounding / (1 - rounding) * sum.magnitude)
                << i << ", " << j << ", " << k;
          }
        }
      }
    }
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(WaveStepTest, Reals);

std::vector<MeshPointer> meshes() {
  Axis const x = Axis::uniform(37, 0, 2);
  Axis const y = Axis::uniform(16, -1, 1);
  Axis const z = Axis::uniform(17, 0, 3);
  return {test::mesh_of({x}, {}), test::mesh_of({x, y}, {true, false, false}), test::mesh_of({x, y, z}, {}),
          test::mesh_of({x, y, z}, {true, true, true})};
}

TYPED_TEST(WaveStepTest, AWeightedSumIsThatOfTheStar) {
  std::array<double, 5> const weights{0.375, -0.25, 0.125, 0.0625, -0.03125};
  for (MeshPointer const& mesh : meshes()) {
    auto const physics = make(sums(),
                              std::string("wave: {weights: [0.375, -0.25, 0.125, 0.0625, -0.03125], initial: \"") +
                                  rough + "\"}\ntime: {step: 1}",
                              mesh, this->precision);
    test::run(*physics, 1, 1);
    std::vector<double> const ones(static_cast<std::size_t>(mesh->dimensions()), 1.0);
    // 25 products and sums; u is rounded once.
    this->expect_cells(*physics, 27,
                       [&](Extents const& at) { return star_of<TypeParam>(*mesh, at, weights, weights[0], ones); });
  }
}

struct Medium {
  std::string options;
  double speed;  ///< at x = 0
  double slope;  ///< of the speed along x
  double width;  ///< of the sponge; 0: none
};

// One step from rest, for which u(-h) = u + h^2 a / 2. The widest sponge has no interior.
TYPED_TEST(WaveStepTest, AStepIsThatOfLeapfrog) {
  using Real = TypeParam;
  double const h = 0.03125;
  for (Medium const& medium : {Medium{"speed: 1.5", 1.5, 0, 0}, Medium{"speed: \"1.5 + x/4\"", 1.5, 0.25, 0},
                               Medium{"speed: \"1.5 + x/4\", sponge: {width: 0.5}", 1.5, 0.25, 0.5},
                               Medium{"speed: 1.5, sponge: {width: 0.125}", 1.5, 0, 0.125},
                               Medium{"speed: 1.5, sponge: {width: 2}", 1.5, 0, 2}}) {
    for (MeshPointer const& mesh : meshes()) {
      auto const physics =
          make(waves(), "wave: {" + medium.options + ", initial: \"" + rough + "\"}\ntime: {step: 0.03125}", mesh,
               this->precision);
      test::run(*physics, h, 1);
      std::vector<double> scale;
      double centre = 0;
      for (int axis = 0; axis < mesh->dimensions(); ++axis) {
        scale.push_back(1 / std::pow(mesh->axis(axis).spacing(), 2));
        centre += second_derivative[0] * scale.back();
      }
      double const highest = medium.speed + medium.slope * mesh->axis(0).centre(mesh->axis(0).cells() - 1);
      Sponge const sponge = sponge_for(medium.width > 0 ? medium.width : 1, 1e-3, highest);
      auto const left_at = [&](Extents const& at) {
        double left = 1;
        for (int axis = 0; axis < mesh->dimensions(); ++axis) {
          if (medium.width == 0 || mesh->periodic(axis)) continue;
          Axis const& line = mesh->axis(axis);
          double const x = line.centre(at[static_cast<std::size_t>(axis)]);
          double const depth = std::max({0.0, line.lower() + medium.width - x, x - (line.upper() - medium.width)});
          left /= 1 + h * sponge.rate * std::pow(depth / medium.width, sponge.exponent);
        }
        return left;
      };
      // 34 operations for a sum over the star with rounded weights, three for c^2 and what is multiplied by it, two
      // such sums one after the other, and nine for the sponge.
      this->expect_cells(*physics, 2 * 37 + 9, [&](Extents const& at) {
        double const c = medium.speed + medium.slope * mesh->axis(0).centre(at[0]);
        Bounded const change = star_of<Real>(*mesh, at, second_derivative, centre, scale).times(h * h * c * c);
        double const u = number_at<Real>(*mesh, at);
        double const left = left_at(at);
        Bounded before = change.times(0.5);
        before.add(u);
        Bounded next{2 * u - before.value + change.value, 2 * std::abs(u) + before.magnitude + change.magnitude};
        return Bounded{before.value + left * (next.value - before.value), 2 * before.magnitude + next.magnitude};
      });
    }
  }
}

/// Largest error of div grad for a wave on a periodic mesh with `cells` cells along each axis: that of u a step after
/// rest, which is u + h^2 a / 2 with a step of 1.
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
  std::string const expected = shortest_text(1 + eigenvalue / 2) + "*" + wave;
  auto const physics =
      make(waves(), "wave: {initial: \"" + wave + "\", exact: \"t == 0 ? 0 : " + expected + "\"}\ntime: {step: 1}",
           test::mesh_of(axes, periodic));
  test::run(*physics, 1, 1);
  return 2 * test::quantity(*physics, "error_maximum");
}

TEST(WaveOperator, IsOfEighthOrder) {
  for (int const dimensions : {1, 2, 3}) {
    double const coarse = laplacian_error(20, dimensions);
    double const fine = laplacian_error(40, dimensions);
    EXPECT_NEAR(std::log2(coarse / fine), 8, 0.3) << dimensions << " axes: " << coarse << ", " << fine;
  }
}

// u is 0 beyond walls unless a deck gives others: where the normal derivative is 0, a standing wave stays.
TEST(WaveWalls, AreThoseOfTheDeck) {
  auto const error = [](Index cells) {
    auto const mesh = test::mesh_of({Axis::uniform(cells, 0, 1)}, {});
    auto const physics =
        make(waves(),
             "wave: {initial: cos(pi*x), exact: cos(pi*x)*cos(pi*t), boundary: {west: {kind: neumann}, "
             "east: {kind: neumann}}}\ntime: {step: 0.01}",
             mesh);
    EXPECT_TRUE(physics->conserved().empty());
    test::run(*physics, 0.3, static_cast<int>(cells) * 2);
    return test::quantity(*physics, "error_2");
  };
  EXPECT_NEAR(std::log2(error(32) / error(64)), 2, 0.2);
}

Options any_options() {
  Section root("", "A deck.");
  root.section("wave", "Waves.").reals("weights", "Weights.", 5, 5).defaults_to(std::vector<double>{1, 1, 1, 1, 1});
  return Deck("deck", "{}").read(root).section("wave");
}

template <int Axes>
void expect_reads_within_shapes() {
  auto const sum_reads = reads_within_shape<1>(WeightedSum<double, Axes>(any_options()));
  EXPECT_TRUE(sum_reads) << sum_reads.message;
  std::vector<Axis> const axes(static_cast<std::size_t>(Axes), Axis::uniform(4, 0, 1));
  Acceleration<double, Axes> const acceleration(any_options(), *test::mesh_of(axes, {}));
  auto const reads = reads_within_shape<2>(acceleration);
  EXPECT_TRUE(reads) << reads.message;
  EXPECT_TRUE(reads_only_here<2>(acceleration, 1));
}

TEST(WaveFunctors, ReadWithinTheirShapes) {
  expect_reads_within_shapes<1>();
  expect_reads_within_shapes<2>();
  expect_reads_within_shapes<3>();
}

}  // namespace
}  // namespace halocline::wave
