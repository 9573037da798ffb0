// Functors and laws with members that are recognised by their names, but are not of the kind that the names stand for:
// declared_wrongly_test.py expects that each marked one is refused with the message in its mark. With
// HALOCLINE_DECLARED_RIGHTLY there are only members that mean nothing to Halocline, and everything compiles.

#include <halocline/physics.hpp>

namespace halocline::declared_wrongly {

/// What every functor below has.
template <class Real>
struct Decay {
  static constexpr Shape shape = star<1, 2>;
  explicit Decay(Options const&) {}
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return -u[here];
  }
};

/// What every law below has.
template <class Real, int Axes>
struct Advection {
  static constexpr int fields = 1;
  using State = Values<Real, fields>;
  explicit Advection(Options const&) {}
  KOKKOS_FUNCTION State primitive(State const& u) const { return u; }
  KOKKOS_FUNCTION State conserved(State const& w) const { return w; }
  KOKKOS_FUNCTION bool is_physical(State const&) const { return true; }
  template <int Axis>
  KOKKOS_FUNCTION State flux(State const&, State const& u) const {
    return u;
  }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const&) const {
    return 1;
  }
  template <int Axis>
  KOKKOS_FUNCTION WaveBounds<Real> bounds(State const&, State const&) const {
    return {0, 1};
  }
};

#if defined(HALOCLINE_DECLARED_RIGHTLY)

/// Parameters and helpers whose names Halocline also uses, elsewhere or for itself.
template <class Real>
struct Parameters : Decay<Real> {
  using Decay<Real>::Decay;
  Real coefficients[3] = {1, 2, 3};
  Real courant = 1;
  Real vector = 1;
  Real source = 1;
  [[nodiscard]] Real bound() const { return 1; }
  template <class P, class U>
  KOKKOS_FUNCTION Real fastest(P const&, U const&) const {
    return bound();
  }
};
/// Without `fields`, there is one.
template <class Real>
struct OneField : Decay<Real> {
  static constexpr int coefficients = 3;
  using Decay<Real>::Decay;
  [[nodiscard]] Real diffusivity() const { return 1; }
};
template <class Real>
struct OneValue : Decay<Real> {
  using Decay<Real>::Decay;
  [[nodiscard]] Values<Real, 1> diffusivity() const { return {1}; }
};
template <class Real>
struct TwoFields {
  static constexpr Shape shape = star<1, 2>;
  static constexpr int fields = 2;
  explicit TwoFields(Options const&) {}
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v) const {
    return {v[here], -u[here]};
  }
};

/// With a flux of its own, a law needs no `bounds`.
template <class Real, int Axes>
struct Complete {
  static constexpr int fields = 1;
  static constexpr Shape source_shape = star<1, Axes>;
  using State = Values<Real, fields>;
  explicit Complete(Options const&) {}
  KOKKOS_FUNCTION State primitive(State const& u) const { return u; }
  KOKKOS_FUNCTION State conserved(State const& w) const { return w; }
  KOKKOS_FUNCTION bool is_physical(State const&) const { return true; }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const&) const {
    return 1;
  }
  template <int Axis>
  KOKKOS_FUNCTION State riemann_flux(State const& l, State const&) const {
    return l;
  }
  KOKKOS_FUNCTION State diffusivity() const { return {{1}}; }
  template <class P, class U>
  KOKKOS_FUNCTION State source(P const&, U const& u) const {
    return {{u[east]}};
  }
};

/// Rates that are added.
template <class Real>
struct MoreOfTwoFields {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  explicit MoreOfTwoFields(Options const&) {}
  [[nodiscard]] Values<Real, 2> diffusivity() const { return {1, 2}; }
};

