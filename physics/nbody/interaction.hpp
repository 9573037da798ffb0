#pragma once

#include <array>
#include <cstddef>

#include "physics/nbody/attraction.hpp"
#include "physics/nbody/lanes.hpp"

namespace halocline::nbody {

/// d^(-k/2) from an approximation y of d^(-1/2): with e = 1 - d y^2 it is y^k (1 - e)^(-k/2) = y^k (1 + k/2 e + k (k +
/// 2)/8 e^2 + …). The polynomial is divided by its leading coefficient, which saves a multiplication; `scale` is
/// applied to the sums at the end.
template <class Real, int k>
struct ReciprocalRootPower {
  /// The largest e.
  static constexpr double h = 2 * ReciprocalRoot<Real>::error;
  /// Chosen so that the truncated terms are below half a rounding.
  static constexpr int degree = h == 0 ? 0 : sizeof(Real) == 8 ? 3 : h < 0x1p-12 ? 1 : 2;
  /// Coefficient of e^power in the binomial series of (1 - e)^(-k/2).
  static constexpr double of_series(int power) {
    double coefficient = 1;
    for (int n = 0; n < power; ++n) coefficient *= (k + 2. * n) / (2. * (n + 1));
    return coefficient;
  }
  /// Of 1, e, e^2, e^3. The first omitted term is distributed over the others (Chebyshev economisation).
  static constexpr std::array<double, 4> coefficients =
      degree == 1   ? std::array<double, 4>{1 + of_series(2) / 2 * h * h, of_series(1), 0, 0}
      : degree == 2 ? std::array<double, 4>{1, of_series(1) + 3. / 4 * of_series(3) * h* h, of_series(2), 0}
                    : std::array<double, 4>{1, of_series(1), of_series(2) + of_series(4) * h* h, of_series(3)};
  static constexpr double leading = degree == 0 ? 1 : coefficients[static_cast<std::size_t>(degree)];
  /// Coefficients of the divided polynomial, rounded to the precision.
  static constexpr Real coefficient(int power) {
    return static_cast<Real>(coefficients[static_cast<std::size_t>(power)] / leading);
  }
  /// The first coefficient of the divided polynomial is rounded; this compensates for it at e = 0.
  static constexpr double scale() {
    if (degree == 0) return 1;
    if (degree > 1) return coefficients[0] / static_cast<double>(coefficient(0));
    return coefficients[0] / (static_cast<double>(static_cast<Real>(1 + coefficients[0] / leading)) - 1);
  }

  /// d^(-k/2) / y^k / scale(), where d y^2 is a b.
  static Lanes<Real> correction(Lanes<Real> a, Lanes<Real> b) {
    if constexpr (degree == 0) return broadcast(Real{1});
    if constexpr (degree == 1) {
      constexpr auto constant = static_cast<Real>(1 + coefficients[0] / leading);
      return fma(-a, b, broadcast(constant));
    }
    Lanes<Real> const e = fma(-a, b, broadcast(Real{1}));
    Lanes<Real> polynomial = e + broadcast(coefficient(degree - 1));
    for (int power = degree - 2; power >= 0; --power) polynomial = fma(polynomial, e, broadcast(coefficient(power)));
    return polynomial;
  }
};

/// The terms of sources in the sums of targets in the lanes, divided by the scale of `Power`: (dx, dy, dz) is the
/// distance, d its square with softening, and y about d^(-1/2), or 0 if the source adds nothing.
template <class Interaction>
struct Term;
template <class Real>
struct Term<Attraction<Real>> {
  using Power = ReciprocalRootPower<Real, 3>;
  static void add(Lanes<Real> (&sums)[3], Lanes<Real> dx, Lanes<Real> dy, Lanes<Real> dz, Lanes<Real> d, Lanes<Real> y,
                  Lanes<Real> mass) {
    Lanes<Real> const square = y * y;
    Lanes<Real> const weight = mass * y * (square * Power::correction(d, square));
    sums[0] = fma(weight, dx, sums[0]);
    sums[1] = fma(weight, dy, sums[1]);
    sums[2] = fma(weight, dz, sums[2]);
  }
};
template <class Real>
struct Term<Potential<Real>> {
  using Power = ReciprocalRootPower<Real, 1>;
  static void add(Lanes<Real> (&sums)[1], Lanes<Real>, Lanes<Real>, Lanes<Real>, Lanes<Real> d, Lanes<Real> y,
                  Lanes<Real> mass) {
    sums[0] = fma(mass * y, Power::correction(d * y, y), sums[0]);
  }
};

/// Targets in the lanes of a register and their sums so far, divided by the scale of the term's power.
template <class Interaction>
struct TargetLanes {
  using Real = typename Interaction::Real;
  Lanes<Real> x{}, y{}, z{};
  Lanes<Real> sums[Interaction::sums]{};

  /// Adds the term of one source, the same in all lanes. `self`: the lane whose target is this source, if any.
  template <Omitted omitted>
  void accumulate(Lanes<Real> from_x, Lanes<Real> from_y, Lanes<Real> from_z, Lanes<Real> mass,
                  Lanes<Real> softening_squared, [[maybe_unused]] Index self = -1) {
    Lanes<Real> const dx = from_x - x;
    Lanes<Real> const dy = from_y - y;
    Lanes<Real> const dz = from_z - z;
    if constexpr (omitted == Omitted::coincident) {
      Lanes<Real> const distance = fma(dz, dz, fma(dy, dy, dx * dx));
      Lanes<Real> const d = distance + softening_squared;
      Lanes<Real> const apart = distance == 0 ? Lanes<Real>{} : ReciprocalRoot<Real>::of(d);
      Term<Interaction>::add(sums, dx, dy, dz, d, apart, mass);
    } else {
      Lanes<Real> const d = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening_squared)));
      Lanes<Real> root = ReciprocalRoot<Real>::of(d);
      if constexpr (omitted == Omitted::self) {
        if (self >= 0 && self < lanes<Real>) root[self] = 0;
      }
      Term<Interaction>::add(sums, dx, dy, dz, d, root, mass);
    }
  }
};

}  // namespace halocline::nbody
