#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "framework/kernel/views.hpp"

// The unknowns of one point: a number, or Values for several that are solved together. What functors of operators
// compute with them is written once for both.

namespace halocline {

/// How many unknowns a linear functor has at each point: its constant `unknowns`, otherwise one.
template <class Functor>
inline constexpr int unknowns_at_point = 1;
template <class Functor>
requires requires { std::integral_constant<int, Functor::unknowns>{}; }
inline constexpr int unknowns_at_point<Functor> = Functor::unknowns;

/// What such a functor returns, and reads at each offset.
template <class Real, class Functor>
using PointUnknowns =
    std::conditional_t<unknowns_at_point<Functor> == 1, Real, Values<Real, unknowns_at_point<Functor>>>;

namespace stencil_functor {

template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Real product(Real x, Real y) {
  return x * y;
}
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Real product(Values<Real, Count> const& x,
                                                                 Values<Real, Count> const& y) {
  Real sum = x.value[0] * y.value[0];
  for (int n = 1; n < Count; ++n) sum += x.value[n] * y.value[n];
  return sum;
}

template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Real magnitude(Real x) {
  return x < Real{0} ? -x : x;
}

template <class To, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION To rounded(Real x) {
  return static_cast<To>(x);
}
template <class To, class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<To, Count> rounded(Values<Real, Count> const& x) {
  Values<To, Count> result{};
  for (int n = 0; n < Count; ++n) result.value[n] = static_cast<To>(x.value[n]);
  return result;
}

/// Unknowns that are zero but for one of them.
template <class Unknowns>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Unknowns unit_unknowns(int component) {
  if constexpr (std::is_arithmetic_v<Unknowns>) {
    return component == 0 ? Unknowns{1} : Unknowns{0};
  } else {
    Unknowns unit{};
    for (int n = 0; n < Unknowns::count; ++n) unit.value[n] = n == component ? 1 : 0;
    return unit;
  }
}

/// The entries of a matrix between the unknowns of one point, by row.
template <class Real, int Count>
struct PointBlock {
  Real entry[Count][Count];

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> diagonal() const {
    Values<Real, Count> result{};
    for (int n = 0; n < Count; ++n) result.value[n] = entry[n][n];
    return result;
  }
  /// The x with factor times block x = r: Gaussian elimination with the largest pivot of each column. Infinite or not a
  /// number if the block is singular.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> solve(Real factor, Values<Real, Count> r) const {
    PointBlock left = *this;
    eliminate<0>(left, r);
    substitute<Count - 1>(left, r);
    for (int n = 0; n < Count; ++n) r.value[n] *= factor;
    return r;
  }

 private:
  // Recursions instead of loops of loops, which compilers do not unroll, so that sweeps over points would not be
  // vectorised.
  template <int Column>
  KOKKOS_FORCEINLINE_FUNCTION static void eliminate(PointBlock& left, Values<Real, Count>& r) {
    if constexpr (Column + 1 < Count) {
      take_pivot<Column, Column + 1>(left, r);
      Real const inverse = Real{1} / left.entry[Column][Column];
      subtract<Column, Column + 1>(inverse, left, r);
      eliminate<Column + 1>(left, r);
    }
  }
  /// The row with the largest entry so far comes to the place of the column, by exchanges without branches.
  template <int Column, int Row>
  KOKKOS_FORCEINLINE_FUNCTION static void take_pivot(PointBlock& left, Values<Real, Count>& r) {
    if constexpr (Row < Count) {
      bool const larger = magnitude(left.entry[Row][Column]) > magnitude(left.entry[Column][Column]);
      for (int n = 0; n < Count; ++n) exchange(larger, left.entry[Column][n], left.entry[Row][n]);
      exchange(larger, r.value[Column], r.value[Row]);
      take_pivot<Column, Row + 1>(left, r);
    }
  }
  template <int Column, int Row>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract(Real inverse, PointBlock& left, Values<Real, Count>& r) {
    if constexpr (Row < Count) {
      Real const multiple = left.entry[Row][Column] * inverse;
      for (int n = 0; n < Count; ++n) left.entry[Row][n] -= multiple * left.entry[Column][n];
      r.value[Row] -= multiple * r.value[Column];
      subtract<Column, Row + 1>(inverse, left, r);
    }
  }
  template <int Row>
  KOKKOS_FORCEINLINE_FUNCTION static void substitute(PointBlock const& left, Values<Real, Count>& r) {
    Real sum = r.value[Row];
    add_known<Row, Row + 1>(left, r, sum);
    r.value[Row] = sum / left.entry[Row][Row];
    if constexpr (Row > 0) substitute<Row - 1>(left, r);
  }
  template <int Row, int Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add_known(PointBlock const& left, Values<Real, Count> const& r, Real& sum) {
    if constexpr (Column < Count) {
      sum -= left.entry[Row][Column] * r.value[Column];
      add_known<Row, Column + 1>(left, r, sum);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void exchange(bool condition, Real& a, Real& b) {
    Real const first = select(condition, b, a);
    b = select(condition, a, b);
    a = first;
  }
};

/// 1 / diagonal, or zero where that is zero.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real inverse_or_zero(Real diagonal) {
  return diagonal != Real{0} ? Real{1} / diagonal : Real{0};
}

/// factor D^-1 r, for a diagonal entry or the block of a point.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real divided(Real factor, Real r, Real diagonal) {
  return factor / diagonal * r;
}
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> divided(Real factor, Values<Real, Count> const& r,
                                                                      PointBlock<Real, Count> const& block) {
  return block.solve(factor, r);
}

/// Several unknowns for each output, and sums.
template <class Real, int Count, int Outputs, int Sums>
struct ResultOfValues {
  Values<Real, Count> value[Outputs > 0 ? Outputs : 1];
  Real sum[Sums > 0 ? Sums : 1];
};

template <class Unknowns, int Outputs, int Sums>
struct ResultOf {
  using type = Result<Unknowns, Outputs, Sums>;
};
template <class Real, int Count, int Outputs, int Sums>
struct ResultOf<Values<Real, Count>, Outputs, Sums> {
  using type = ResultOfValues<Real, Count, Outputs, Sums>;
};
/// What functors of operators return: as Result, with the unknowns of a point for each output.
template <class Unknowns, int Outputs, int Sums>
using PointResult = typename ResultOf<Unknowns, Outputs, Sums>::type;

/// Reads several components as Values.
template <class In, int Count>
struct ReaderOfValues {
  In const* in[Count];
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](Offset<I, J, K> offset) const {
    return at(offset, std::make_index_sequence<static_cast<std::size_t>(Count)>());
  }