void require_all() {
  equation::Requirements<SumOfRates<double, TwoFields<double>, MoreOfTwoFields<double>>>::hold<double, 2>();
  equation::require_rate<double, Parameters<double>, 2>();
  equation::require_rate<double, OneField<double>, 2>();
  equation::require_rate<double, OneValue<double>, 2>();
  equation::require_rate<double, TwoFields<double>, 2>();
  equation::require_law<Advection<double, 1>, 1>();
  equation::require_law<Complete<double, 1>, 1>();
}
static_assert(StageSweeps<double, Parameters<double>, 2>::fields == 1);
static_assert(equation::is_bounded<double, decltype(equation::bound_of(std::declval<Parameters<double> const&>())), 2>(
    equation::each_field<Parameters<double>>));

#else

template <class Real>
struct Fields : Decay<Real> {  // 'fields' of the functor must be
  using Decay<Real>::Decay;
  int fields = 1;
};
template <class Real>
struct NoFields : Decay<Real> {  // 'fields' of the functor must be
  using Decay<Real>::Decay;
  static constexpr int fields = 0;
};
template <class Real>
struct Fastest : Decay<Real> {  // 'fastest' of the functor must be
  using Decay<Real>::Decay;
  Real fastest = 1;
};
template <class Real>
struct Diffusivity : Decay<Real> {  // 'diffusivity' of the functor must be
  using Decay<Real>::Decay;
  Real diffusivity = 1;
};
template <class Real>
struct CoefficientFields : Decay<Real> {  // 'coefficient_fields' of the functor must be
  using Decay<Real>::Decay;
  int coefficient_fields = 1;
};
/// Of a coefficient that is not declared.
template <class Real>
struct DiffusivityOfACoefficient : Decay<Real> {  // 'diffusivity' of the functor must be
  using Decay<Real>::Decay;
  template <class K>
  KOKKOS_FUNCTION Real diffusivity(K const& k) const {
    return k[here];
  }
};
template <class Real>
struct WithoutItsCoefficient : Decay<Real> {  // operator() of the functor must be a const member that takes
  using Decay<Real>::Decay;
  static constexpr int coefficient_fields = 1;
};
template <class Real>
struct CoupledByCoefficients : Decay<Real> {  // a functor with 'coupling' can only have
  using Decay<Real>::Decay;
  static constexpr int fields = 2;
  static constexpr int coefficient_fields = 1;
  template <class P, class U, class V, class K>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v, K const&) const {
    return {v[here], -u[here]};
  }
  template <class K>
  KOKKOS_FUNCTION Values<Real, 2> diffusivity(K const& k) const {
    return {k[here], k[here]};
  }
  [[nodiscard]] Matrix<Real, 2> coupling() const { return {{{-1, 1}, {1, -1}}}; }
};
template <class Real>
struct Coupling : Decay<Real> {  // 'coupling' of the functor must be
  using Decay<Real>::Decay;
  Real coupling = 1;
};
template <class Real>
struct CouplingAsValues : Decay<Real> {  // 'coupling' of the functor must be
  using Decay<Real>::Decay;
  [[nodiscard]] Values<Real, 1> coupling() const { return {1}; }
};
template <class Real>
struct CouplingOfOneField : Decay<Real> {  // 'coupling' of the functor is for several fields
  using Decay<Real>::Decay;
  [[nodiscard]] Matrix<Real, 1> coupling() const { return {{{1}}}; }
};
template <class Real>
struct CouplingWithoutItsHeader {  // a functor with 'coupling' needs #include
  static constexpr Shape shape = star<1, 2>;
  static constexpr int fields = 2;
  explicit CouplingWithoutItsHeader(Options const&) {}
  [[nodiscard]] Matrix<Real, 2> coupling() const { return {{{-1, 1}, {1, -1}}}; }
};
template <class Real>
struct IsLong : Decay<Real> {  // 'is_long' of a functor must be
  using Decay<Real>::Decay;
  bool is_long = true;
};
template <class Real>
struct IsRare : Decay<Real> {  // 'is_rare' of a functor must be
  using Decay<Real>::Decay;
  [[nodiscard]] bool is_rare() const { return true; }
};
template <class Real>
struct InputShape : Decay<Real> {  // 'input_shape' of a functor must be
  using Decay<Real>::Decay;
  [[nodiscard]] Shape input_shape(int) const { return point; }
};
template <class Real>
struct OtherArguments : Decay<Real> {  // operator() of the functor must be a const member that takes
  using Decay<Real>::Decay;
  template <class P, class U, class V>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, V const&) const {
    return -u[here];
  }
};

