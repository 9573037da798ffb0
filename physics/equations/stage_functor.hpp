#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "physics/equations/equation_point.hpp"
#include "physics/equations/rate_requirements.hpp"

namespace halocline {

namespace equation {

/// The return type of a rate: a plain number for one field, Values for several.
template <class Real, int Count>
KOKKOS_FORCEINLINE_FUNCTION Real component(Values<Real, Count> const& values, int n) {
  return values.value[n];
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real component(Real const& value, int) {
  return value;
}

/// A shape that covers both.
[[nodiscard]] constexpr Shape joined(Shape const& a, Shape const& b) {
  if (a.covers(b)) return a;
  if (b.covers(a)) return b;
  bool const is_box = a.kind == ShapeKind::box || b.kind == ShapeKind::box;
  return {is_box ? ShapeKind::box : ShapeKind::star, a.radius > b.radius ? a.radius : b.radius, a.axes | b.axes};
}

/// In place of the coupling of a rate that has none.
struct NoCoupling {};

/// The sum of a rate and of the linear part that it declares by `diffusivity` and `coupling()`. Inputs: the fields, the
/// rate's coefficients and, if the diffusivity varies, for each field the resistance of half a cell where the
/// diffusivity is in units of `diffusivity`.
///
/// \tparam HasRate whether there is a rate beside the linear part
template <class Real, class Rate, int Axes, int Fields, bool HasRate, bool IsCoupled, bool Varies>
struct WithLinearPart {
  static constexpr Shape shape = joined(Rate::shape, star<1, Axes>);
  static constexpr bool is_long = kernel::is_long_functor<Rate>();
  static constexpr int of_rate = Fields + coefficients_of<Rate>();
  static constexpr int coefficient_fields = coefficients_of<Rate>() + (Varies ? Fields : 0);
  static constexpr Shape input_shape(int n) {
    if (n < Fields) return shape;
    return n < of_rate ? shape_of_input<Rate>(n) : star<1, Axes>;
  }
  Rate rate;
  Values<Real, Fields> diffusivity;
  std::conditional_t<IsCoupled, Matrix<Real, Fields>, NoCoupling> coupling;

  template <class P, class... In>
  KOKKOS_FORCEINLINE_FUNCTION Values<Real, Fields> operator()(P const& at, In const&... in) const {
    constexpr auto each = std::make_index_sequence<static_cast<std::size_t>(Fields)>();
    if constexpr (HasRate) {
      return add(evaluated(at, std::make_index_sequence<static_cast<std::size_t>(of_rate)>(), in...), at, each, in...);
    } else {
      return add(Values<Real, Fields>{}, at, each, in...);
    }
  }

 private:
  template <class P, std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto evaluated(P const& at, std::index_sequence<N...>, In const&... in) const {
    return rate(at, kernel::pick<N>(in...)...);
  }
  template <class Returned, class P, std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION Values<Real, Fields> add(Returned const& of_rate_alone, P const& at,
                                                       std::index_sequence<N...> each, In const&... in) const {
    if constexpr (IsCoupled) {
      return {(component(of_rate_alone, static_cast<int>(N)) + diffusivity.value[N] * diffused<N>(at, in...) +
               coupled<N>(each, in...))...};
    } else {
      return {(component(of_rate_alone, static_cast<int>(N)) + diffusivity.value[N] * diffused<N>(at, in...))...};
    }
  }
  template <std::size_t Field, class P, class... In>
  KOKKOS_FORCEINLINE_FUNCTION Real diffused(P const& at, In const&... in) const {
    if constexpr (Varies) {
      return at.diffusion(kernel::pick<Field>(in...), kernel::pick<of_rate + Field>(in...));
    } else {
      return at.laplacian(kernel::pick<Field>(in...));
    }
  }
  template <std::size_t Row, std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION Real coupled(std::index_sequence<N...>, In const&... in) const {
    return (... + (coupling.entry[Row][N] * kernel::pick<N>(in...)[here]));
  }
};

/// A coefficient that is the same everywhere, as a reader.
template <class Real>
struct Everywhere {
  Real value;
  template <class Offset>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator[](Offset) const {
    return value;
  }
};

/// A coefficient that is 1.
template <class Real>
struct One {
  template <class Offset>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator[](Offset) const {
    return Real{1};
  }
};

/// A rate whose coefficients are numbers. Inputs: the fields. A rate that is proportional to its only coefficient gets
/// it as a factor of `times`.
template <class Real, class Rate>
struct WithConstants {
  static constexpr Shape shape = Rate::shape;
  static constexpr bool is_long = kernel::is_long_functor<Rate>();
  static constexpr Shape input_shape(int n) { return shape_of_input<Rate>(n); }
  static constexpr int order_in_time = order_in_time_of<Rate>();
  Rate rate;
  Real constant[coefficients_of<Rate>()];

  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const& at, U const&... u) const {
    return evaluated(each_coefficient<Rate>, at, u...);
  }
  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION auto fastest(P const& at, U const&... u) const {
    return bounded(each_coefficient<Rate>, at, u...);
  }
  KOKKOS_FORCEINLINE_FUNCTION double inertia() const { return weighed(each_coefficient<Rate>); }
  [[nodiscard]] WithConstants times(double factor) const requires HasMultiples<Rate> {
    WithConstants scaled = *this;
    scaled.rate = rate.times(IsProportional<Rate> ? factor * static_cast<double>(constant[0]) : factor);
    return scaled;
  }

 private:
  template <std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto evaluated(std::index_sequence<N...>, In const&... in) const {
    if constexpr (IsProportional<Rate>) {
      return rate(in..., (static_cast<void>(N), One<Real>{})...);
    } else {
      return rate(in..., Everywhere<Real>{constant[N]}...);
    }
  }
  template <std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto bounded(std::index_sequence<N...>, In const&... in) const {
    return rate.fastest(in..., Everywhere<Real>{constant[N]}...);
  }
  template <std::size_t... N>
  KOKKOS_FORCEINLINE_FUNCTION double weighed(std::index_sequence<N...>) const {
    return rate.inertia(Everywhere<Real>{constant[N]}...);
  }
};

/// (u - before)^2 - before h^2 a, times the inertia: leapfrog conserves its sum over all cells if the acceleration a is
/// a symmetric operator times u. Inputs: u, its previous value and h^2 a, then the rate's coefficients; of one field.
template <class Real, class Rate>
struct EnergyFunctor {
  static constexpr Shape shape = point;
  Rate rate;
  template <class P, class U, class B, class C, class... K>
  KOKKOS_FUNCTION Result<double, 0, 1> operator()(P const&, U const& u, B const& before, C const& change,
                                                  K const&... k) const {
    double const moved = static_cast<double>(u[here]) - static_cast<double>(before[here]);
    double const potential = static_cast<double>(before[here]) * static_cast<double>(change[here]);
    return {{}, {rate.inertia(k...) * (moved * moved - potential)}};
  }
};

/// The diffusivity of each field at a point, from the rate's coefficients.
template <class Real, class Rate, int Fields>
struct DiffusivityFunctor {
  static constexpr Shape shape = point;
  Rate rate;
  template <class P, class... K>
  KOKKOS_FUNCTION Result<Real, Fields, 0> operator()(P const&, K const&... k) const {
    auto const at_point = rate.diffusivity(k...);
    Result<Real, Fields, 0> result{};
    for (int n = 0; n < Fields; ++n) result.value[n] = component(at_point, n);
    return result;
  }
};

}  // namespace equation

/// By axis, then global index; in the memory of fields.
template <class Real, int Axes>
struct DampingFactors {
  Real const* along[Axes];
};
struct NoDamping {};

/// One stage of an integrator at one point: out = own y + sum of weight x + scale rate(y); with `HasSlope` the rate is
/// a second output. Inputs: the `Fields` of y, the rate's coefficients, then the fields of each of the `Terms` states
/// x. Outputs: the fields of out, then those of the slope.
///
/// A rate that `HasMultiples` is already scale times the rate; one of order 0 in time returns out.
///
/// With `IsDamped`, out - x is multiplied by a product of one factor per axis, for a step with damping, of which the
/// only state x is the one before y.
template <class Real, class Rate, int Axes, int Fields, int Terms, bool HasSlope, bool IsDamped = false>
struct StageFunctor {
  static constexpr Shape shape = Rate::shape;
  static constexpr bool is_long = kernel::is_long_functor<Rate>();
  static constexpr int read = Fields + equation::coefficients_of<Rate>();
  static constexpr int order_in_time = equation::order_in_time_of<Rate>();
  static constexpr Shape input_shape(int n) { return n < read ? shape_of_input<Rate>(n) : point; }

