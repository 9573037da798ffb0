#pragma once

#include <array>

#include "physics/nbody/lanes.hpp"

namespace halocline::nbody {

/// d^(-3/2) by an approximate y = d^(-1/2): with e = 1 - d y^2 it is y^3 (1 - e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 +
/// …). The polynomial is divided by its leading coefficient, which spares a multiplication: sums of such terms are
/// multiplied by `scale` in the end.
template <class Real>
struct ThreeHalves {
  /// The largest e.
  static constexpr double h = 2 * ReciprocalRoot<Real>::error;
  /// So that what is left out is below half a rounding.
  static constexpr int degree = h == 0 ? 0 : sizeof(Real) == 8 ? 3 : h < 0x1p-12 ? 1 : 2;
  /// Of 1, e, e^2, e^3. The term after the last one is spread over those before (Chebyshev economisation).
  static constexpr std::array<double, 4> coefficients =
      degree == 1   ? std::array<double, 4>{1 + 15. / 16 * h * h, 3. / 2, 0, 0}
      : degree == 2 ? std::array<double, 4>{1, 3. / 2 + 3. / 4 * 35. / 16 * h* h, 15. / 8, 0}
                    : std::array<double, 4>{1, 3. / 2, 15. / 8 + 315. / 128 * h* h, 35. / 16};
  static constexpr double leading = degree == 0 ? 1 : coefficients[static_cast<std::size_t>(degree)];
  /// Of the divided polynomial, as the precision has them.
  static constexpr Real coefficient(int power) {
    return static_cast<Real>(coefficients[static_cast<std::size_t>(power)] / leading);
  }
  /// The first coefficient of the divided polynomial is rounded; this makes up for it where e is 0.
  static constexpr double scale() {
    if (degree == 0) return 1;
    if (degree > 1) return coefficients[0] / static_cast<double>(coefficient(0));
    return coefficients[0] / (static_cast<double>(static_cast<Real>(1 + coefficients[0] / leading)) - 1);
  }

  /// factor * d^(-3/2) / scale(), given y.
  static Lanes<Real> times(Lanes<Real> factor, Lanes<Real> d, Lanes<Real> y) {
    Lanes<Real> const square = y * y;
    if constexpr (degree == 0) return factor * y * square;
    if constexpr (degree == 1) {
      constexpr auto constant = static_cast<Real>(1 + coefficients[0] / leading);
      return factor * y * (square * fma(-d, square, broadcast(constant)));
    }
    Lanes<Real> const e = fma(-d, square, broadcast(Real{1}));
    Lanes<Real> polynomial = e + broadcast(coefficient(degree - 1));
    for (int power = degree - 2; power >= 0; --power) polynomial = fma(polynomial, e, broadcast(coefficient(power)));
    return factor * y * (square * polynomial);
  }
};

/// Targets in the lanes of a register, and the attraction that they have felt, times ThreeHalves::scale().
template <class Real>
struct TargetLanes {
  Lanes<Real> x{}, y{}, z{};
  Lanes<Real> sum_x{}, sum_y{}, sum_z{};

  /// Adds the attraction by one source, which is the same in all lanes. `Coincides`: whether it may be where a target
  /// is and so heavy, for the softening, that its weight there is not finite.
  template <bool Coincides>
  void feel(Lanes<Real> from_x, Lanes<Real> from_y, Lanes<Real> from_z, Lanes<Real> mass,
            Lanes<Real> softening_squared) {
    Lanes<Real> const dx = from_x - x;
    Lanes<Real> const dy = from_y - y;
    Lanes<Real> const dz = from_z - z;
    Lanes<Real> weight;
    if constexpr (Coincides) {
      Lanes<Real> const distance = fma(dz, dz, fma(dy, dy, dx * dx));
      Lanes<Real> const d = distance + softening_squared;
      Lanes<Real> const apart = distance == 0 ? Lanes<Real>{} : ReciprocalRoot<Real>::of(d);
      weight = ThreeHalves<Real>::times(mass, d, apart);
    } else {
      Lanes<Real> const d = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening_squared)));
      weight = ThreeHalves<Real>::times(mass, d, ReciprocalRoot<Real>::of(d));
    }
    sum_x = fma(weight, dx, sum_x);
    sum_y = fma(weight, dy, sum_y);
    sum_z = fma(weight, dz, sum_z);
  }
};

}  // namespace halocline::nbody
