#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

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
/// quantities: a finite-volume method has their means to any order. Differences are taken in a unit, a power of two
/// near the largest of the five values, so that no product leaves the range of the type, and the constant below which
/// variations count as smooth, 1e-6 to within a factor of two, is relative to the square of that value.
template <class Real>
struct Weno5 {
  static constexpr int reach = 2;
  static constexpr bool of_conserved = true;

  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Real a, Real b, Real c, Real d, Real e) const {
    // Written so that the line read backwards has the same sums and maxima: a cell's two edges share most of this.
    PowersOfTwo const unit =
        of_exponent(larger(larger(larger(exponent(a), exponent(e)), larger(exponent(b), exponent(d))), exponent(c)));
    // A twelfth, which the parabolas' values at the edge have as a factor.
    Real const inverse = Real{1} / Real{12} * unit.inverse;
    Real const from_b_to_a = inverse * (a - b);
    Real const from_b_to_c = inverse * (c - b);
    Real const from_d_to_c = inverse * (c - d);
    Real const from_d_to_e = inverse * (e - d);
    // The second difference of each of three parabolas, with the other sign for the middle one, and twice the first one
    // at the cell.
    Real const second_0 = from_b_to_a + from_b_to_c;
    Real const second_1 = from_b_to_c + from_d_to_c;
    Real const second_2 = from_d_to_e + from_d_to_c;
    Real const twice_b_to_c = from_b_to_c + from_b_to_c;
    Real const twice_d_to_c = from_d_to_c + from_d_to_c;
    Real const first_0 = second_0 + twice_b_to_c;
    Real const first_2 = second_2 + twice_d_to_c;
    Real const both = square(from_b_to_c) + square(from_d_to_c);
    // Four times Jiang and Shu's indicators of smoothness, with the constant beside them. The largest value has a size
    // of 2 to 4 units.
    constexpr Real least = Real(4 * 8e-6 / 144);
    Real const p = square(least + (Real{13} / Real{3} * square(second_0) + square(first_0)));
    Real const q = square(least + (Real{10} / Real{3} * square(second_1) + (both + both)));
    Real const r = square(least + (Real{13} / Real{3} * square(second_2) + square(first_2)));
    // The weights 1 / p, 6 / q and 3 / r over their sum, with a single division.
    Real const weight_0 = q * r;
    Real const weight_1 = Real{6} * (p * r);
    Real const weight_2 = Real{3} * (p * q);
    // The change from the cell's mean to each parabola's value at the edge.
    Real const change_0 = (first_0 + first_0) + (first_0 + second_0);
    Real const change_1 = twice_b_to_c - (twice_d_to_c + twice_d_to_c);
    Real const change_2 = (first_2 + first_2) + twice_d_to_c;
    Real const change = weight_0 * change_0 + weight_1 * change_1 - weight_2 * change_2;
    return c + unit.value * (change / (weight_0 + weight_1 + weight_2));
  }

 private:
  struct PowersOfTwo {
    Real value;
    Real inverse;  ///< 1 / value
  };

  using Limits = std::numeric_limits<Real>;
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  static constexpr Bits one = Bits{1} << (Limits::digits - 1);  ///< added to a number's exponent
  static constexpr Bits exponents = (2 * Bits{Limits::max_exponent} - 1) * one;

  /// The bits of a number's exponent, which are larger for a larger one.
  KOKKOS_FORCEINLINE_FUNCTION static Bits exponent(Real number) { return Kokkos::bit_cast<Bits>(number) & exponents; }
  /// As integers, since compilers then know that the order does not matter.
  KOKKOS_FORCEINLINE_FUNCTION static Bits larger(Bits a, Bits b) { return a < b ? b : a; }
  /// Half of the power of two with an exponent, or of one that is large enough for both results to be normal numbers.
  KOKKOS_FORCEINLINE_FUNCTION static PowersOfTwo of_exponent(Bits bits) {
    Bits const normal = larger(bits, 2 * one);
    return {Kokkos::bit_cast<Real>(normal - one), Kokkos::bit_cast<Real>(exponents - normal)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real square(Real value) { return value * value; }
};

}  // namespace halocline