  Rate rate;
  DifferenceWeights<Real> differences;
  Real own;
  Real scale;
  Real weight[Terms > 0 ? Terms : 1];
  std::conditional_t<IsDamped, DampingFactors<Real, Axes>, NoDamping> damping{};

  template <class P, class... In>
  KOKKOS_FUNCTION auto operator()(P const& at, In const&... in) const {
    static_assert(sizeof...(In) == static_cast<std::size_t>(read + Terms * Fields));
    return combine(place(at), std::make_index_sequence<read>(), in...);
  }

  /// The point at which the rate is evaluated.
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION EquationPoint<Real, Axes, P> place(P const& at) const {
    return {at, differences};
  }

  /// The stage when the rate is already known.
  template <class Slope, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto with_rate(Slope const& slope, In const&... in) const {
    Result<Real, HasSlope ? 2 * Fields : Fields, 0> result{};
    write<0>(result, slope, in...);
    return result;
  }

 private:
  template <class P, class Returned, class... In>
  KOKKOS_FORCEINLINE_FUNCTION void damp(P const& at, Returned& result, In const&... in) const {
    Real left = damping.along[0][at.index(0)];
    for (int axis = 1; axis < Axes; ++axis) left *= damping.along[axis][at.index(axis)];
    damp_fields(left, result, std::make_index_sequence<static_cast<std::size_t>(Fields)>(), in...);
  }
  template <class Returned, std::size_t... F, class... In>
  KOKKOS_FORCEINLINE_FUNCTION void damp_fields(Real left, Returned& result, std::index_sequence<F...>,
                                               In const&... in) const {
    ((result.value[F] =
          kernel::pick<read + F>(in...)[here] + left * (result.value[F] - kernel::pick<read + F>(in...)[here])),
     ...);
  }
  template <class P, std::size_t... N, class... In>
  KOKKOS_FORCEINLINE_FUNCTION auto combine(P const& at, std::index_sequence<N...>, In const&... in) const {
    auto result = with_rate(rate(at, kernel::pick<N>(in...)...), in...);
    if constexpr (IsDamped) damp(at, result, in...);
    return result;
  }
  template <int Field, class Returned, class Slope, class... In>
  KOKKOS_FORCEINLINE_FUNCTION void write(Returned& result, Slope const& slope, In const&... in) const {
    if constexpr (Field < Fields) {
      Real const rate_of_field = static_cast<Real>(equation::component(slope, Field));
      if constexpr (order_in_time == 0) {
        result.value[Field] = rate_of_field;
      } else {
        Real sum = own * kernel::pick<Field>(in...)[here];
        if constexpr (equation::HasMultiples<Rate>) {
          add<0, Field>(sum, in...);
          sum += rate_of_field;
        } else {
          sum += scale * rate_of_field;
          add<0, Field>(sum, in...);
        }
        result.value[Field] = sum;
      }
      if constexpr (HasSlope) result.value[Fields + Field] = rate_of_field;
      write<Field + 1>(result, slope, in...);
    }
  }
  template <int Term, int Field, class... In>
  KOKKOS_FORCEINLINE_FUNCTION void add(Real& sum, In const&... in) const {
    if constexpr (Term < Terms) {
      sum += weight[Term] * kernel::pick<read + Term * Fields + Field>(in...)[here];
      add<Term + 1, Field>(sum, in...);
    }
  }
};

}  // namespace halocline
