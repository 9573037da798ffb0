#include <array>
#include <halocline/physics.hpp>

#include "physics/equations/conservation_law.hpp"

// A linear law whose state has two vectors, for tests of walls: two acoustic waves, p with a and q with b, each of
// which also moves the other.

namespace twin_waves {

using namespace halocline;

template <class Real, int Axes>
struct TwinWaves {
  static constexpr int fields = 2 + 2 * Axes;
  /// a_x, b_x, a_y, b_y follow p and q.
  static constexpr std::array<std::array<int, 2>, 2> vector{{{2, 4}, {3, 5}}};
  static constexpr Real coupling = Real(0.5);
  using State = Values<Real, fields>;

  explicit TwinWaves(Options const&) {}

  KOKKOS_FUNCTION State primitive(State const& u) const { return u; }
  KOKKOS_FUNCTION State conserved(State const& w) const { return w; }
  KOKKOS_FUNCTION bool is_physical(State const& w) const { return w.value[0] - w.value[0] == 0; }

  template <int Axis>
  KOKKOS_FUNCTION State flux(State const& w, State const&) const {
    Real const a = w.value[2 + 2 * Axis];
    Real const b = w.value[3 + 2 * Axis];
    State f{};
    f.value[0] = a + coupling * b;
    f.value[1] = b + coupling * a;
    f.value[2 + 2 * Axis] = w.value[0] + coupling * w.value[1];
    f.value[3 + 2 * Axis] = w.value[1] + coupling * w.value[0];
    return f;
  }
  template <int Axis>
  KOKKOS_FUNCTION Real speed(State const&) const {
    return 1 + coupling;
  }
  template <int Axis>
  KOKKOS_FUNCTION WaveBounds<Real> bounds(State const&, State const&) const {
    return {-1 - coupling, 1 + coupling};
  }
};

PhysicsEntry physics() {
  Equations equations("twin-waves", "Two acoustic waves, each of which also moves the other.");
  equations.conserved_field("p", "Pressure of one.", {"p", "Pressure of one.", "0"});
  equations.conserved_field("q", "Pressure of the other.", {"q", "Pressure of the other.", "0"});
  equations.conserved_field("a_x", "Velocity of one, along x.", {"a_x", "Velocity of one, along x.", "0"});
  equations.conserved_field("b_x", "Velocity of the other, along x.", {"b_x", "Velocity of the other, along x.", "0"});
  equations.conserved_field("a_y", "Velocity of one, along y.", {"a_y", "Velocity of one, along y.", "0"});
  equations.conserved_field("b_y", "Velocity of the other, along y.", {"b_y", "Velocity of the other, along y.", "0"});
  equations.mirror_symmetric().axes_alike().vector({"a_x", "a_y"}).vector({"b_x", "b_y"});
  return equations.law<TwinWaves, 2>();
}

}  // namespace twin_waves

template struct halocline::LawParts<twin_waves::TwinWaves, 2>;

HALOCLINE_PLUGIN(twin_waves::physics);
