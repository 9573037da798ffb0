#pragma once

#include <Kokkos_MathematicalFunctions.hpp>
#include <limits>

#include "framework/kernel/stencil.hpp"

// Values at the edges of cells from cell means. Each of these functors takes, on a line through a cell, the `reach`
// cells behind it, the cell itself and the `reach` cells ahead, and returns the value at the edge ahead. The other edge
// is that of the line read backwards, so that mirrored data give mirrored values, to the bit. They are homogeneous:
// values in other units, that is times a power of two, give that multiple to the bit, over the range of the type.

namespace halocline {

/// A linear profile through the cell's mean with the slope limited by theta-minmod (van Leer 1979, Kurganov & Tadmor
/// 2000): donor cell with theta 0, minmod with 1, monotonized central with 2. With theta 2, and the larger one-sided
/// slope instead of the central one, it is superbee (Roe 1985).
template <class Real>
struct MinmodSlopes {
  static constexpr int reach = 1;
  static constexpr bool of_conserved = false;
  Real theta;
  Real larger = 0;  ///< 1 for superbee

  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real behind, Real cell, Real ahead) const {
    Real const a = cell - behind;
    Real const b = ahead - cell;
    Real const size_a = theta * select(a < 0, -a, a);
    Real const size_b = theta * select(b < 0, -b, b);
    Real const central = Real{0.5} * (a + b);
    Real const size = select(central < 0, -central, central);
    Real const smaller_side = select(size_a < size_b, size_a, size_b);
    Real const larger_side = Real{0.5} * select(size_a < size_b, size_b, size_a);
    Real const most = size + larger * (larger_side - size);
    Real const limited = select(smaller_side < most, smaller_side, most);
    // The sign of a b, whose value might be below the smallest number.
    bool const is_monotonic = select(a < 0, -b, b) > 0;
    Real const slope = select(is_monotonic, select(a < 0, -limited, limited), Real{0});
    return cell + Real{0.5} * slope;
  }
};

/// The same with the harmonic mean of both one-sided slopes (van Leer 1974).
template <class Real>
struct VanLeerSlopes {
  static constexpr int reach = 1;
  static constexpr bool of_conserved = false;

  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real behind, Real cell, Real ahead) const {
    Real const a = cell - behind;
    Real const b = ahead - cell;
    // Without the product a b, which might be below the smallest number.
    bool const is_monotonic = select(a < 0, -b, b) > 0;
    Real const half_slope = a * (b / select(is_monotonic, a + b, Real{1}));
    return cell + select(is_monotonic, half_slope, Real{0});
  }
};

/// Fifth-order weighted essentially non-oscillatory values (Jiang & Shu, J. Comput. Phys. 126, 1996) of the conserved
/// quantities: a finite-volume method has their means to any order. Smoothness is measured in units of the mean size of
/// the five values, so that the constant 1e-6, below which variations count as smooth, is relative to them.
template <class Real>
struct Weno5 {
  static constexpr int reach = 2;
  static constexpr bool of_conserved = true;
  static constexpr Real smallest = 2 * std::numeric_limits<Real>::min();  ///< not too small for a reciprocal

  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real a, Real b, Real c, Real d, Real e) const {
    // Sums are written so that the line read backwards has the same ones: a cell's two edges share most of this.
    Real const size = (Kokkos::abs(a) + Kokkos::abs(e)) + (Kokkos::abs(b) + Kokkos::abs(d)) + Kokkos::abs(c);
    Real const unit = Real{5} / (size + smallest);
    Real const smooth_0 = smoothness(unit * ((a + c) - Real{2} * b), unit * ((a + Real{3} * c) - Real{4} * b));
    Real const smooth_1 = smoothness(unit * ((b + d) - Real{2} * c), unit * (b - d));
    Real const smooth_2 = smoothness(unit * ((e + c) - Real{2} * d), unit * ((e + Real{3} * c) - Real{4} * d));
    constexpr Real least = Real(1e-6);
    Real const p = square(least + smooth_0);
    Real const q = square(least + smooth_1);
    Real const r = square(least + smooth_2);
    // The weights 1 / p, 6 / q and 3 / r over their sum, with a single division.
    Real const weight_0 = q * r;
    Real const weight_1 = Real{6} * (p * r);
    Real const weight_2 = Real{3} * (p * q);
    Real const value_0 = Real{2} * a - Real{7} * b + Real{11} * c;
    Real const value_1 = -b + Real{5} * c + Real{2} * d;
    Real const value_2 = Real{2} * c + Real{5} * d - e;
    // The weights might be small: their products with small values must not be.
    Real const inverse = Real{1} / (Real{6} * (weight_0 + weight_1 + weight_2));
    return weight_0 * inverse * value_0 + weight_1 * inverse * value_1 + weight_2 * inverse * value_2;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Real square(Real value) { return value * value; }
  /// From the second difference of a parabola and twice its first one at the cell.
  KOKKOS_FORCEINLINE_FUNCTION static Real smoothness(Real second, Real first) {
    return Real{13} / Real{12} * square(second) + Real{0.25} * square(first);
  }
};

}  // namespace halocline
