#include <halocline/physics.hpp>

namespace {

using namespace halocline;

/// Growth; the population also spreads, as the habitat lets it.
template <class Real, int Axes>
struct FisherKpp {
  static constexpr Shape shape = point;
  static constexpr int coefficient_fields = 2;

  explicit FisherKpp(Options const&) {}

  template <class P, class U, class D, class R>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, D const&, R const& growth) const {
    return growth[here] * u[here] * (1 - u[here]);
  }
  template <class D, class R>
  KOKKOS_FUNCTION Real diffusivity(D const& diffusivity, R const&) const {
    return diffusivity[here];
  }
  /// The rate changes by growth (1 - 2 u) du, and a step of explicit Euler is stable up to twice the inverse.
  template <class P, class U, class D, class R>
  KOKKOS_FUNCTION Real fastest(P const&, U const& u, D const&, R const& growth) const {
    Real const slope = growth[here] * (1 - 2 * u[here]);
    return Real{0.5} * select(slope < 0, -slope, slope);
  }
};

PhysicsEntry fisher_kpp() {
  Equations equations("fisher-kpp", "A population that grows and spreads, du/dt = div(D grad u) + r u (1 - u).");
  equations.field("u", "Population, as a part of what the habitat carries.");
  equations.coefficient("diffusivity", "D, how fast the population spreads, at least 0 and constant in time.", "1");
  equations.coefficient("growth", "r, the rate at which a small population grows; constant in time.", "1");
  equations.mean("u").minimum("u").maximum("u").integral("u");
  equations.mirror_symmetric().axes_alike().autonomous();
  equations.integrator("imex_ars222");
  equations.test_deck(R"(
    physics: fisher-kpp
    mesh: {cells: [24, 32], upper: [1, 1.25], periodic: [true, true]}
    fisher-kpp:
      diffusivity: 0.02 + 0.01*sin(2*pi*x)*cos(1.6*pi*y)
      growth: 1 + 0.5*cos(2*pi*x + 0.3)
      u: {initial: 0.5 + 0.3*sin(2*pi*x)*cos(1.6*pi*y)}
    time: {method: ssp_rk3, step: 0.005, steps: 40})");
  return equations.evolution<FisherKpp, 1, 2, 3>();
}

}  // namespace

HALOCLINE_PLUGIN(fisher_kpp);
