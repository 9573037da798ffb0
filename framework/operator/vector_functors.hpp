#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "framework/kernel/scalar.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/operator/point_unknowns.hpp"

// The vector operations as point functors. Scalars come as double and are rounded once to the precision of the vectors.

namespace halocline::vector_functor {

/// a
template <class Real>
struct Fill {
  static constexpr Shape shape = point;
  Real a;
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&) const {
    return a;
  }
};

/// A number in [-1, 1) from any bits, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double uniform(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  bits ^= bits >> 31U;
  // The upper 24 bits fit both precisions exactly.
  return static_cast<double>(bits >> 40U) * 0x1p-23 - 1.0;
}

/// Uniform in [-1, 1), from the global index.
template <class Real>
struct Random {
  static constexpr Shape shape = point;
  std::uint64_t seed;
  Index extent_x;
  Index extent_y;
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at) const {
    auto const index = static_cast<std::uint64_t>(at.index(0) + extent_x * (at.index(1) + extent_y * at.index(2)));
    return static_cast<Real>(uniform((seed << 40U) + index * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U));
  }
};

struct Copy {
  static constexpr Shape shape = point;
  template <class P, class U>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const&, U const& u) const {
    return u[here];
  }
};

/// u + a x, x of any precision
template <class Real>
struct Add {
  static constexpr Shape shape = point;
  Real a;
  template <class P, class U, class X>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, X const& x) const {
    return u[here] + static_cast<Real>(a * x[here]);
  }
};

/// weight[0] x[0] + weight[1] x[1] + …
template <class Real, std::size_t Terms>
struct Sum {
  static constexpr Shape shape = point;
  Real weight[Terms];
  template <class P, class... X>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, X const&... x) const {
    Real const values[Terms] = {x[here]...};
    Real sum = weight[0] * values[0];
    for (std::size_t n = 1; n < Terms; ++n) sum += weight[n] * values[n];
    return sum;
  }
};

/// x + length p; x if the length is zero, whatever p is then: steps enqueued ahead may have to leave x unchanged.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real moved(Real x, Real length, Real p) {
  if constexpr (std::is_same_v<kernel::Scalar<Real>, Real>) {
    return x + length * p;
  } else {
    return select(length == Real{0}, x, x + length * p);
  }
}
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> moved(Values<Real, Count> const& x, Real length,
                                                                    Values<Real, Count> const& p) {
  Values<Real, Count> result{};
  for (int n = 0; n < Count; ++n) result.value[n] = moved(x.value[n], length, p.value[n]);
  return result;
}

/// x + alpha p and z + beta p, of one unknown at a point or several
template <class Real>
struct Advance {
  static constexpr Shape shape = point;
  kernel::Scalar<Real> alpha;
  kernel::Scalar<Real> beta;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Advance bound() const { return {Real{alpha}, Real{beta}}; }
  template <class P, class X, class D, class Z>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const&, X const& x, D const& p, Z const& z) const {
    Real const length = alpha;
    Real const weight = beta;
    using Unknowns = std::remove_cvref_t<decltype(x[here])>;
    return stencil_functor::PointResult<Unknowns, 2, 0>{{moved(x[here], length, p[here]), z[here] + weight * p[here]},
                                                        {}};
  }
};

/// u + a x and its square
template <class Real>
struct AddAndSquare {
  static constexpr Shape shape = point;
  Real a;
  template <class P, class U, class X>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 1, 1> operator()(P const&, U const& u, X const& x) const {
    Real const value = u[here] + a * x[here];
    return {{value}, {value * value}};
  }
};

/// x y, of one unknown at a point or several
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real multiplied(Real x, Real y) {
  return x * y;
}
template <class Real, int Count>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<Real, Count> multiplied(Values<Real, Count> const& x,
                                                                         Values<Real, Count> const& y) {
  Values<Real, Count> result{};
  for (int n = 0; n < Count; ++n) result.value[n] = x.value[n] * y.value[n];
  return result;
}

