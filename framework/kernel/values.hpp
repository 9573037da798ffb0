#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "framework/kernel/stencil.hpp"

namespace halocline {

/// One number for each of several unknowns at a point: the fields of a physics in the order of declaration, or the
/// components of a field.
template <class Real, int Count>
struct Values {
  Real value[Count];
  static constexpr int count = Count;
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real& operator[](int n) { return value[n]; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real operator[](int n) const { return value[n]; }
};

/// A linear map of Values: how much of each component (column) is in each component of the result (row).
template <class Real, int Count>
struct Matrix {
  Real entry[Count][Count];
};

namespace values {

template <std::size_t N, class Operation, class... V>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto of_component(Operation const& operation, V const&... values) {
  return operation(values.value[N]...);
}
template <class Real, int Count, class Operation, std::size_t... N, class... V>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> of_components(Operation const& operation,
                                                                            std::index_sequence<N...>,
                                                                            V const&... values) {
  return {{of_component<N>(operation, values...)...}};
}

/// Applies `operation` to each component of some values. Unrolled without a loop, so that values stay in registers.
template <class Operation, class Real, int Count, class... More>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> each(Operation const& operation,
                                                                   Values<Real, Count> const& first,
                                                                   More const&... more) {
  return of_components<Real, Count>(operation, std::make_index_sequence<static_cast<std::size_t>(Count)>(), first,
                                    more...);
}

struct Sum {
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real a, Real b) const {
    return a + b;
  }
};
struct Difference {
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real a, Real b) const {
    return a - b;
  }
};
template <class Real>
struct Multiple {
  Real factor;
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real a) const { return factor * a; }
};
struct Choice {
  bool condition;
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real yes, Real no) const {
    return condition ? yes : no;
  }
};

}  // namespace values

template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> operator+(Values<Real, Count> const& a,
                                                                        Values<Real, Count> const& b) {
  return values::each(values::Sum{}, a, b);
}
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> operator-(Values<Real, Count> const& a,
                                                                        Values<Real, Count> const& b) {
  return values::each(values::Difference{}, a, b);
}
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> operator*(Real factor, Values<Real, Count> const& a) {
  return values::each(values::Multiple<Real>{factor}, a);
}
/// One of two states, selected without a branch.
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> select(bool condition, Values<Real, Count> yes,
                                                                     Values<Real, Count> no) {
  return values::each(values::Choice{condition}, yes, no);
}

}  // namespace halocline
