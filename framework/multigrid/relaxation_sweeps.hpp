#pragma once

#include <type_traits>

#include "framework/kernel/stencil.hpp"

// Both half-sweeps of red-black Gauss-Seidel as one sweep of a stencil, for unknowns with the same diagonal. The first
// colour's values that an unknown of the second colour reads are recomputed: cheaper than a second pass over memory.

namespace halocline {

/// A x = b for unknowns with equal rows: away from walls, with constant coefficients.
template <class Real, int Dimensions>
struct InnerRow {
  Real coupling[3] = {0, 0, 0};
  Real inverse = 0;  ///< of the diagonal

  /// The solution of an unknown's own equation, with the order of operations of ConstantStencil. `pair(axis)`: the sum
  /// of the two neighbours along an axis, a std::integral_constant.
  template <class Pair>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real relaxed(Real b, Pair const& pair) const {
    Real neighbours = coupling[0] * pair(std::integral_constant<int, 0>());
    if constexpr (Dimensions > 1) neighbours += coupling[1] * pair(std::integral_constant<int, 1>());
    if constexpr (Dimensions > 2) neighbours += coupling[2] * pair(std::integral_constant<int, 2>());
    return (b + neighbours) * inverse;
  }
};

/// 0 if a point has the colour that is relaxed first, 1 if it has the second. The sum of the global indices is even for
/// red (0).
template <class P>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int half_sweep_of(P const& at, int first_colour) {
  int const sum = static_cast<int>(at.index(0)) + static_cast<int>(at.index(1)) + static_cast<int>(at.index(2));
  return (sum & 1) == first_colour ? 0 : 1;
}

/// Inputs: x, b. Reads x up to two unknowns away and b up to one.
template <class Real, int Dimensions>
struct RelaxBothColours {
  static constexpr Shape shape = box<2, Dimensions>;
  [[nodiscard]] static constexpr Shape input_shape(int n) { return n == 0 ? shape : star<1, Dimensions>; }
  InnerRow<Real, Dimensions> row;
  int first;  ///< the colour that is relaxed first

  /// Value of the neighbour at an offset after the first half-sweep.
  template <int I, int J, int K, class X, class B>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real relaxed(Offset<I, J, K> at, X const& x, B const& b) const {
    return row.relaxed(b[at], [&](auto axis) {
      constexpr auto step = along<decltype(axis)::value, 1>;
      return x[Offset<I - step.x, J - step.y, K - step.z>()] + x[Offset<I + step.x, J + step.y, K + step.z>()];
    });
  }

  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int phase(P const& at) const {
    return half_sweep_of(at, first);
  }
  template <int Phase, class P, class X, class B>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real in_phase(P const&, X const& x, B const& b) const {
    if constexpr (Phase == 0) {
      return relaxed(here, x, b);
    } else {
      return row.relaxed(b[here], [&](auto axis) {
        constexpr int a = decltype(axis)::value;
        return relaxed(along<a, -1>, x, b) + relaxed(along<a, 1>, x, b);
      });
    }
  }
  template <class P, class X, class B>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at, X const& x, B const& b) const {
    return phase(at) == 0 ? in_phase<0>(at, x, b) : in_phase<1>(at, x, b);
  }
};

/// The same from x = 0. Input: b.
template <class Real, int Dimensions>
struct RelaxBothColoursFromZero {
  static constexpr Shape shape = star<1, Dimensions>;
  InnerRow<Real, Dimensions> row;
  int first;

  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int phase(P const& at) const {
    return half_sweep_of(at, first);
  }
  template <int Phase, class P, class B>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real in_phase(P const&, B const& b) const {
    if constexpr (Phase == 0) {
      return b[here] * row.inverse;
    } else {
      return row.relaxed(b[here], [&](auto axis) {
        constexpr int a = decltype(axis)::value;
        return b[along<a, -1>] * row.inverse + b[along<a, 1>] * row.inverse;
      });
    }
  }
  template <class P, class B>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at, B const& b) const {
    return phase(at) == 0 ? in_phase<0>(at, b) : in_phase<1>(at, b);
  }
};

}  // namespace halocline
