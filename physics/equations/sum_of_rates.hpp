#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "framework/deck/options.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "physics/equations/rate_requirements.hpp"
#include "physics/equations/stage_functor.hpp"

namespace halocline {

template <class Real, class First, class Second>
struct SumOfRates;

namespace equation {

/// A rate from the physics' own options, or from these and the mesh.
template <class Rate>
[[nodiscard]] Rate make_rate(Options const& own, [[maybe_unused]] StructuredMesh const& mesh) {
  if constexpr (std::is_constructible_v<Rate, Options const&, StructuredMesh const&>) {
    return Rate(own, mesh);
  } else {
    return Rate(own);
  }
}

template <class Rate>
struct PartOfSum {
  static constexpr bool has_rate = names_call<Rate>();
  static constexpr bool has_bound = names_fastest<Rate>();
};
template <class Real, class First, class Second>
struct PartOfSum<SumOfRates<Real, First, Second>> {
  static constexpr bool has_rate = PartOfSum<First>::has_rate || PartOfSum<Second>::has_rate;
  static constexpr bool has_bound = PartOfSum<First>::has_bound || PartOfSum<Second>::has_bound;
};

}  // namespace equation

/// The sum of two rates of the same fields and coefficients as one functor, so that one sweep evaluates both. Each
/// may read what the shape of the sum covers.
///
/// \tparam First may be a sum itself
template <class Real, class First, class Second>
struct SumOfRates {
  using OfFirst = equation::PartOfSum<First>;
  using OfSecond = equation::PartOfSum<Second>;
  static constexpr int order_in_time = equation::order_in_time_of<First>();
  static constexpr int fields = equation::fields_of<First>();
  static constexpr int coefficient_fields = equation::coefficients_of<First>();
  static constexpr bool weighs_first = equation::has_inertia<Real, First>(equation::each_coefficient<First>);
  static constexpr bool weighs_second = equation::has_inertia<Real, Second>(equation::each_coefficient<Second>);
  /// Whether a diffusivity follows from coefficients.
  static constexpr bool varies_first = equation::DiffusesByCoefficients<Real, First>;
  static constexpr bool varies_second = equation::DiffusesByCoefficients<Real, Second>;
  static constexpr bool has_both = OfFirst::has_rate && OfSecond::has_rate;

  static_assert(fields == equation::fields_of<Second>(), "functors whose rates are added must have the same 'fields'");
  static_assert(coefficient_fields == equation::coefficients_of<Second>(),
                "functors whose rates are added must have the same 'coefficient_fields': each reads all coefficients");
  static_assert(order_in_time == equation::order_in_time_of<Second>() && order_in_time > 0,
                "functors whose rates are added must have the same 'order_in_time', which is not 0");
  static_assert(!((equation::DiffusesEvenly<First> || varies_first) &&
                  (equation::DiffusesEvenly<Second> || varies_second)),
                "only one of the functors whose rates are added may have a 'diffusivity'");
  static_assert(!(equation::IsCoupled<First> && equation::IsCoupled<Second>),
                "only one of the functors whose rates are added may have a 'coupling'");
  static_assert(!((equation::IsCoupled<First> && varies_second) || (equation::IsCoupled<Second> && varies_first)),
                "beside a functor with 'coupling', the 'diffusivity' of another one must take nothing");
  static_assert(!has_both || OfFirst::has_bound == OfSecond::has_bound,
                "either all functors whose rates are added must have 'fastest', or none");
  static_assert(!(weighs_first && weighs_second),
                "only one of the functors whose rates are added may have an 'inertia'");

  static constexpr Shape shape = equation::joined(First::shape, Second::shape);
  static constexpr Shape input_shape(int n) {
    return equation::joined(shape_of_input<First>(n), shape_of_input<Second>(n));
  }
  static constexpr bool is_long = kernel::is_long_functor<First>() || kernel::is_long_functor<Second>();
  static constexpr bool is_proportional = equation::IsProportional<First> && equation::IsProportional<Second>;

  First first;
  Second second;

