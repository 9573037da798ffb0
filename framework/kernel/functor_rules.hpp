#pragma once

#include <type_traits>

#include "framework/kernel/stencil.hpp"

// What a functor may declare besides operator() is recognised by its name. A member of that name but of another kind
// would be ignored, or read as what it is not: it stops compilation with a message that says what the name is for.

namespace halocline::kernel {

/// Has the members of both. A name that both have is ambiguous, whatever T's member of that name is.
template <class T, class Names>
struct Beside : T, Names {};

template <class T>
concept CanBeBase = std::is_class_v<T> && !std::is_final_v<T>;

/// The optional constants and functions of functors that are swept, by name.
struct NamesOfFunctor {
  int input_shape;
  int is_long;
  int is_rare;
};

/// Stops compilation with a readable message if a functor's declarations are not of the kind that their names stand
/// for.
template <class Functor>
constexpr bool require_functor() {
  static_assert(
      requires { std::bool_constant<(Functor::shape.radius >= 0)>{}; },
      "'shape' of a functor must be a constant, 'static constexpr Shape shape = ...;': what the functor may read");
  if constexpr (CanBeBase<Functor>) {
    using Both = Beside<Functor, NamesOfFunctor>;
    if constexpr (!requires { &Both::input_shape; }) {
      static_assert(
          requires { std::bool_constant<(Functor::input_shape(0).radius >= 0)>{}; },
          "'input_shape' of a functor must be 'static constexpr Shape input_shape(int n)': what it may read of input "
          "n");
    }
    if constexpr (!requires { &Both::is_long; }) {
      static_assert(
          requires { std::bool_constant<Functor::is_long>{}; },
          "'is_long' of a functor must be 'static constexpr bool': whether a point takes hundreds of operations");
    }
    if constexpr (!requires { &Both::is_rare; }) {
      static_assert(
          requires { std::bool_constant<Functor::is_rare>{}; },
          "'is_rare' of a functor must be 'static constexpr bool': whether it runs only a few times");
    }
  }
  return true;
}

}  // namespace halocline::kernel
