// An external physics of one field that is declared: du/dt = (D u + a u^2)_xx - k u.

#include <halocline/physics.hpp>

namespace {

using namespace halocline;

/// Reads as u squared.
template <class U>
struct Square {
  U const& u;
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](Offset<I, J, K> there) const {
    return u[there] * u[there];
  }
};

template <class Real>
struct Decay {
  static constexpr Shape shape = star<1, 1>;  // one field, since there is no `fields`
  Real D, a;
  Real coefficients[1];  // k; a name that means nothing to Halocline

  explicit Decay(Options const& own)
      : D(static_cast<Real>(own.real("D"))),
        a(static_cast<Real>(own.real("a"))),
        coefficients{static_cast<Real>(own.real("k"))} {}

  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    return a * at.laplacian(Square<U>{u}) - coefficients[0] * u[here];
  }
  template <class P, class U>
  KOKKOS_FUNCTION Real fastest(P const& at, U const& u) const {
    Real const per_square = at.inverse_spacing(0) * at.inverse_spacing(0);
    Real const size = select(u[here] < 0, -u[here], u[here]);
    return coefficients[0] / 2 + 4 * a * size * per_square;
  }
  Real diffusivity() const { return D; }
};

PhysicsEntry decay() {
  Equations equations("decay", "A substance that diffuses and decays.");
  equations.field("u", "Concentration.", "sin(2*pi*x)").maximum("u");
  equations.options().real("D", "Diffusivity.").at_least(0).defaults_to(0.01);
  equations.options().real("a", "Diffusivity per concentration, halved.").at_least(0).defaults_to(0);
  equations.options().real("k", "Rate of decay.").above(0).defaults_to(0.5);
  return equations.evolution<Decay>();
}

}  // namespace

HALOCLINE_PLUGIN(decay);
