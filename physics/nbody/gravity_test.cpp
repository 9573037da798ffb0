#include "physics/nbody/gravity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "framework/runtime/devices.hpp"
#include "physics/nbody/bodies.hpp"
#include "physics/nbody/test_points.hpp"
#include "tests/support/communicator.hpp"

namespace halocline::nbody {
namespace {

/// Points on all ranks, with this many blocks on each.
std::shared_ptr<PointSet const> points_on(Index count, std::size_t blocks) {
  return test::points_on(halocline::test::communicator().split(0), count, blocks);
}

template <class Real>
struct State {
  std::shared_ptr<PointSet const> points;
  Field<Real> position{points, {.name = "position", .components = 3, .ghosts = 0}};
  Field<Real> mass{points, {.name = "mass", .ghosts = 0}};
  Field<Real> acceleration{points, {.name = "acceleration", .components = 3, .ghosts = 0}};
  Field<Real> potential{points, {.name = "potential", .ghosts = 0}};

  State(std::shared_ptr<PointSet const> on, std::vector<Body> const& bodies) : points(std::move(on)) {
    for (Block const& block : points->blocks()) {
      for (int component = 0; component < 4; ++component) {
        std::vector<Real> values;
        for (Index n = block.cells.begin[0]; n < block.cells.end[0]; ++n) {
          Body const& body = bodies[static_cast<std::size_t>(n)];
          values.push_back(
              static_cast<Real>(component < 3 ? body.position[static_cast<std::size_t>(component)] : body.mass));
        }
        (component < 3 ? position : mass).set_owned(block, component % 3, std::as_bytes(std::span(values)));
      }
    }
  }
  [[nodiscard]] std::vector<Real> values(Field<Real> const& field, Block const& block, int component) const {
    std::vector<Real> all(static_cast<std::size_t>(points->points_of(block.id)));
    field.copy_owned(block, component, std::as_writable_bytes(std::span(all)));
    return all;
  }
};

/// Acceleration along x, y and z, the potential, and the sums of the absolute terms of both.
struct Expected {
  double value[4] = {};
  double terms[4] = {};
};

/// By a plain sum in double precision, of bodies rounded to the precision.
template <class Real>
Expected expected(std::vector<Body> const& bodies, std::size_t i, double softening) {
  Expected all;
  for (Body const& other : bodies) {
    double d[3];
    double distance = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      d[axis] = static_cast<double>(static_cast<Real>(other.position[axis])) -
                static_cast<double>(static_cast<Real>(bodies[i].position[axis]));
      distance += d[axis] * d[axis];
    }
    if (distance == 0) continue;
    double const inverse = 1 / std::sqrt(distance + softening * softening);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const term = other.mass * d[axis] * inverse * inverse * inverse;
      all.value[axis] += term;
      all.terms[axis] += std::abs(term);
    }
    all.value[3] -= other.mass * inverse;
    all.terms[3] += other.mass * inverse;
  }
  return all;
}

template <class Real>
void expect_gravity(Index count, std::size_t blocks, double softening, ForceSchedule schedule) {
  std::vector<Body> const bodies = plummer(count, 1, 1, 1, 5);
  State<Real> state(points_on(count, blocks), bodies);
  Gravity<Real> gravity(state.points, softening, schedule);
  gravity.accelerate(state.position, state.mass, state.acceleration);
  gravity.potential(state.position, state.mass, state.potential);
  // Each term has about ten roundings, including those of its distance, and the sum has one per term.
  double const epsilon = std::numeric_limits<Real>::epsilon();
  double const tolerance = (16 + static_cast<double>(count)) * epsilon;
  for (Block const& block : state.points->blocks()) {
    for (int component = 0; component < 4; ++component) {
      std::vector<Real> const values =
          component < 3 ? state.values(state.acceleration, block, component) : state.values(state.potential, block, 0);
      for (std::size_t n = 0; n < values.size(); ++n) {
        Expected const all = expected<Real>(bodies, n + static_cast<std::size_t>(block.cells.begin[0]), softening);
        ASSERT_NEAR(static_cast<double>(values[n]), all.value[component], tolerance * all.terms[component])
            << count << " bodies, " << blocks << " blocks a rank, component " << component;
      }
    }
  }
}

TEST(Gravity, IsThatOfAllBodiesOnAnyBlocks) {
  for (Index const count : {1, 2, 3, 5, 31, 257, 1000}) {
    for (std::size_t const blocks : {1, 2, 3}) {
      for (double const softening : {0.0, 0.1}) {
        for (ForceSchedule const schedule : {ForceSchedule::even, ForceSchedule::queue}) {
          expect_gravity<double>(count, blocks, softening, schedule);
          expect_gravity<float>(count, blocks, softening, schedule);
        }
      }
    }
  }
}

