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

/// Declares how bodies begin: `initial` and what each choice of it takes.
void declare_initial(Section& nbody);
/// How many there are. Throws InputError where a file does not tell.
[[nodiscard]] Index count_bodies(Options const& nbody);
/// All of them, the same on every rank. Throws InputError for a file with other than numbers, InputOutputError for one
/// that cannot be read.
[[nodiscard]] std::vector<Body> initial_bodies(Options const& nbody, double gravity);

/// A sphere of `count` equal masses in equilibrium (Plummer 1911), at rest in the origin: positions and speeds drawn as
/// by Aarseth, Hénon and Wielen (1974, Astronomy and Astrophysics 37, 183), whose radii end at 38.7 `scale`.
///
/// \param scale Plummer's radius a
[[nodiscard]] std::vector<Body> plummer(Index count, double mass, double scale, double gravity, std::uint64_t seed);

/// Two bodies about their common centre of mass, in the plane of x and y, at their greatest distance.
///
/// \param axis the semi-major axis of their relative orbit; \param eccentricity 0 (a circle) to below 1
[[nodiscard]] std::vector<Body> two_bodies(std::array<double, 2> const& masses, double axis, double eccentricity,
                                           double gravity);

}  // namespace halocline::nbody
