#pragma once

#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"

namespace halocline {

/// Bounds of the speeds of the waves that leave a face.
template <class Real>
struct WaveBounds {
  Real lower;
  Real upper;
};

/// Whether a law provides its contact wave, which HLLC needs: `contact_speed<Axis>(left, right, bounds)` and
/// `star<Axis>(primitive, conserved, speed of the outer wave, speed of the contact)`, the conserved state between the
/// two.
template <class Law, class State, class Bounds>
concept HasContact = requires(Law const& law, State const& w, Bounds const& bounds) {
  law.template contact_speed<0>(w, w, bounds);
  law.template star<0>(w, w, bounds.lower, bounds.lower);
};

/// Whether a law balances its fluxes against a field at rest, such as the bottom below water. The law then defines
/// `at_edge(reconstructed, cell)`, the state at an edge of a cell. The Riemann solver uses `at_face(edge, across)`, the
/// state at an edge modified for the state across the face. `balance<Axis>(lower, upper, at_lower, at_upper)` is added
/// to inflow minus outflow; its arguments are the states at both edges of a cell, then those of `at_face`. All states
/// are primitive.
template <class Law, class State>
concept HasBalance = requires(Law const& law, State const& w) {
  law.at_edge(w, w);
  law.at_face(w, w);
  law.template balance<0>(w, w, w, w);
};

/// Whether a law has walls of its own: `beyond(wall, axis, side, inside, given)` is the primitive state of a ghost,
/// from the state of its mirror image inside and the values in the deck. `wall` is the index of the `Equations::wall`
/// call, side is -1 or 1.
template <class Law, class State>
concept HasWalls = requires(Law const& law, State const& w) {
  law.beyond(0, 0, 1, w, w);
};

/// Whether a law computes the flux through a face itself, `riemann_flux<Axis>(left, right)` from the primitive states
/// on both sides: decks then choose no Riemann solver, and the law needs no `bounds`.
template <class Law, class State>
concept HasRiemannFlux = requires(Law const& law, State const& w) {
  law.template riemann_flux<0>(w, w);
};

/// The flux through a face from the states on both sides: the law's own, or Rusanov, Harten-Lax-van Leer (HLL), or HLLC
/// (Toro, Spruce and Speares). They differ by two weights, zero or one: branching on a condition, although it is the
/// same at all faces, would keep host compilers from vectorising. Devices skip terms without weight. Rusanov is HLL
/// with bounds of equal size.
template <class Real>
struct RiemannSolver {
  Real one_speed = 0;  ///< 1 for Rusanov
  Real contact = 0;    ///< 1 for HLLC

  /// \param l, r primitive states below and above the face
  template <int Axis, class Law, class State>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State flux(Law const& law, State const& l, State const& r) const {
    if constexpr (HasRiemannFlux<Law, State>) {
      return law.template riemann_flux<Axis>(l, r);
    } else {
      return solved<Axis>(law, l, r);
    }
  }

 private:
  template <int Axis, class Law, class State>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State solved(Law const& law, State const& l, State const& r) const {
    State const conserved_l = law.conserved(l);
    State const conserved_r = law.conserved(r);
    State const flux_l = law.template flux<Axis>(l, conserved_l);
    State const flux_r = law.template flux<Axis>(r, conserved_r);
    WaveBounds<Real> const bounds = outer_waves<Axis>(law, l, r);
    Real const lower = not_above_zero(bounds.lower);
    Real const upper = -not_above_zero(-bounds.upper);
    auto const hll = [&] {
      return (Real{1} / (upper - lower)) *
             ((upper * flux_l - lower * flux_r) + (lower * upper) * (conserved_r - conserved_l));
    };
    if constexpr (HasContact<Law, State, WaveBounds<Real>>) {
      auto const hllc = [&] {
        Real const middle = law.template contact_speed<Axis>(l, r, bounds);
        bool const is_left = middle >= 0;
        Real const outer = select(is_left, bounds.lower, bounds.upper);
        State const conserved = select(is_left, conserved_l, conserved_r);
        State const star = law.template star<Axis>(select(is_left, l, r), conserved, outer, middle);
        return select(is_left, flux_l, flux_r) + select(is_left, lower, upper) * (star - conserved);
      };
      if (is_on_device()) return contact == 0 ? hll() : hllc();
      return (1 - contact) * hll() + contact * hllc();
    } else {
      return hll();
    }
  }

  template <int Axis, class Law, class State>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WaveBounds<Real> outer_waves(Law const& law, State const& l,
                                                                         State const& r) const {
    WaveBounds<Real> const bounds = law.template bounds<Axis>(l, r);
    if (is_on_device() && one_speed == 0) return bounds;
    Real const speed_l = law.template speed<Axis>(l);
    Real const speed_r = law.template speed<Axis>(r);
    Real const fastest = one_speed * select(speed_l < speed_r, speed_r, speed_l);
    return {(1 - one_speed) * bounds.lower - fastest, (1 - one_speed) * bounds.upper + fastest};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real not_above_zero(Real value) { return select(value < 0, value, Real{0}); }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_on_device() {
    KOKKOS_IF_ON_DEVICE((return true;))
    KOKKOS_IF_ON_HOST((return false;))
  }
};

}  // namespace halocline