/// What `update` returns, u and its square, and d u and its product with u. The input d comes before those of `update`.
template <class Update>
struct UpdateAndScale {
  static constexpr Shape shape = Update::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<Update>(n - 1); }
  Update update;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION UpdateAndScale bound() const requires kernel::HasLaterScalars<Update> {
    return {update.bound()};
  }
  template <class P, class D, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const& at, D const& d, In const&... in) const {
    auto const updated = update(at, in...);
    using Unknowns = std::remove_cvref_t<decltype(d[here])>;
    Unknowns const scaled = multiplied(d[here], updated.value[0]);
    return stencil_functor::PointResult<Unknowns, 2, 2>{
        {updated.value[0], scaled}, {updated.sum[0], stencil_functor::product(scaled, updated.value[0])}};
  }
};

/// x y
struct Multiply {
  static constexpr Shape shape = point;
  template <class P, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const&, X const& x, Y const& y) const {
    return x[here] * y[here];
  }
};

/// x y and its product with y
template <class Real>
struct MultiplyAndDot {
  static constexpr Shape shape = point;
  template <class P, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 1, 1> operator()(P const&, X const& x, Y const& y) const {
    Real const value = x[here] * y[here];
    return {{value}, {value * y[here]}};
  }
};

/// a x, rounded once; x may have another precision
template <class Real>
struct Convert {
  static constexpr Shape shape = point;
  double a;
  template <class P, class X>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, X const& x) const {
    return static_cast<Real>(a * static_cast<double>(x[here]));
  }
};

/// The same, and its product with y
template <class Real>
struct ConvertAndDot {
  static constexpr Shape shape = point;
  double a;
  template <class P, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 1, 1> operator()(P const&, X const& x, Y const& y) const {
    Real const value = static_cast<Real>(a * static_cast<double>(x[here]));
    return {{value}, {value * y[here]}};
  }
};

/// 1 / u, and the number of zeros
template <class Real>
struct Invert {
  static constexpr Shape shape = point;
  template <class P, class U>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 1, 1> operator()(P const&, U const& u) const {
    return {{Real{1} / u[here]}, {u[here] == Real{0} ? Real{1} : Real{0}}};
  }
};

/// Products of u with each x
template <class Real>
struct Dots {
  static constexpr Shape shape = point;
  template <class P, class U, class... X>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 0, sizeof...(X)> operator()(P const&, U const& u, X const&... x) const {
    return {{}, {u[here] * x[here]...}};
  }
};

/// u^2 and u x
template <class Real>
struct SquareAndDot {
  static constexpr Shape shape = point;
  template <class P, class U, class X>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 0, 2> operator()(P const&, U const& u, X const& x) const {
    return {{}, {u[here] * u[here], u[here] * x[here]}};
  }
};

/// u x, u y and x^2
template <class Real>
struct DotsAndSquare {
  static constexpr Shape shape = point;
  template <class P, class U, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 0, 3> operator()(P const&, U const& u, X const& x, Y const& y) const {
    return {{}, {u[here] * x[here], u[here] * y[here], x[here] * x[here]}};
  }
};

/// |u|
template <class Real>
struct Magnitude {
  static constexpr Shape shape = point;
  template <class P, class U>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 0, 1> operator()(P const&, U const& u) const {
    return {{}, {u[here] < Real{0} ? -u[here] : u[here]}};
  }
};

/// |error| / (absolute + relative max(|before|, |after|)), zero for a zero error
struct ScaledError {
  static constexpr Shape shape = point;
  double absolute;
  double relative;
  template <class P, class E, class B, class A>
  KOKKOS_FORCEINLINE_FUNCTION Result<double, 0, 1> operator()(P const&, E const& error, B const& before,
                                                              A const& after) const {
    auto const magnitude = [](double x) { return x < 0 ? -x : x; };
    double const old_size = magnitude(before[here]);
    double const new_size = magnitude(after[here]);
    double const size = old_size > new_size || old_size != old_size ? old_size : new_size;
    double const of_error = magnitude(error[here]);
    return {{}, {of_error == 0 ? 0 : of_error / (absolute + relative * size)}};
  }
};

}  // namespace halocline::vector_functor
