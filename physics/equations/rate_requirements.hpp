#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "framework/kernel/functor_rules.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "framework/kernel/views.hpp"
#include "physics/equations/equation_point.hpp"

// What the functor of a declared physics may have besides operator(), recognised by its name.

namespace halocline::equation {

/// The members of a rate by name, besides operator(), `shape` and what every functor may have.
struct NamesOfRate {
  int fields;
  int coefficient_fields;
  int order_in_time;
  int times;
  int fastest;
  int diffusivity;
  int coupling;
};
template <class Rate>
[[nodiscard]] constexpr bool names_fields() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::fields; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_coefficient_fields() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::coefficient_fields; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_order_in_time() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::order_in_time; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_times() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::times; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_fastest() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::fastest; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_diffusivity() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::diffusivity; };
}

template <class Rate>
[[nodiscard]] constexpr bool names_coupling() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::coupling; };
}

/// Whether `fields` is a number that is known when the rate is compiled.
template <class Rate>
concept HasFields = requires {
  requires std::bool_constant<(Rate::fields > 0)>::value;
};

/// Number of fields of a Rate's state: `static constexpr int fields`, default one.
template <class Rate>
[[nodiscard]] constexpr int fields_of() {
  if constexpr (HasFields<Rate>) {
    return Rate::fields;
  } else {
    return 1;
  }
}
template <class Rate>
inline constexpr auto each_field = std::make_index_sequence<static_cast<std::size_t>(fields_of<Rate>())>();

/// Whether `coefficient_fields` is a number that is known when the rate is compiled.
template <class Rate>
concept HasCoefficients = requires {
  requires std::bool_constant<(Rate::coefficient_fields > 0)>::value;
};
template <class Rate>
concept HasNoCoefficients = requires {
  requires std::bool_constant<(Rate::coefficient_fields == 0)>::value;
};
/// Number of coefficient fields that a Rate reads after those of the state: `static constexpr int coefficient_fields`,
/// default none.
template <class Rate>
[[nodiscard]] constexpr int coefficients_of() {
  if constexpr (HasCoefficients<Rate>) {
    return Rate::coefficient_fields;
  } else {
    return 0;
  }
}
template <class Rate>
inline constexpr auto each_coefficient = std::make_index_sequence<static_cast<std::size_t>(coefficients_of<Rate>())>();
/// What a rate takes after the point: its fields, then its coefficients.
template <class Rate>
inline constexpr auto each_input =
    std::make_index_sequence<static_cast<std::size_t>(fields_of<Rate>() + coefficients_of<Rate>())>();

/// Whether `order_in_time` is known when the rate is compiled.
template <class Rate>
concept HasOrderInTime = requires {
  requires std::bool_constant<(Rate::order_in_time >= 0 && Rate::order_in_time <= 2)>::value;
};
/// What operator() returns, by `static constexpr int order_in_time`: the rate of change (1, the default), the second
/// derivative in time (2) or the next value (0).
template <class Rate>
[[nodiscard]] constexpr int order_in_time_of() {
  if constexpr (HasOrderInTime<Rate>) {
    return Rate::order_in_time;
  } else {
    return 1;
  }
}

/// A reader of a coefficient at one point.
template <class Real>
using ReaderAtPoint = Reader<Real, FixedShape<point.kind, point.radius, point.axes>>;

/// The return type of `diffusivity`, which takes a reader for each coefficient at a point, or nothing.
template <class Real, class Rate, std::size_t... N>
[[nodiscard]] auto diffusivity_at(Rate const& rate, std::index_sequence<N...>)
    -> decltype(rate.diffusivity((static_cast<void>(N), std::declval<ReaderAtPoint<Real> const&>())...));
/// Whether a rate declares that its fields diffuse, in addition to what the functor returns, as they do everywhere.
template <class Rate>
concept DiffusesEvenly = requires(Rate const& rate) {
  rate.diffusivity();
};
/// Whether it declares that they diffuse according to its coefficients.
template <class Real, class Rate>
concept DiffusesByCoefficients = HasCoefficients<Rate> && requires(Rate const& rate) {
  diffusivity_at<Real>(rate, each_coefficient<Rate>);
};
/// Whether it declares how they are coupled, linearly.
template <class Rate>
concept IsCoupled = requires(Rate const& rate) {
  rate.coupling();
};
/// Whether a part of the rate can be solved for.
template <class Real, class Rate>
[[nodiscard]] constexpr bool has_linear_part() {
  return DiffusesEvenly<Rate> || DiffusesByCoefficients<Real, Rate> || IsCoupled<Rate>;
}

