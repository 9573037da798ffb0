#include "physics/nbody/bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halocline::nbody {
namespace {

double length(std::array<double, 3> const& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// The relative error allowed for a sample of this size: five standard deviations of a mean of numbers whose standard
/// deviation is about their size.
double allowed(std::vector<Body> const& bodies) { return 5 / std::sqrt(static_cast<double>(bodies.size())); }

TEST(Plummer, HasTheMassAndTheRadiiOfTheSphere) {
  std::vector<Body> const bodies = plummer(20000, 3, 2, 1, 7);
  double mass = 0;
  std::vector<double> radii;
  for (Body const& body : bodies) {
    mass += body.mass;
    radii.push_back(length(body.position));
  }
  EXPECT_NEAR(mass, 3, 20000 * 3e-16);
  std::sort(radii.begin(), radii.end());
  // Half of the mass within 38.7 scales lies within (0.4995^(-2/3) - 1)^(-1/2) scales.
  double const half = 2 / std::sqrt(std::pow(0.4995, -2.0 / 3) - 1);
  EXPECT_NEAR(radii[radii.size() / 2], half, half * allowed(bodies));
  EXPECT_LE(radii.back(), 2 / std::sqrt(std::pow(0.999, -2.0 / 3) - 1) * 1.01);
}

TEST(Plummer, MovesAsTheVirialTheoremWantsIt) {
  double const gravity = 4, mass = 3, scale = 2;
  std::vector<Body> const bodies = plummer(20000, mass, scale, gravity, 3);
  double kinetic = 0;
  for (Body const& body : bodies) kinetic += body.mass * std::pow(length(body.velocity), 2) / 2;
  // T = 3 pi / 64 G M^2 / a.
  double const expected = 3 * std::numbers::pi / 64 * gravity * mass * mass / scale;
  EXPECT_NEAR(kinetic, expected, expected * allowed(bodies));
}

TEST(Plummer, RestsInTheOriginAndFollowsItsSeed) {
  std::vector<Body> const bodies = plummer(100, 1, 1, 1, 1);
  std::array<double, 3> centre{}, momentum{};
  for (Body const& body : bodies) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      centre[axis] += body.mass * body.position[axis];
      momentum[axis] += body.mass * body.velocity[axis];
    }
  }
  EXPECT_LT(length(centre), 1e-14);
  EXPECT_LT(length(momentum), 1e-14);
  EXPECT_EQ(plummer(100, 1, 1, 1, 1)[99].position, bodies[99].position);
  EXPECT_NE(plummer(100, 1, 1, 1, 2)[99].position, bodies[99].position);
}

TEST(TwoBodies, BeginAtTheirGreatestDistanceAndRestTogether) {
  double const gravity = 2, axis = 3, eccentricity = 0.5;
  std::vector<Body> const bodies = two_bodies({1, 3}, axis, eccentricity, gravity);
  ASSERT_EQ(bodies.size(), 2);
  double const distance = bodies[0].position[0] - bodies[1].position[0];
  double const speed = bodies[0].velocity[1] - bodies[1].velocity[1];
  EXPECT_DOUBLE_EQ(distance, axis * (1 + eccentricity));
  // Energy of the relative orbit: v^2 / 2 - G M / r = - G M / (2 a).
  EXPECT_NEAR(speed * speed / 2 - gravity * 4 / distance, -gravity * 4 / (2 * axis), 1e-15);
  EXPECT_NEAR(bodies[0].velocity[1] * 1 + bodies[1].velocity[1] * 3, 0, 1e-15);
}

}  // namespace
}  // namespace halocline::nbody