/// Instantiates the sum of two rates.
template <class Rate, class Second>
constexpr void require_sum() {
  static_assert(SumOfRates<double, Rate, Second>::fields > 0);
}
template <class Real>
struct SumOfOtherFields : Decay<Real> {  // functors whose rates are added must have the same 'fields'
  using Decay<Real>::Decay;
  static constexpr int fields = 2;
};
template <class Real>
struct SumOfOtherCoefficients : Decay<Real> {  // functors whose rates are added must have the same 'coefficient_fields'
  using Decay<Real>::Decay;
  static constexpr int coefficient_fields = 1;
};
template <class Real>
struct SumOfAnotherOrder : Decay<Real> {  // functors whose rates are added must have the same 'order_in_time'
  using Decay<Real>::Decay;
  static constexpr int order_in_time = 2;
};
template <class Real>
struct SumOfOneBound : Decay<Real> {  // either all functors whose rates are added must have 'fastest', or none
  using Decay<Real>::Decay;
  template <class P, class U>
  KOKKOS_FUNCTION Real fastest(P const&, U const&) const {
    return 1;
  }
};
template <class Real>
struct SumOfTwoDiffusivities : Decay<Real> {  // only one of the functors whose rates are added may have a 'diffusivity'
  using Decay<Real>::Decay;
  [[nodiscard]] Real diffusivity() const { return 1; }
};
template <class Real>
struct SumOfTwoCouplings : Decay<Real> {  // only one of the functors whose rates are added may have a 'coupling'
  using Decay<Real>::Decay;
  [[nodiscard]] Matrix<Real, 1> coupling() const { return {{{1}}}; }
};

template <class Real, int Axes>
struct VectorOfLaw : Advection<Real, Axes> {  // 'vector' of the law must be
  using Advection<Real, Axes>::Advection;
  Real vector[3] = {1, 0, 0};
};
template <class Real, int Axes>
struct CourantOfLaw : Advection<Real, Axes> {  // 'courant' of the law must be
  using Advection<Real, Axes>::Advection;
  static constexpr double courant = 2;
};
template <class Real, int Axes>
struct SourceOfLaw : Advection<Real, Axes> {  // 'source' of the law must be
  using Advection<Real, Axes>::Advection;
  Real source = 1;
};
template <class Real, int Axes>
struct StarOfLaw : Advection<Real, Axes> {  // 'contact_speed' and 'star' of the law
  using Advection<Real, Axes>::Advection;
  Real star = 1;
};
template <class Real, int Axes>
struct BalanceOfLaw : Advection<Real, Axes> {  // 'at_edge', 'at_face' and 'balance' of the law
  using Advection<Real, Axes>::Advection;
  Real balance = 1;
};
template <class Real, int Axes>
struct BeyondOfLaw : Advection<Real, Axes> {  // 'beyond' of the law must be
  using Advection<Real, Axes>::Advection;
  Real beyond = 1;
};
template <class Real, int Axes>
struct GivenOfLaw : Advection<Real, Axes> {  // 'given' of the law must be
  using Advection<Real, Axes>::Advection;
  Real given = 1;
};