 private:
  template <class At, std::size_t... N>
  KOKKOS_FORCEINLINE_FUNCTION auto at(At offset, std::index_sequence<N...>) const {
    using Real = std::remove_cvref_t<decltype((*in[0])[offset])>;
    return Values<Real, Count>{{(*in[N])[offset]...}};
  }
};

/// A functor of vectors with `Count` unknowns at each point, as one of their components, which sweeps pass one by one:
/// those of the first vector, of the second, …, then the other inputs.
template <class Kernel, int Count, int Vectors>
struct ByComponents {
  static constexpr Shape shape = Kernel::shape;
  static constexpr bool is_long = kernel::is_long_functor<Kernel>();
  static constexpr bool is_rare = requires { requires Kernel::is_rare; };
  static constexpr Shape input_shape(int n) {
    return shape_of_input<Kernel>(n < Vectors * Count ? n / Count : n - Vectors * Count + Vectors);
  }
  Kernel functor;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ByComponents bound() const requires requires(Kernel const& k) { k.bound(); }
  { return {functor.bound()}; }

  template <class P, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const& at, In const&... in) const {
    constexpr std::size_t others = sizeof...(In) - static_cast<std::size_t>(Vectors * Count);
    return by_component(call(at, std::make_index_sequence<static_cast<std::size_t>(Vectors)>(),
                             std::make_index_sequence<others>(), in...));
  }

 private:
  template <class P, std::size_t... Vector, std::size_t... Other, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto call(P const& at, std::index_sequence<Vector...>, std::index_sequence<Other...>,
                                        In const&... in) const {
    return functor(at, vector<Vector * Count>(std::make_index_sequence<static_cast<std::size_t>(Count)>(), in...)...,
                   kernel::pick<static_cast<std::size_t>(Vectors * Count) + Other>(in...)...);
  }
  template <std::size_t First, std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION static auto vector(std::index_sequence<N...>, In const&... in) {
    using One = std::remove_cvref_t<decltype(kernel::pick<First>(in...))>;
    return ReaderOfValues<One, Count>{{&kernel::pick<First + N>(in...)...}};
  }
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION static Result<Real, Count, 0> by_component(Values<Real, Count> const& values) {
    Result<Real, Count, 0> result{};
    for (int n = 0; n < Count; ++n) result.value[n] = values.value[n];
    return result;
  }
  template <class Real, int Outputs, int Sums>
  KOKKOS_FORCEINLINE_FUNCTION static Result<Real, Outputs * Count, Sums> by_component(
      ResultOfValues<Real, Count, Outputs, Sums> const& returned) {
    Result<Real, Outputs * Count, Sums> result{};
    for (int m = 0; m < Outputs; ++m) {
      for (int n = 0; n < Count; ++n) result.value[m * Count + n] = returned.value[m].value[n];
    }
    for (int m = 0; m < Sums; ++m) result.sum[m] = returned.sum[m];
    return result;
  }
  /// Sums alone, or numbers that are no unknowns.
  template <class Real, int Outputs, int Sums>
  KOKKOS_FORCEINLINE_FUNCTION static Result<Real, Outputs, Sums> by_component(
      Result<Real, Outputs, Sums> const& returned) {
    return returned;
  }
};

}  // namespace stencil_functor
}  // namespace halocline
