#pragma once

#include <Kokkos_MathematicalFunctions.hpp>
#include <algorithm>
#include <limits>

#include "framework/deck/options.hpp"
#include "framework/kernel/values.hpp"
#include "physics/equations/riemann.hpp"

namespace halocline {

struct PhysicsEntry;

/// The physics that decks choose as `euler`.
[[nodiscard]] PhysicsEntry euler_physics();

/// The Euler equations of an ideal gas. Conserved variables are density, energy and momentum, all per volume; primitive
/// variables are density, pressure and velocity.
template <class Real, int Axes>
struct Euler {
  static constexpr int fields = Axes + 2;
  static constexpr int vector = 2;  ///< the first of the components that a wall reverses
  using State = Values<Real, fields>;

  Real gamma;
  Real energy_of_pressure;  ///< 1 / (gamma - 1)

  explicit Euler(Options const& own)
      : gamma(static_cast<Real>(own.real("gamma"))), energy_of_pressure(1 / (gamma - 1)) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State primitive(State const& u) const {
    Real const inverse = Real{1} / u.value[0];
    State w{{u.value[0], u.value[1], u.value[2] * inverse}};
    if constexpr (Axes > 1) w.value[3] = u.value[3] * inverse;
    if constexpr (Axes > 2) w.value[4] = u.value[4] * inverse;
    w.value[1] = (gamma - 1) * (u.value[1] - kinetic(w));
    return w;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State conserved(State const& w) const {
    State u{{w.value[0], energy_of_pressure * w.value[1] + kinetic(w), w.value[0] * w.value[2]}};
    if constexpr (Axes > 1) u.value[3] = w.value[0] * w.value[3];
    if constexpr (Axes > 2) u.value[4] = w.value[0] * w.value[4];
    return u;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_physical(State const& w) const {
    return w.value[0] > 0 && w.value[1] > 0;
  }
  /// Whether the smallest terms of fluxes and of rates of change are in the range of the type: the pressure times the
  /// squared speed of sound, and fluxes times `inverse` spacing.
  [[nodiscard]] bool is_resolved(State const& w, Real inverse) const {
    Real const square = sound_squared(w);
    Real const speed = Kokkos::sqrt(square);
    Real const flux = std::min({w.value[0] * speed, w.value[1], w.value[1] * speed});
    return std::min({square, w.value[1] * square, flux, flux * inverse}) >= std::numeric_limits<Real>::min();
  }

  /// \param w, u one state, primitive and conserved
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State flux(State const& w, State const& u) const {
    Real const velocity = w.value[2 + Axis];
    State f{{velocity * u.value[0], velocity * (u.value[1] + w.value[1]), velocity * u.value[2]}};
    if constexpr (Axes > 1) f.value[3] = velocity * u.value[3];
    if constexpr (Axes > 2) f.value[4] = velocity * u.value[4];
    f.value[2 + Axis] += w.value[1];
    return f;
  }
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real speed(State const& w) const {
    Real const velocity = w.value[2 + Axis];
    return select(velocity < 0, -velocity, velocity) + sound(w);
  }
  /// Einfeldt's bounds (SIAM J. Numer. Anal. 25, 1988), with which HLL keeps density and pressure above zero.
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WaveBounds<Real> bounds(State const& l, State const& r) const {
    Real const root_l = Kokkos::sqrt(l.value[0]);
    Real const root_r = Kokkos::sqrt(r.value[0]);
    Real const inverse = Real{1} / (root_l + root_r);
    Real const weight_l = root_l * inverse;
    Real const weight_r = root_r * inverse;
    Real const u_l = l.value[2 + Axis];
    Real const u_r = r.value[2 + Axis];
    Real const square_l = sound_squared(l);
    Real const square_r = sound_squared(r);
    Real const mean = weight_l * u_l + weight_r * u_r;
    Real const jump = u_r - u_l;
    Real const width =
        Kokkos::sqrt((weight_l * square_l + weight_r * square_r) + Real{0.5} * (weight_l * weight_r) * (jump * jump));
    Real const lower = u_l - Kokkos::sqrt(square_l);
    Real const upper = u_r + Kokkos::sqrt(square_r);
    return {select(lower < mean - width, lower, mean - width), select(upper > mean + width, upper, mean + width)};
  }

  /// Toro, "Riemann Solvers and Numerical Methods for Fluid Dynamics", section 10.4.
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real contact_speed(State const& l, State const& r,
                                                               WaveBounds<Real> const& bounds) const {
    Real const u_l = l.value[2 + Axis];
    Real const u_r = r.value[2 + Axis];
    Real const mass_l = l.value[0] * (bounds.lower - u_l);
    Real const mass_r = r.value[0] * (bounds.upper - u_r);
    return ((r.value[1] - mass_r * u_r) - (l.value[1] - mass_l * u_l)) / (mass_l - mass_r);
  }
  /// \param w, u the outer state, primitive and conserved
  template <int Axis>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State star(State const& w, State const& u, Real outer, Real contact) const {
    Real const velocity = w.value[2 + Axis];
    Real const relative = outer - velocity;
    Real const compression = relative / (outer - contact);
    Real const density = compression * w.value[0];
    Real const work = (contact - velocity) * (w.value[0] * contact + w.value[1] / relative);
    State star{{density, compression * (u.value[1] + work), density * w.value[2]}};
    if constexpr (Axes > 1) star.value[3] = density * w.value[3];
    if constexpr (Axes > 2) star.value[4] = density * w.value[4];
    star.value[2 + Axis] = density * contact;
    return star;
  }

  /// The only wall of its own: outflow against a given pressure, which supersonic outflow does not depend on.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State beyond(int, int axis, int side, State const& inside,
                                                         State const& given) const {
    State w = inside;
    Real const leaving = static_cast<Real>(side) * inside.value[2 + axis];
    w.value[1] = select(leaving < sound(inside), given.value[1], inside.value[1]);
    return w;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real kinetic(State const& w) {
    Real sum = w.value[2] * w.value[2];
    if constexpr (Axes > 1) sum += w.value[3] * w.value[3];
    if constexpr (Axes > 2) sum += w.value[4] * w.value[4];
    return Real{0.5} * w.value[0] * sum;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real sound(State const& w) const { return Kokkos::sqrt(sound_squared(w)); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real sound_squared(State const& w) const {
    return gamma * w.value[1] / w.value[0];
  }
};

}  // namespace halocline
