#include <halocline/coupling.hpp>
#include <halocline/physics.hpp>

namespace {

using namespace halocline;

/// All of it is linear: no operator() is needed.
template <class Real, int Axes>
struct TwoTemperature {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  double electron_capacity, lattice_capacity, electron_conductivity, lattice_conductivity, exchange;

  explicit TwoTemperature(Options const& own)
      : electron_capacity(own.real("electron_capacity")),
        lattice_capacity(own.real("lattice_capacity")),
        electron_conductivity(own.real("electron_conductivity")),
        lattice_conductivity(own.real("lattice_conductivity")),
        exchange(own.real("exchange")) {}

  [[nodiscard]] Values<Real, 2> diffusivity() const {
    return {static_cast<Real>(electron_conductivity / electron_capacity),
            static_cast<Real>(lattice_conductivity / lattice_capacity)};
  }
  [[nodiscard]] Matrix<Real, 2> coupling() const {
    auto const of_electrons = static_cast<Real>(exchange / electron_capacity);
    auto const of_lattice = static_cast<Real>(exchange / lattice_capacity);
    return {{{-of_electrons, of_electrons}, {of_lattice, -of_lattice}}};
  }
};

PhysicsEntry two_temperature() {
  Equations equations("two-temperature",
                      "Temperatures of the electrons and the lattice of a metal, which exchange heat.");
  equations.field("electrons", "Temperature of the electrons.", "300");
  equations.field("lattice", "Temperature of the lattice.", "300");
  equations.options()
      .real("electron_capacity", "Heat capacity of the electrons in a unit of volume.")
      .above(0)
      .defaults_to(1);
  equations.options()
      .real("lattice_capacity", "Heat capacity of the lattice in a unit of volume.")
      .above(0)
      .defaults_to(1);
  equations.options().real("electron_conductivity", "Conductivity by electrons.").at_least(0).defaults_to(1);
  equations.options().real("lattice_conductivity", "Conductivity by the lattice.").at_least(0).defaults_to(0);
  equations.options()
      .real("exchange", "Power that electrons lose to the lattice, in a unit of volume for each degree of difference.")
      .at_least(0)
      .defaults_to(1);
  equations.mean("electrons").mean("lattice").maximum("electrons").maximum("lattice");
  equations.mirror_symmetric().axes_alike().autonomous();
  equations.integrator("bdf2");
  equations.test_deck(R"(
    physics: two-temperature
    mesh: {cells: [24, 32], upper: [1, 1.25], periodic: [true, true]}
    two-temperature:
      electron_capacity: 0.5
      lattice_capacity: 4
      electron_conductivity: 0.1
      lattice_conductivity: 0.02
      exchange: 2
      electrons: {initial: 2 + 0.5*sin(2*pi*x)*cos(1.6*pi*y)}
      lattice: {initial: 1 + 0.25*cos(2*pi*x + 0.4)*sin(1.6*pi*y)}
    time: {method: sdirk2, step: 0.05, steps: 20}
    solver: {method: cg, cg: {relative_tolerance: 1e-12}})");
  return equations.evolution<TwoTemperature, 1, 2, 3>();
}

}  // namespace

HALOCLINE_PLUGIN(two_temperature);
