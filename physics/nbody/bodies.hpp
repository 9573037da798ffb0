#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/runtime/index.hpp"

namespace halocline::nbody {

/// One body.
struct Body {
  std::array<double, 3> position;
  std::array<double, 3> velocity;
  double mass;
};

/// Declares the initial bodies: `initial` and the options of each choice.
void declare_initial(Section& nbody);
/// The number of bodies. Throws InputError if it cannot be read from a file.
[[nodiscard]] Index count_bodies(Options const& nbody);
/// All bodies, the same on every rank. Throws InputError for a file with anything but numbers, InputOutputError for one
/// that cannot be read.
[[nodiscard]] std::vector<Body> initial_bodies(Options const& nbody, double gravity);

/// A sphere of `count` equal masses in equilibrium (Plummer 1911), at rest at the origin: positions and speeds are
/// drawn as by Aarseth, Hénon and Wielen (1974, Astronomy and Astrophysics 37, 183), with radii up to 38.7 `scale`.
///
/// \param scale Plummer's radius a
[[nodiscard]] std::vector<Body> plummer(Index count, double mass, double scale, double gravity, std::uint64_t seed);

/// Two bodies around their common centre of mass, in the x-y plane, at their greatest distance.
///
/// \param axis the semi-major axis of their relative orbit; \param eccentricity 0 (a circle) to below 1
[[nodiscard]] std::vector<Body> two_bodies(std::array<double, 2> const& masses, double axis, double eccentricity,
                                           double gravity);

}  // namespace halocline::nbody
