#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/equations.hpp"
#include "physics/equations/points.hpp"
#include "physics/equations/sponge.hpp"
#include "physics/wave/methods.hpp"
#include "physics/wave/sweeps.hpp"

namespace halocline::wave {
namespace {

/// Ricker's wavelet, the second derivative of a Gaussian (Ricker, 1953, Geophysics 18, equation 2).
///
/// \param frequency where its spectrum has its maximum
/// \param time      from its middle
double ricker(double frequency, double time) {
  double const a = std::numbers::pi * frequency * time;
  return (1 - 2 * a * a) * std::exp(-a * a);
}

/// The strength of a source in time.
std::function<double(double)> pulse(Options const& source, double start) {
  double const amplitude = source.real("amplitude");
  double const frequency = source.real("frequency");
  double const middle = start + (source.has("delay") ? source.real("delay") : 1.5 / frequency);
  return [=](double time) { return amplitude * ricker(frequency, time - middle); };
}

bool is_weighted_sum(Options const& wave) { return wave.choice("method") == "weighted_sum"; }

/// Rejects options that the method does not use, and missing or invalid ones.
void validate_method(Options const& wave, Mistakes& mistakes) {
  bool const weighted_sum = is_weighted_sum(wave);
  if (weighted_sum && !wave.has("weights")) {
    mistakes.add(wave.location(), wave.full_name("weights"), "missing", "a weighted sum needs them");
  }
  if (!weighted_sum && wave.has("weights")) {
    add_mistake(wave, "weights", "not used by leapfrog", mistakes, "leave them out, or choose `method: weighted_sum`");
  }
  if (!weighted_sum) return;
  for (std::string const option : {"speed", "initial_rate", "source"}) {
    if (wave.given(option)) add_mistake(wave, option, "not used by a weighted sum", mistakes, "leave it out");
  }
  if (has_sponge(wave)) add_mistake(wave.section("sponge"), "width", "not used by a weighted sum", mistakes);
  if (!wave.list("sources").empty()) {
    mistakes.add(wave.location("sources"), wave.full_name("sources"), "not used by a weighted sum", "leave them out");
  }
}

Section source_section() {
  Section source("sources", "Cells that emit waves, by a Ricker wavelet on the right-hand side.");
  declare_position(source);
  source.real("frequency", "Peak frequency of the wavelet, per unit of time.").above(0);
  source.real("delay", "Time from the start of the run to the middle of the wavelet; if not given, 1.5 / frequency.")
      .optional();
  source.real("amplitude", "Integral of the source over its cell at the middle of the wavelet.").defaults_to(1.0);
  return source;
}

/// Standing waves, whose mean is zero: rounding of a mean would exceed the drift of the energy.
std::vector<std::string> test_decks() {
  return {R"(
    physics: wave
    mesh: {cells: [32], periodic: [true]}
    wave: {initial: sin(2*pi*x + 0.3), exact: cos(2*pi*t)*sin(2*pi*x + 0.3)}
    time: {step: 0.01, steps: 60})",
          R"(
    physics: wave
    mesh: {cells: [32, 48], upper: [1, 1.25], periodic: [true, true]}
    wave: {initial: sin(2*pi*x)*cos(1.6*pi*y), exact: cos(sqrt(6.56)*pi*t)*sin(2*pi*x)*cos(1.6*pi*y)}
    time: {step: 0.01, steps: 60})",
          R"(
    physics: wave
    mesh: {cells: [8, 12, 10], upper: [1, 1.25, 1.5], periodic: [true, true, true]}
    wave:
      initial: sin(2*pi*x)*cos(1.6*pi*y) + 0.5*sin(4*pi*z/3 + 0.3)
      exact: cos(sqrt(6.56)*pi*t)*sin(2*pi*x)*cos(1.6*pi*y) + 0.5*cos(4*pi*t/3)*sin(4*pi*z/3 + 0.3)
    time: {step: 0.02, steps: 60})"};
}

PhysicsEntry wave_physics() {
  Equations wave("wave", "The wave equation d2u/dt2 = c^2 div grad u + sources on cells, to eighth order in space.");
  wave.options()
      .choice("method",
              "Time-stepping method. leapfrog: second order in time; weighted_sum: every step replaces u by a weighted "
              "sum over a star stencil of radius 4, which has 25 points in 3D.",
              std::vector<std::string>{"leapfrog", "weighted_sum"})
      .defaults_to(std::string("leapfrog"));
  wave.options()
      .reals("weights", "Weights of the weighted sum: that of the centre, then those at distances 1 to 4.", 5, 5)
      .optional();
  wave.options().check(validate_method);
  wave.second_order().usual_walls(BoundaryKind::zero).autonomous();
  wave.speed("speed", "Wave speed c, above 0.", "1").sponge().point_sources(source_section(), pulse);
  wave.only_field("u", "Initial values of u.", "0");
  wave.magnitude("u").energy();
  wave.order(8).mirror_symmetric().axes_alike();
  for (std::string const& deck : test_decks()) wave.test_deck(deck);
  PhysicsEntry entry = wave.evolution<Acceleration, 1, 2, 3>();
  entry.create = [leapfrog = entry.create, sum = weighted_sum().create](PhysicsContext const& context) {
    return is_weighted_sum(context.deck.section("wave")) ? sum(context) : leapfrog(context);
  };
  return entry;
}

}  // namespace
}  // namespace halocline::wave

HALOCLINE_PLUGIN(halocline::wave::wave_physics);
