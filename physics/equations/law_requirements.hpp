#pragma once

#include <type_traits>

#include "framework/kernel/functor_rules.hpp"
#include "framework/kernel/stencil.hpp"
#include "physics/equations/equation_point.hpp"
#include "physics/equations/flux_rate.hpp"
#include "physics/equations/riemann.hpp"

namespace halocline::equation {

/// The optional members of a law (conservation_law.hpp) by name.
struct NamesOfLaw {
  int vector;
  int courant;
  int source;
  int contact_speed;
  int star;
  int at_edge;
  int at_face;
  int balance;
  int beyond;
  int given;
  int diffusivity;
  int riemann_flux;
};

/// Stops compilation with a readable message if a law has a member that is recognised by its name, but not of the kind
/// that the name stands for: it would be ignored, or read as what it is not.
template <class Law, int Axes>
constexpr void require_law() {
  static_assert(kernel::CanBeBase<Law>, "a law must be a class that is not final");
  static_assert(
      requires { requires std::bool_constant<(Law::fields > 0)>::value; },
      "'fields' of the law must be 'static constexpr int fields = ...;', the number of its fields");
  using Real = double;
  using State = typename Law::State;
  using At = EquationPoint<Real, Axes, Point<Real>>;
  using Both = kernel::Beside<Law, NamesOfLaw>;
  if constexpr (!requires { &Both::vector; }) {
    static_assert(
        requires { requires std::is_pointer_v<decltype(&Law::vector)>; },
        "'vector' of the law must be a static constant: which of its fields make vectors");
  }
  if constexpr (!requires { &Both::courant; }) {
    static_assert(
        requires { requires std::bool_constant<(Law::courant > 0 && Law::courant <= 1)>::value; },
        "'courant' of the law must be a static constant above 0 and at most 1: the fraction of a spacing that waves "
        "may "
        "travel in a step");
  }
  if constexpr (!requires { &Both::source; }) {
    static_assert(
        requires { Law::source_shape; } ||
            requires(Law const& law, At const& at, State const& u) { law.source(at, u); },
        "'source' of the law must be a const member that takes (at, u), or, with a 'source_shape', (at, u...)");
  }
  if constexpr (
      !requires { &Both::contact_speed; } || !requires { &Both::star; }) {
    static_assert(
        HasContact<Law, State, WaveBounds<Real>>,
        "'contact_speed' and 'star' of the law, const members, go together: contact_speed<Axis>(l, r, bounds) "
        "and star<Axis>(w, u, outer, contact)");
  }
  if constexpr (
      !requires { &Both::at_edge; } || !requires { &Both::at_face; } || !requires { &Both::balance; }) {
    static_assert(HasBalance<Law, State>,
                  "'at_edge', 'at_face' and 'balance' of the law, const members, go together: at_edge(w, cell), "
                  "at_face(edge, across) and balance<Axis>(lower, upper, at_lower, at_upper)");
  }
  if constexpr (!requires { &Both::beyond; }) {
    static_assert(HasWalls<Law, State>,
                  "'beyond' of the law must be a const member that takes (wall, axis, side, inside, given)");
  }
  if constexpr (!requires { &Both::given; }) {
    static_assert(
        requires(Law const& law, State const& w) { law.given(w, w, true); },
        "'given' of the law must be a const member that takes (values, inside, others)");
  }
  if constexpr (!requires { &Both::diffusivity; }) {
    static_assert(
        requires(Law const& law) { requires std::is_convertible_v<decltype(law.diffusivity()), State>; },
        "'diffusivity' of the law must be a const member without arguments that returns a State");
  }
  if constexpr (!requires { &Both::riemann_flux; }) {
    static_assert(
        requires(Law const& law, State const& w) {
          requires std::is_convertible_v<decltype(law.template riemann_flux<0>(w, w)), State>;
        },
        "'riemann_flux' of the law must be a const member that takes the states on both sides and returns a State: "
        "riemann_flux<Axis>(l, r)");
  }
}

}  // namespace halocline::equation
