#include <halocline/physics.hpp>

namespace {

using namespace halocline;

/// The reaction terms; both substances also diffuse.
template <class Real, int Axes>
struct GrayScott {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  Real Du, Dv, F, k;

  explicit GrayScott(Options const& own)
      : Du(static_cast<Real>(own.real("Du"))),
        Dv(static_cast<Real>(own.real("Dv"))),
        F(static_cast<Real>(own.real("F"))),
        k(static_cast<Real>(own.real("k"))) {}

  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, V const& v) const {
    Real const uvv = u[here] * v[here] * v[here];
    return {F * (1 - u[here]) - uvv, uvv - (F + k) * v[here]};
  }
  [[nodiscard]] Values<Real, 2> diffusivity() const { return {Du, Dv}; }
};

PhysicsEntry gray_scott() {
  Equations equations("gray-scott", "Two substances that react, u + 2 v -> 3 v and v -> inert, and diffuse.");
  equations.field("u", "Concentration of the substance that is fed.", "1");
  equations.field("v", "Concentration of the substance that consumes u.");
  equations.options().real("Du", "Diffusivity of u.").at_least(0).defaults_to(2e-5);
  equations.options().real("Dv", "Diffusivity of v.").at_least(0).defaults_to(1e-5);
  equations.options()
      .real("F", "Rate at which u is fed and both substances are removed.")
      .at_least(0)
      .defaults_to(0.04);
  equations.options().real("k", "Rate at which v becomes inert.").at_least(0).defaults_to(0.06);
  equations.mean("u").mean("v").minimum("u").maximum("v");
  equations.mirror_symmetric().axes_alike().autonomous();
  // Cells so small that diffusion is faster than the reaction.
  equations.test_deck(R"(
    physics: gray-scott
    mesh: {cells: [32, 48], upper: [0.2, 0.25], periodic: [true, true]}
    gray-scott:
      u: {initial: 0.75 + 0.2*sin(10*pi*x)*cos(8*pi*y)}
      v: {initial: 0.25 + 0.1*cos(10*pi*x + 0.4)*sin(8*pi*y)}
    time: {method: ssp_rk3, step: 1, steps: 40})");
  return equations.evolution<GrayScott, 1, 2, 3>();
}

}  // namespace

HALOCLINE_PLUGIN(gray_scott);
