#pragma once

#include <Kokkos_MathematicalFunctions.hpp>
#include <algorithm>
#include <limits>

#include "framework/deck/options.hpp"
#include "framework/kernel/values.hpp"
#include "physics/equations/riemann.hpp"

namespace halocline {

struct PhysicsEntry;

/// The physics that decks choose as `shallow-water`.
[[nodiscard]] PhysicsEntry shallow_water_physics();

/// The shallow-water equations over a bathymetry, with the hydrostatic reconstruction of Audusse, Bouchut, Bristeau,
/// Klein and Perthame (SIAM J. Sci. Comput. 25, 2004). Conserved variables are depth, bathymetry (constant in time) and
/// momentum, depth times velocity. Primitive variables are depth, surface height and velocity, so that a surface at
/// rest has no slopes.
template <class Real, int Axes>
struct ShallowWater {
  static constexpr int fields = Axes + 2;
  static constexpr int vector = 2;  ///< the first of the components that a wall reverses
  /// At most half of a cell's water leaves through each of two faces, so that no depth falls below zero.
  static constexpr double courant = 0.5;
  using State = Values<Real, fields>;

  Real gravity, dry;
  /// Square of a speed that is small in the deck's units, but above zero. Fluxes are divided by differences of speeds.
  Real least;

  explicit ShallowWater(Options const& own)
      : gravity(static_cast<Real>(own.real("gravity"))),
        dry(static_cast<Real>(own.real("dry_depth"))),
        least(static_cast<Real>(
            std::max(1e-25 * own.real("gravity") * own.real("dry_depth"), double{std::numeric_limits<Real>::min()}))) {}

  /// Below the dry depth, velocity goes to zero with the depth (Kurganov & Petrova, Commun. Math. Sci. 5, 2007).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State primitive(State const& u) const {
    Real const depth = larger(u.value[0], dry);
    Real const inverse = Real{2} * u.value[0] / (u.value[0] * u.value[0] + depth * depth);
    State w{{u.value[0], u.value[0] + u.value[1], inverse * u.value[2]}};
    if constexpr (Axes > 1) w.value[3] = inverse * u.value[3];
    return w;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State conserved(State const& w) const {
    State u{{w.value[0], w.value[1] - w.value[0], w.value[0] * w.value[2]}};
    if constexpr (Axes > 1) u.value[3] = w.value[0] * w.value[3];
    return u;
  }
  /// \param values depth or surface height, and velocity; the bathymetry is that of `inside`
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State given(State const& values, State const& inside,
                                                        bool has_surface) const {
    State w = values;
    if (has_surface) w.value[0] = larger(values.value[0] - inside.value[1], 0);
    State u = conserved(w);
    u.value[1] = inside.value[1];
    return u;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_physical(State const& w) const { return w.value[0] >= 0; }
  /// Whether the smallest terms of fluxes and of rates of change are in the range of the type: the pressure times the
  /// speed of waves, and fluxes times `inverse` spacing. Depths below a thousandth of those of interest, which are a
  /// million times the dry one, do not matter.
  [[nodiscard]] bool is_resolved(State const& w, Real inverse) const {
    Real const depth = w.value[0];
    Real const square = gravity * depth;
    Real const flux = depth * std::min(Kokkos::sqrt(square), square);
    return depth <= Real{1000} * dry || std::min({square, depth * depth, square * depth * Kokkos::sqrt(square), flux,
                                                  flux * inverse}) >= std::numeric_limits<Real>::min();
  }

  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State flux(State const& w, State const& u) const {
    Real const velocity = w.value[2 + Axis];
    State f{{velocity * u.value[0], 0, velocity * u.value[2]}};
    if constexpr (Axes > 1) f.value[3] = velocity * u.value[3];
    f.value[2 + Axis] += Real{0.5} * gravity * (w.value[0] * w.value[0]);
    return f;
  }
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real speed(State const& w) const {
    return larger(w.value[2 + Axis], -w.value[2 + Axis]) + wave(w.value[0]);
  }
  /// Einfeldt's bounds. If one side is dry, the bound there is the front that advances over it (Toro, Shock-Capturing
  /// Methods for Free-Surface Shallow Flows, 2001).
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WaveBounds<Real> bounds(State const& l, State const& r) const {
    Real const u_l = l.value[2 + Axis];
    Real const u_r = r.value[2 + Axis];
    Real const c_l = wave(l.value[0]);
    Real const c_r = wave(r.value[0]);
    Real const mean = (c_l * u_l + c_r * u_r) / (c_l + c_r);
    Real const c_mean = wave(Real{0.5} * (l.value[0] + r.value[0]));
    Real const front_l = select(l.value[0] > dry, c_mean - mean, Real{2} * c_r - u_r);
    Real const front_r = select(r.value[0] > dry, c_mean + mean, Real{2} * c_l + u_l);
    return {-larger(c_l - u_l, front_l), larger(c_r + u_r, front_r)};
  }

  /// Limits slopes so that no edge has less than half of a cell's depth: with less, too little water gains too much
  /// speed.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State at_edge(State const& edge, State const& cell) const {
    Real const change = Real{2} * larger(edge.value[0] - cell.value[0], cell.value[0] - edge.value[0]);
    return cell + select(change > cell.value[0], cell.value[0] / change, Real{1}) * (edge - cell);
  }
  /// The water at an edge that is above the bottom across the face, if that is higher; its bottom is level.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State at_face(State const& edge, State const& across) const {
    Real const step = (across.value[1] - across.value[0]) - (edge.value[1] - edge.value[0]);
    State w = edge;
    w.value[0] = w.value[1] = larger(edge.value[0] - larger(step, 0), 0);
    return w;
  }
  /// The pressure on the steps of the bottom at both edges, g/2 (h^2 - h_at_face^2), and on its slope between them,
  /// with the mean depth h: g h (b_lower - b_upper). In the sum only the slope of the surface and the water at the
  /// faces remain.
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State balance(State const& lower, State const& upper, State const& at_lower,
                                                          State const& at_upper) const {
    State sum{};
    sum.value[2 + Axis] = Real{0.5} * gravity *
                          ((at_upper.value[0] * at_upper.value[0] - at_lower.value[0] * at_lower.value[0]) -
                           (lower.value[0] + upper.value[0]) * (upper.value[1] - lower.value[1]));
    return sum;
  }