template <class Rate>
concept HasSharedBound = requires(Rate const& rate) {
  requires kernel::CanBeBase<decltype(rate.bound())>;
  requires names_fastest<decltype(rate.bound())>();
};
/// The functor that has `fastest`: the rate, or the one that its `bound()` returns, shared by several rates.
template <class Rate>
[[nodiscard]] auto bound_of(Rate const& rate) {
  if constexpr (HasSharedBound<Rate>) {
    return rate.bound();
  } else {
    return rate;
  }
}

/// Whether a rate has a bound `fastest(at, u…, k…)`.
template <class Real, class Rate, int Axes, std::size_t... N>
[[nodiscard]] constexpr bool is_bounded(std::index_sequence<N...>) {
  return requires(Rate const& rate, EquationPoint<Real, Axes, Point<Real>> const& at) {
    rate.fastest(at, std::declval<Reader<Real, InputShape<Rate, static_cast<int>(N)>> const&>()...);
  };
}

/// The return type of a rate at a point.
template <class Real, class Rate, int Axes, std::size_t... N>
[[nodiscard]] auto returned_by(Rate const& rate, std::index_sequence<N...>)
    -> decltype(rate(std::declval<EquationPoint<Real, Axes, Point<Real>> const&>(),
                     std::declval<Reader<Real, InputShape<Rate, static_cast<int>(N)>> const&>()...));
template <class Real, class Rate, int Axes>
concept HasRate = requires(Rate const& rate) {
  returned_by<Real, Rate, Axes>(rate, each_input<Rate>);
};

/// Whether Returned has a number for each field of the rate.
template <class Real, class Rate, class Returned>
concept IsOfFields = std::is_same_v < Returned,
        Values < Real, fields_of<Rate>()
>> || (fields_of<Rate>() == 1 && std::is_same_v<Returned, Real>);
template <class Rate>
using DiffusivityOf = decltype(std::declval<Rate const&>().diffusivity());
template <class Real, class Rate>
using DiffusivityAt = decltype(diffusivity_at<Real>(std::declval<Rate const&>(), each_coefficient<Rate>));
template <class Real, class Rate>
concept HasDiffusivity = (DiffusesEvenly<Rate> && IsOfFields<Real, Rate, DiffusivityOf<Rate>>) ||
                         (DiffusesByCoefficients<Real, Rate> && IsOfFields<Real, Rate, DiffusivityAt<Real, Rate>>);
template <class Rate>
using CouplingOf = decltype(std::declval<Rate const&>().coupling());
template <class Real, class Rate>
concept HasCoupling = std::is_same_v < CouplingOf<Rate>,
        Matrix < Real, fields_of<Rate>()
>> ;
/// Whether a functor with a second derivative in time has a weight `inertia(k…)` of its energy.
template <class Real, class Rate, std::size_t... N>
[[nodiscard]] constexpr bool has_inertia(std::index_sequence<N...>) {
  return requires(Rate const& rate) {
    { rate.inertia((static_cast<void>(N), std::declval<ReaderAtPoint<Real> const&>())...) } -> std::same_as<double>;
  };
}
/// Whether `energy()` can be a quantity of its physics.
template <class Real, class Rate>
[[nodiscard]] constexpr bool has_energy() {
  return order_in_time_of<Rate>() == 2 && fields_of<Rate>() == 1 && has_inertia<Real, Rate>(each_coefficient<Rate>);
}
/// Whether a rate has `times(factor)`, a functor that returns as many times as much: stages then multiply no point.
template <class Rate>
concept HasMultiples = order_in_time_of<Rate>()
== 2 && requires(Rate const& rate) {
  { rate.times(1.0) } -> std::same_as<Rate>;
};
/// Whether what such a rate returns is proportional to its only coefficient: `static constexpr bool is_proportional`.
template <class Rate>
concept IsProportional = HasMultiples<Rate> && coefficients_of<Rate>()
== 1 && requires { requires std::bool_constant<Rate::is_proportional>::value; };
/// Whether there is an operator(), of any kind.
struct NamesCall {
  void operator()();
};
template <class Rate>
[[nodiscard]] constexpr bool names_call() {
  return !requires { &kernel::Beside<Rate, NamesCall>::operator(); };
}