  SumOfRates(Options const& own, StructuredMesh const& mesh)
      : first(equation::make_rate<First>(own, mesh)), second(equation::make_rate<Second>(own, mesh)) {}

  template <class P, class... In>
  requires(OfFirst::has_rate || OfSecond::has_rate) KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const& at,
                                                                                                In const&... in) const {
    if constexpr (has_both) {
      return total(first(at, in...), second(at, in...));
    } else if constexpr (OfFirst::has_rate) {
      return first(at, in...);
    } else {
      return second(at, in...);
    }
  }
  /// Largest eigenvalues add up; of a second derivative in time, each bound is half of the square root of one.
  template <class P, class... In>
  requires(OfFirst::has_bound || OfSecond::has_bound) KOKKOS_FORCEINLINE_FUNCTION
      double fastest(P const& at, In const&... in) const {
    double of_first = 0;
    double of_second = 0;
    if constexpr (OfFirst::has_bound) of_first = static_cast<double>(first.fastest(at, in...));
    if constexpr (OfSecond::has_bound) of_second = static_cast<double>(second.fastest(at, in...));
    return order_in_time == 1 ? of_first + of_second : Kokkos::sqrt(of_first * of_first + of_second * of_second);
  }

  // What only one of them may have. A function that takes nothing runs on hosts alone.

  [[nodiscard]] auto diffusivity() const requires(equation::DiffusesEvenly<First> || equation::DiffusesEvenly<Second>) {
    if constexpr (equation::DiffusesEvenly<First>) {
      return first.diffusivity();
    } else {
      return second.diffusivity();
    }
  }
  template <class K, class... More>
  requires(varies_first || varies_second) KOKKOS_FUNCTION auto diffusivity(K const& k, More const&... more) const {
    if constexpr (varies_first) {
      return first.diffusivity(k, more...);
    } else {
      return second.diffusivity(k, more...);
    }
  }
  [[nodiscard]] auto coupling() const requires(equation::IsCoupled<First> || equation::IsCoupled<Second>) {
    if constexpr (equation::IsCoupled<First>) {
      return first.coupling();
    } else {
      return second.coupling();
    }
  }
  template <class... K>
  requires(weighs_first || weighs_second) KOKKOS_FUNCTION double inertia(K const&... k) const {
    if constexpr (weighs_first) {
      return first.inertia(k...);
    } else {
      return second.inertia(k...);
    }
  }
  [[nodiscard]] SumOfRates times(double factor) const
      requires(equation::HasMultiples<First>&& equation::HasMultiples<Second>) {
    SumOfRates scaled = *this;
    scaled.first = first.times(factor);
    scaled.second = second.times(factor);
    return scaled;
  }

 private:
  /// One of both may be a plain number, where there is one field.
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto total(A const& a, B const& b) {
    if constexpr (std::is_same_v<A, B>) {
      return a + b;
    } else {
      return equation::component(a, 0) + equation::component(b, 0);
    }
  }
};

namespace equation {

template <class Real, class First, class... More>
struct Added {
  using Type = First;
};
template <class Real, class First, class Second, class... More>
struct Added<Real, First, Second, More...> : Added<Real, SumOfRates<Real, First, Second>, More...> {};

/// The sum of rates as a template, from the first to the last.
template <template <class> class... Rate>
struct Sum {
  template <class Real>
  using Of = typename Added<Real, Rate<Real>...>::Type;
};
template <template <class, int> class... Rate>
struct SumByAxes {
  template <class Real, int Axes>
  using Of = typename Added<Real, Rate<Real, Axes>...>::Type;
};

/// Stops compilation as `require_rate`, also for a sum of rates.
template <class Rate>
struct Requirements {
  template <class Real, int Axes>
  static constexpr void hold() {
    require_rate<Real, Rate, Axes>();
  }
};
template <class Number, class First, class Second>
struct Requirements<SumOfRates<Number, First, Second>> {
  template <class Real, int Axes>
  static constexpr void hold() {
    Requirements<First>::template hold<Real, Axes>();
    Requirements<Second>::template hold<Real, Axes>();
  }
};

}  // namespace equation
}  // namespace halocline