  /// The state beyond a wall with a given discharge (0) or surface (1), in the place of the depth in `given`. A simple
  /// wave that enters joins it to the state inside: both have the invariant v + 2 c of the waves that leave, with the
  /// velocity v outwards and c = sqrt(g depth). Water enters no faster than waves (v >= -c), along the normal, and the
  /// wall draws off no more than critical flow (v <= c). Nothing can be given where no wave enters.
  [[nodiscard]] KOKKOS_FUNCTION State beyond(int wall, int axis, int side, State const& inside,
                                             State const& given) const {
    Real const depth = larger(inside.value[0], 0);
    Real const leaving = static_cast<Real>(side) * inside.value[2 + axis];
    Real const speed_inside = Kokkos::sqrt(gravity * depth);
    Real const invariant = leaving + Real{2} * speed_inside;
    Real const ground = inside.value[1] - inside.value[0];
    bool const has_discharge = wall == 0;
    Real const discharge = static_cast<Real>(side) * given.value[0];
    Real const wanted = larger(given.value[0] - ground, 0);  // depth below the given surface
    // Water that leaves faster than waves does so freely, unless a bore from the wall runs against it: one from a wall
    // that takes less than arrives, or from a surface so high that the bore's speed v - sqrt(g wanted (wanted + depth)
    // / (2 depth)) is below zero (Toro 2001).
    bool const is_free = has_discharge ? discharge >= depth * leaving
                                       : Real{2} * depth * leaving * leaving >= gravity * wanted * (wanted + depth);
    if (leaving >= speed_inside && is_free) return inside;
    State w = inside;
    Real velocity = 0;
    if (has_discharge) {
      Real const speed = speed_beyond(invariant, gravity * discharge);
      Real const square = speed * speed;
      w.value[0] = square / gravity;
      velocity = square > 0 ? -larger(-gravity * discharge / square, -speed) : Real{0};
    } else {
      Real const speed = Kokkos::sqrt(gravity * wanted);
      Real const critical = larger(invariant / 3, 0);
      w.value[0] = speed < critical ? critical * critical / gravity : wanted;
      velocity = speed < critical ? critical : larger(invariant - Real{2} * speed, -speed);
    }
    w.value[1] = ground + w.value[0];
    w.value[2 + axis] = static_cast<Real>(side) * velocity;
    if constexpr (Axes > 1) w.value[3 - axis] = velocity < 0 ? Real{0} : inside.value[3 - axis];
    return w;
  }

 private:
  /// Speed c of waves in water with the invariant v + 2 c that leaves at the velocity v with g depth v = `product`: the
  /// root of c^2 (invariant - 2 c) = product above invariant / 3, by Newton's method from a larger value. Critical flow
  /// where there is none, and where the water would enter faster than waves.
  [[nodiscard]] KOKKOS_FUNCTION static Real speed_beyond(Real invariant, Real product) {
    Real const critical = larger(invariant / 3, 0);
    if (product >= critical * critical * critical) return critical;
    Real const entering = larger(-product, 0);
    Real speed = larger(invariant, 0) / 2 + Kokkos::cbrt(entering / 2);
    for (int n = 0; n < 60; ++n) {
      Real const next = speed - (speed * speed * (Real{2} * speed - invariant) + product) /
                                    (Real{2} * speed * (Real{3} * speed - invariant));
      if (!(next < speed)) break;
      speed = next;
    }
    return larger(speed, Kokkos::cbrt(entering));
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real larger(Real a, Real b) { return select(a < b, b, a); }
  /// Speed of long waves; slightly above zero without water.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real wave(Real depth) const {
    return Kokkos::sqrt(gravity * depth + least);
  }
};

}  // namespace halocline