TEST(Gravity, OfBodiesInOnePlaceIsNone) {
  std::vector<Body> const bodies(3, Body{{1, 2, 3}, {0, 0, 0}, 1});
  State<double> state(points_on(3, 1), bodies);
  Gravity<double> gravity(state.points, 0);
  gravity.accelerate(state.position, state.mass, state.acceleration);
  for (Block const& block : state.points->blocks()) {
    for (double const value : state.values(state.acceleration, block, 0)) EXPECT_EQ(value, 0);
  }
}

/// Bodies whose lengths and masses are multiplied by powers of two so large that cubes of distances are out of range
/// have the same accelerations and potentials, bit by bit, in units multiplied by these.
template <class Real>
void expect_the_same_bits_in_other_units(int length, int mass, ForceSchedule schedule, Form form) {
  std::vector<Body> const bodies = plummer(67, 1, 1, 1, 5);
  std::vector<Body> scaled = bodies;
  for (Body& body : scaled) {
    for (double& coordinate : body.position) coordinate = std::ldexp(coordinate, length);
    body.mass = std::ldexp(body.mass, mass);
  }
  std::shared_ptr<PointSet const> const points = points_on(67, 2);
  State<Real> usual(points, bodies);
  State<Real> extreme(points, scaled);
  Gravity<Real> in_usual(points, 0.125, schedule, {}, form);
  Gravity<Real> in_extreme(points, std::ldexp(0.125, length), schedule, {.length = length, .mass = mass}, form);
  in_usual.accelerate(usual.position, usual.mass, usual.acceleration);
  in_usual.potential(usual.position, usual.mass, usual.potential);
  in_extreme.accelerate(extreme.position, extreme.mass, extreme.acceleration);
  in_extreme.potential(extreme.position, extreme.mass, extreme.potential);
  for (Block const& block : points->blocks()) {
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(extreme.values(extreme.acceleration, block, axis), usual.values(usual.acceleration, block, axis));
    EXPECT_EQ(extreme.values(extreme.potential, block, 0), usual.values(usual.potential, block, 0));
  }
}

TEST(Gravity, HasTheSameBitsInOtherUnits) {
  for (Form const form : forms()) {
    for (ForceSchedule const schedule : {ForceSchedule::even, ForceSchedule::queue}) {
      for (int const sign : {1, -1}) {
        expect_the_same_bits_in_other_units<float>(sign * 100, -sign * 80, schedule, form);
        expect_the_same_bits_in_other_units<double>(sign * 900, sign * 800, schedule, form);
      }
    }
  }
}

TEST(Gravity, LeavesTheCurrentDevice) {
  std::vector<int> devices{BackendDevices::current()};
  for (Device const& device : all_devices()) devices.push_back(device.number);
  State<float> state(points_on(65, devices.size()), plummer(65, 1, 1, 1, 5));
  for (int const device : devices) {
    for (ForceSchedule const schedule : {ForceSchedule::even, ForceSchedule::queue}) {
      CurrentDevice const current(device);
      {
        Gravity<float> gravity(state.points, 0.1, schedule);
        EXPECT_EQ(BackendDevices::current(), device);
        gravity.accelerate(state.position, state.mass, state.acceleration);
        EXPECT_EQ(BackendDevices::current(), device);
        gravity.potential(state.position, state.mass, state.potential);
        EXPECT_EQ(BackendDevices::current(), device);
      }
      EXPECT_EQ(BackendDevices::current(), device);
    }
  }
}

TEST(Gravity, OfBodiesInOnePlaceHasAPotentialIfSoftened) {
  std::vector<Body> const bodies(7, Body{{1, 2, 3}, {0, 0, 0}, 0.5});
  for (std::size_t const blocks : {1, 2, 3}) {
    State<double> state(points_on(7, blocks), bodies);
    Gravity<double> gravity(state.points, 0.25);
    gravity.potential(state.position, state.mass, state.potential);
    for (Block const& block : state.points->blocks()) {
      for (double const value : state.values(state.potential, block, 0)) EXPECT_DOUBLE_EQ(value, -6 * 0.5 / 0.25);
    }
  }
}

TEST(Gravity, RepeatsToTheBit) {
  std::vector<Body> const bodies = plummer(513, 1, 1, 1, 5);
  State<float> state(points_on(513, 2), bodies);
  Gravity<float> gravity(state.points, 0.1);
  gravity.accelerate(state.position, state.mass, state.acceleration);
  std::vector<std::vector<float>> first;
  for (Block const& block : state.points->blocks()) first.push_back(state.values(state.acceleration, block, 1));
  gravity.accelerate(state.position, state.mass, state.acceleration);
  for (Block const& block : state.points->blocks())
    EXPECT_EQ(state.values(state.acceleration, block, 1), first[block.local]);
}

}  // namespace
}  // namespace halocline::nbody