/// Solves for the linear part of a rate with coupled fields: `static std::unique_ptr<ImplicitRate<Real>> make(mesh,
/// walls, diffusivity, coupling, solver)`. Defined by <halocline/coupling.hpp>, since it takes long to compile.
template <class Real, int Axes, int Fields>
struct CoupledSolve;
template <class Real, int Axes, int Fields>
concept HasCoupledSolve = requires {
  sizeof(CoupledSolve<Real, Axes, Fields>);
};

/// Stops compilation with a readable message if a functor does not meet the requirements of a declared physics.
template <class Real, class Rate, int Axes>
constexpr void require_rate() {
  static_assert(kernel::CanBeBase<Rate>, "the functor of a declared physics must be a class that is not final");
  static_assert(kernel::require_functor<Rate>());
  static_assert(!names_fields<Rate>() || HasFields<Rate>,
                "'fields' of the functor must be 'static constexpr int fields = ...;', the number of its fields");
  static_assert(
      !names_coefficient_fields<Rate>() || HasCoefficients<Rate> || HasNoCoefficients<Rate>,
      "'coefficient_fields' of the functor must be 'static constexpr int coefficient_fields = ...;', the number "
      "of fields that it reads beside those of the state");
  static_assert(
      HasRate<Real, Rate, Axes> || (has_linear_part<Real, Rate>() && !names_call<Rate>()),
      "operator() of the functor must be a const member that takes (at, u...), one reader for each field, and then "
      "one for each of its 'coefficient_fields'");
  if constexpr (HasRate<Real, Rate, Axes>) {
    using Returned = decltype(returned_by<Real, Rate, Axes>(std::declval<Rate const&>(), each_input<Rate>));
    static_assert(IsOfFields<Real, Rate, Returned>,
                  "operator() of the functor must return Values<Real, fields>, or Real where there is one field");
  }
  static_assert(!names_order_in_time<Rate>() || HasOrderInTime<Rate>,
                "'order_in_time' of the functor must be 'static constexpr int order_in_time = ...;': 0, 1 or 2");
  static_assert(!names_times<Rate>() || HasMultiples<Rate>,
                "'times' of the functor must be a const member that takes a double and returns the functor's type, for "
                "an 'order_in_time' of 2");
  static_assert(order_in_time_of<Rate>() != 2 || !kernel::is_long_functor<Rate>(),
                "a functor whose 'order_in_time' is 2 cannot be 'is_long'");
  static_assert(order_in_time_of<Rate>() == 1 || (HasRate<Real, Rate, Axes> && !has_linear_part<Real, Rate>()),
                "a functor whose 'order_in_time' is not 1 has an operator(), but neither 'diffusivity' nor 'coupling'");
  if constexpr (names_fastest<Rate>()) {
    static_assert(is_bounded<Real, Rate, Axes>(each_input<Rate>),
                  "'fastest' of the functor must be a const member that takes what operator() takes: (at, u...)");
  }
  if constexpr (names_diffusivity<Rate>()) {
    static_assert(
        HasDiffusivity<Real, Rate>,
        "'diffusivity' of the functor must be a const member that returns Values<Real, fields>, or Real where "
        "there is one field; it takes nothing, or a reader for each of its 'coefficient_fields'");
  }
  if constexpr (names_coupling<Rate>()) {
    static_assert(HasCoupling<Real, Rate>,
                  "'coupling' of the functor must be a const member that returns Matrix<Real, fields>");
    static_assert(fields_of<Rate>() > 1, "'coupling' of the functor is for several fields: 'fields' must be above 1");
    static_assert(!DiffusesByCoefficients<Real, Rate>,
                  "a functor with 'coupling' can only have a 'diffusivity' that takes nothing");
    static_assert(HasCoupledSolve<Real, Axes, fields_of<Rate>()>,
                  "a functor with 'coupling' needs #include <halocline/coupling.hpp>");
  }
}

}  // namespace halocline::equation