template <class Real, int Axes>
struct DiffusivityOfLaw : Advection<Real, Axes> {  // 'diffusivity' of the law must be
  using Advection<Real, Axes>::Advection;
  Real diffusivity = 1;
};
template <class Real, int Axes>
struct DiffusivityOfField : Advection<Real, Axes> {  // 'diffusivity' of the law must be
  using Advection<Real, Axes>::Advection;
  KOKKOS_FUNCTION Values<Real, 1> diffusivity(int) const { return {{1}}; }
};
template <class Real, int Axes>
struct DiffusivityAsOneNumber : Advection<Real, Axes> {  // 'diffusivity' of the law must be
  using Advection<Real, Axes>::Advection;
  KOKKOS_FUNCTION Real diffusivity() const { return 1; }
};
template <class Real, int Axes>
struct RiemannFluxOfLaw : Advection<Real, Axes> {  // 'riemann_flux' of the law must be
  using Advection<Real, Axes>::Advection;
  Real riemann_flux = 1;
};
template <class Real, int Axes>
struct RiemannFluxOfOneState : Advection<Real, Axes> {  // 'riemann_flux' of the law must be
  using Advection<Real, Axes>::Advection;
  template <int Axis>
  KOKKOS_FUNCTION Values<Real, 1> riemann_flux(Values<Real, 1> const& w) const {
    return w;
  }
};
template <class Real, int Axes>
struct RiemannFluxWithoutAxis : Advection<Real, Axes> {  // 'riemann_flux' of the law must be
  using Advection<Real, Axes>::Advection;
  KOKKOS_FUNCTION Values<Real, 1> riemann_flux(Values<Real, 1> const& l, Values<Real, 1> const&) const { return l; }
};
template <class Real, int Axes>
struct RiemannFluxAsOneNumber : Advection<Real, Axes> {  // 'riemann_flux' of the law must be
  using Advection<Real, Axes>::Advection;
  template <int Axis>
  KOKKOS_FUNCTION Real riemann_flux(Values<Real, 1> const& l, Values<Real, 1> const&) const {
    return l[0];
  }
};

void require_all() {
  equation::require_rate<double, Fields<double>, 2>();
  equation::require_rate<double, NoFields<double>, 2>();
  equation::require_rate<double, Fastest<double>, 2>();
  equation::require_rate<double, Diffusivity<double>, 2>();
  equation::require_rate<double, CoefficientFields<double>, 2>();
  equation::require_rate<double, DiffusivityOfACoefficient<double>, 2>();
  equation::require_rate<double, WithoutItsCoefficient<double>, 2>();
  equation::require_rate<double, CoupledByCoefficients<double>, 2>();
  equation::require_rate<double, Coupling<double>, 2>();
  equation::require_rate<double, CouplingAsValues<double>, 2>();
  equation::require_rate<double, CouplingOfOneField<double>, 2>();
  equation::require_rate<double, CouplingWithoutItsHeader<double>, 2>();
  equation::require_rate<double, IsLong<double>, 2>();
  equation::require_rate<double, IsRare<double>, 2>();
  equation::require_rate<double, InputShape<double>, 2>();
  equation::require_rate<double, OtherArguments<double>, 2>();
  require_sum<Decay<double>, SumOfOtherFields<double>>();
  require_sum<Decay<double>, SumOfOtherCoefficients<double>>();
  require_sum<Decay<double>, SumOfAnotherOrder<double>>();
  require_sum<Decay<double>, SumOfOneBound<double>>();
  require_sum<SumOfTwoDiffusivities<double>, SumOfTwoDiffusivities<double>>();
  require_sum<SumOfTwoCouplings<double>, SumOfTwoCouplings<double>>();
  equation::require_law<VectorOfLaw<double, 1>, 1>();
  equation::require_law<CourantOfLaw<double, 1>, 1>();
  equation::require_law<SourceOfLaw<double, 1>, 1>();
  equation::require_law<StarOfLaw<double, 1>, 1>();
  equation::require_law<BalanceOfLaw<double, 1>, 1>();
  equation::require_law<BeyondOfLaw<double, 1>, 1>();
  equation::require_law<GivenOfLaw<double, 1>, 1>();
  equation::require_law<DiffusivityOfLaw<double, 1>, 1>();
  equation::require_law<DiffusivityOfField<double, 1>, 1>();
  equation::require_law<DiffusivityAsOneNumber<double, 1>, 1>();
  equation::require_law<RiemannFluxOfLaw<double, 1>, 1>();
  equation::require_law<RiemannFluxOfOneState<double, 1>, 1>();
  equation::require_law<RiemannFluxWithoutAxis<double, 1>, 1>();
  equation::require_law<RiemannFluxAsOneNumber<double, 1>, 1>();
}

#endif

}  // namespace halocline::declared_wrongly
