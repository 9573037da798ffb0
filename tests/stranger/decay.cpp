// An external physics of one field that is declared, du/dt = D u_xx - k u.

#include <halocline/physics.hpp>

namespace {

using namespace halocline;

template <class Real>
struct Decay {
  static constexpr Shape shape = star<1, 1>;  // one field, since there is no `fields`
  Real D;
  Real coefficients[1];  // a name that means nothing to Halocline

  explicit Decay(Options const& own)
      : D(static_cast<Real>(own.real("D"))), coefficients{static_cast<Real>(own.real("k"))} {}

  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return -coefficients[0] * u[here];
  }
  Real diffusivity() const { return D; }
};

PhysicsEntry decay() {
  Equations equations("decay", "A substance that diffuses and decays.");
  equations.field("u", "Concentration.", "sin(2*pi*x)").maximum("u");
  equations.options().real("D", "Diffusivity.").at_least(0).defaults_to(0.01);
  equations.options().real("k", "Rate of decay.").above(0).defaults_to(0.5);
  equations.stable_step([](Options const& own, StructuredMesh const&) { return 2 / own.real("k"); });
  return equations.evolution<Decay>();
}

}  // namespace

HALOCLINE_PLUGIN(decay);
