#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

namespace halocline::equation {

/// The component along `axis` of a vector that is given by the index of its first component, if these follow one
/// another, or by a list of components.
template <class Vector>
[[nodiscard]] constexpr int component_along(Vector const& vector, int axis) {
  if constexpr (std::is_convertible_v<Vector const&, int>) {
    return static_cast<int>(vector) + axis;
  } else {
    return static_cast<int>(vector[static_cast<std::size_t>(axis)]);
  }
}

/// Calls `visit` for each vector of `Law::vector`: one, or a list.
template <class Law, class Visit>
constexpr void for_vectors(Visit const& visit) {
  if constexpr (requires { Law::vector; }) {
    if constexpr (std::is_convertible_v<decltype((Law::vector)), int>) {
      visit(Law::vector);
    } else {
      static_assert(
          requires { Law::vector[0]; },
          "'vector' of a law is the index of a vector's first component, 2, or a list of them, std::array{2, 5}; if "
          "components do not follow one another, a list of their lists");
      for (auto const& each : Law::vector) visit(each);
    }
  }
}

template <class Law, int Axes>
[[nodiscard]] constexpr bool vectors_are_fields() {
  bool are = true;
  for_vectors<Law>([&](auto const& vector) {
    for (int axis = 0; axis < Axes; ++axis) {
      int const field = component_along(vector, axis);
      are = are && field >= 0 && field < Law::fields;
    }
  });
  return are;
}

/// For each axis the fields, as bits, that are components along it of the law's vectors: reflecting walls reverse their
/// signs.
template <class Law, int Axes>
[[nodiscard]] constexpr std::array<unsigned, 3> reversed_fields() {
  static_assert(Law::fields <= 32, "a law has at most 32 fields");
  static_assert(vectors_are_fields<Law, Axes>(), "'vector' of a law names a component that is none of its fields");
  std::array<unsigned, 3> reversed{};
  for_vectors<Law>([&](auto const& vector) {
    for (int axis = 0; axis < Axes; ++axis)
      reversed[static_cast<std::size_t>(axis)] |= 1U << component_along(vector, axis);
  });
  return reversed;
}

}  // namespace halocline::equation
