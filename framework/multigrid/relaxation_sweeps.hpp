#pragma once

#include "framework/operator/stencil_functors.hpp"

// Both half-sweeps of red-black Gauss-Seidel as one sweep of a star. The first colour's values that an unknown of the
// second colour reads are recomputed: cheaper than a second pass over memory.

namespace halocline {

/// Reads as an input does from a neighbouring point.
template <class Input, int X, int Y, int Z>
struct SeenFrom {
  Input const& input;
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](Offset<I, J, K>) const {
    return input[Offset<X + I, Y + J, Z + K>()];
  }
};

/// A neighbour of a point. Its position is not known.
template <class P, int X, int Y, int Z>
struct NeighbourPoint {
  P const& at;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index index(int axis) const {
    return at.index(axis) + (axis == 0 ? X : axis == 1 ? Y : Z);
  }
};

/// Reads as the vector whose entries `value(offset)` returns.
template <class Value>
struct EvaluatedVector {
  Value const& value;
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](Offset<I, J, K> offset) const {
    return value(offset);
  }
};

/// What is read of an input of `shape` at a point and its neighbours in a star of `axes`.
[[nodiscard]] constexpr Shape with_neighbours(Shape const& shape, int axes) {
  return {shape.radius == 0 ? ShapeKind::star : ShapeKind::box, shape.radius + 1, axes};
}

/// Relaxes both colours with a star A that has this many coefficients. FromZero: from x = 0, which is not an input.
/// Inputs: x, b, then the coefficients of A. For unknowns of which no neighbour is beside a wall.
template <class Real, class A, int Coefficients, bool FromZero>
struct RelaxBothColours {
  /// Then no streaming kernel is compiled: few rows of so many inputs that are read at corners fit into its memory.
  static constexpr bool is_rare = Coefficients > 0 && sizeof(Real) == 8;
  static constexpr Shape of_inputs(int n) {
    if (n == 0) return with_neighbours(A::shape, A::shape.axes);
    return with_neighbours(n == 1 ? point : shape_of_input<A>(n - 1), A::shape.axes);
  }
  [[nodiscard]] static constexpr Shape input_shape(int n) { return of_inputs(FromZero ? n + 1 : n); }
  static constexpr Shape shape = of_inputs(0);
  A a;
  int first;  ///< the colour that is relaxed first

  /// 0 if a point has the colour that is relaxed first, 1 if it has the second. The sum of the global indices is even
  /// for red (0).
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int phase(P const& at) const {
    int const sum = static_cast<int>(at.index(0)) + static_cast<int>(at.index(1)) + static_cast<int>(at.index(2));
    return (sum & 1) == first ? 0 : 1;
  }
  template <int Phase, class P, class First, class... More>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real in_phase(P const& at, First const& first_input,
                                                          More const&... more) const {
    if constexpr (FromZero) {
      return relaxed_in<Phase>(at, first_input, first_input, more...);
    } else {
      return relaxed_in<Phase>(at, first_input, more...);
    }
  }
  template <class P, class... In>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at, In const&... in) const {
    return phase(at) == 0 ? in_phase<0>(at, in...) : in_phase<1>(at, in...);
  }

 private:
  template <int Phase, class P, class X, class B, class... K>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real relaxed_in(P const& at, X const& x, B const& b, K const&... k) const {
    if constexpr (Phase == 0) {
      return first_half(here, at, x, b, k...);
    } else {
      auto const value = [&](auto offset) { return first_half(offset, at, x, b, k...); };
      return stencil_functor::relaxed<Real>(a, at, b, EvaluatedVector<decltype(value)>{value}, k...);
    }
  }
  /// The value of a neighbour after the first half-sweep. From zero, x is not read.
  template <int I, int J, int K, class P, class X, class B, class... Coefficient>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real first_half(Offset<I, J, K> offset, P const& at, X const& x, B const& b,
                                                            Coefficient const&... k) const {
    NeighbourPoint<P, I, J, K> const there{at};
    if constexpr (FromZero) {
      return stencil_functor::solve_point<Real>(a, there, b[offset], SeenFrom<Coefficient, I, J, K>{k}...);
    } else {
      return stencil_functor::relaxed<Real>(a, there, SeenFrom<B, I, J, K>{b}, SeenFrom<X, I, J, K>{x},
                                            SeenFrom<Coefficient, I, J, K>{k}...);
    }
  }
};

}  // namespace halocline
