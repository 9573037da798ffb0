#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/nbody/bodies.hpp"
#include "physics/nbody/body_precision.hpp"
#include "physics/nbody/gravity.hpp"
#include "physics/nbody/units.hpp"

namespace halocline::nbody {
namespace {

/// Sums over bodies; the second of each pair sums absolute values, which measure the terms that cancel.
constexpr int kinetic = 0, potential = 1, momentum = 2, momentum_terms = 5, spin = 6, spin_terms = 9, sums = 10;

/// With a larger relative change of energy the result has nothing to do with the initial bodies.
constexpr double largest_drift = 1;

/// Bodies are in the precision's range, but products of their numbers need not be: they are converted to units first.
struct Sums {
  static constexpr Shape shape = point;
  Factor<double> per_length, per_mass, per_speed;
  double gravity;  ///< without its power of two
  template <class P, class X, class Y, class Z, class U, class V, class W, class Mass, class Potential>
  KOKKOS_FUNCTION Result<double, 0, sums> operator()(P const&, X const& x, Y const& y, Z const& z, U const& u,
                                                     V const& v, W const& w, Mass const& mass,
                                                     Potential const& potential_of_all) const {
    double const r[3] = {per_length * static_cast<double>(x[here]), per_length * static_cast<double>(y[here]),
                         per_length * static_cast<double>(z[here])};
    double const c[3] = {per_speed * static_cast<double>(u[here]), per_speed * static_cast<double>(v[here]),
                         per_speed * static_cast<double>(w[here])};
    double const m = per_mass * static_cast<double>(mass[here]);
    double const speed_squared = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    double const distance_squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    double const speed = Kokkos::sqrt(speed_squared);
    return {{},
            {m * speed_squared / 2, gravity * m * static_cast<double>(potential_of_all[here]) / 2, m * c[0], m * c[1],
             m * c[2], m * speed, m * (r[1] * c[2] - r[2] * c[1]), m * (r[2] * c[0] - r[0] * c[2]),
             m * (r[0] * c[1] - r[1] * c[0]), m * speed * Kokkos::sqrt(distance_squared)}};
  }
};

/// u + factor x
template <class Real>
struct AddScaled {
  static constexpr Shape shape = point;
  Factor<Real> factor;
  template <class P, class U, class X>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const&, U const& u, X const& x) const {
    return u[here] + factor * x[here];
  }
};

/// d2x_i/dt2 = G sum over j of m_j (x_j - x_i) / (|x_j - x_i|^2 + softening^2)^(3/2), by leapfrog in kick-drift-kick
/// form (Verlet 1967; Quinn et al. 1997, arXiv:astro-ph/9710043): second order, time-reversible, and it conserves
/// momentum and angular momentum to rounding.
template <class Real>
class NBody final : public Physics {
 public:
  explicit NBody(PhysicsContext const& context)
      : options_(context.deck.section("nbody")),
        points_(context.points),
        constant_(options_.real("gravity")),
        position_(make_field({.name = "position", .components = 3, .position = true})),
        velocity_(make_field({.name = "velocity", .components = 3, .vector = true})),
        mass_(make_field({.name = "mass"})),
        acceleration_(make_field({.name = "acceleration", .components = 3, .vector = true})),
        potential_(make_field({.name = "potential"})),
        gravity_(points_, options_.real("softening"),
                 options_.choice("schedule") == "queue" ? ForceSchedule::queue : ForceSchedule::even) {
    std::vector<Body> const bodies = initial_bodies(options_, constant_);
    require_precision<Real>(bodies, options_.real("softening"));
    warn_of_lost_digits<Real>(bodies);
    gravity_.set_units(units_of<Real>(bodies, options_.real("softening"), constant_));
    set_bodies(bodies);
    gravity_.accelerate(position_, mass_, acceleration_);
    std::vector<double> const sum = sums_of_all();
    initial_energy_ = energy(sum);
    size_of_energy_ = std::abs(sum[kinetic]) + std::abs(sum[potential]);
    require_energy(bodies);
  }

  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return {&position_, &velocity_, &mass_}; }

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::vector<double> const sum = sums_of_all();
    auto const at = [&](int n) { return sum[static_cast<std::size_t>(n)]; };
    std::vector<Quantity> all{
        {"energy", energy(sum)}, {"kinetic_energy", at(kinetic)}, {"potential_energy", at(potential)}};
    for (int axis = 0; axis < 3; ++axis)
      all.push_back({"momentum_" + std::string(1, "xyz"[axis]), at(momentum + axis), at(momentum_terms)});
    for (int axis = 0; axis < 3; ++axis)
      all.push_back({"angular_momentum_" + std::string(1, "xyz"[axis]), at(spin + axis), at(spin_terms)});
    all.push_back({"energy_drift", drift_of(energy(sum))});
    return all;
  }
  [[nodiscard]] std::vector<std::string> conserved() const override {
    return {"momentum_x", "momentum_y", "momentum_z", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"};
  }

  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override {
    kick(step.size / 2);
    move(position_, velocity_, Factor<Real>::of(step.size));
    gravity_.accelerate(position_, mass_, acceleration_);
    kick(step.size / 2);
    return {};
  }

  [[nodiscard]] bool serialize(StateArchive& state) override {
    for (Field<Real>* const field : {&position_, &velocity_, &mass_, &acceleration_}) {
      state.field(field->name(), *field);
    }
    state.number("initial_energy", initial_energy_);
    state.number("size_of_energy", size_of_energy_);
    state.flag("warned", warned_);
    serialize_units(state);
    return true;
  }

 private:
  [[nodiscard]] Field<Real> make_field(FieldDescription description) const {
    description.ghosts = 0;
    return Field<Real>(points_, std::move(description));
  }

  void set_bodies(std::vector<Body> const& bodies) {
    for (Block const& block : points_->blocks()) {
      for (int axis = 0; axis < 3; ++axis) {
        auto const a = static_cast<std::size_t>(axis);
        set(position_, block, axis, bodies, [a](Body const& body) { return body.position[a]; });
        set(velocity_, block, axis, bodies, [a](Body const& body) { return body.velocity[a]; });
      }
      set(mass_, block, 0, bodies, [](Body const& body) { return body.mass; });
    }
  }
  /// Sets a component of a field to a number for each body of the block.
  template <class Number>
  void set(Field<Real>& field, Block const& block, int component, std::vector<Body> const& bodies,
           Number const& number) const {
    std::vector<Real> values;
    for (Index n = block.cells.begin[0]; n < block.cells.end[0]; ++n)
      values.push_back(static_cast<Real>(number(bodies[static_cast<std::size_t>(n)])));
    field.set_owned(block, component, std::as_bytes(std::span(values)));
  }

  /// Where the energy vanishes, its drift cannot be told. An infinite one ends the run as all infinite quantities do.
  void require_energy(std::vector<Body> const& bodies) const {
    auto const has_mass = [](Body const& body) { return body.mass > 0; };
    auto const moves = [&](Body const& body) { return has_mass(body) && body.velocity != std::array<double, 3>{}; };
    bool const has_energy =
        std::count_if(bodies.begin(), bodies.end(), has_mass) > 1 || std::any_of(bodies.begin(), bodies.end(), moves);
    if (has_energy && size_of_energy_ < std::numeric_limits<double>::min()) {
      throw InputError("`nbody`: the energy of the bodies is below the smallest number of double precision, " +
                       shortest_text(std::numeric_limits<double>::min()) + "; scale the problem");
    }
  }

  /// The units of `acceleration`. In checkpoints of earlier versions they are 1.
  void serialize_units(StateArchive& state) {
    Units units = gravity_.units();
    std::int64_t length = state.restores() ? 0 : units.length;
    std::int64_t mass = state.restores() ? 0 : units.mass;
    if (state.has("units")) {
      state.count("units/length", length);
      state.count("units/mass", mass);
    }
    units.length = static_cast<int>(length);
    units.mass = static_cast<int>(mass);
    gravity_.set_units(units);
  }

  void kick(double duration) {
    int exponents[2];
    double const product = std::frexp(constant_, &exponents[0]) * std::frexp(duration, &exponents[1]);
    int const exponent = exponents[0] + exponents[1] + gravity_.units().acceleration();
    move(velocity_, acceleration_, Factor<Real>::of(product, exponent));
  }

  void move(Field<Real>& value, Field<Real> const& rate, Factor<Real> const& factor) const {
    for (Block const& block : points_->blocks()) {
      for (int axis = 0; axis < 3; ++axis) {
        sweep(execution(block), value.owned(block), Geometry<Real>{}, value.view(block, axis), AddScaled<Real>{factor},
              std::as_const(value).view(block, axis), rate.view(block, axis));
      }
    }
  }

  [[nodiscard]] std::vector<double> sums_of_all() const {
    gravity_.potential(position_, mass_, potential_);
    Units const& units = gravity_.units();
    int exponent_of_gravity = 0;
    double const gravity = std::frexp(constant_, &exponent_of_gravity);
    Sums const sums_of_body{Factor<double>::of(1, -units.length), Factor<double>::of(1, -units.mass),
                            Factor<double>::of(1, -units.speed), gravity};
    std::vector<double> all(sums, 0.0);
    for (Block const& block : points_->blocks()) {
      Reduction<Execution> terms;
      Field<Real> const& r = position_;
      Field<Real> const& c = velocity_;
      sweep_reduce(execution(block), r.owned(block), Geometry<Real>{}, terms, no_outputs, sums_of_body,
                   r.view(block, 0), r.view(block, 1), r.view(block, 2), c.view(block, 0), c.view(block, 1),
                   c.view(block, 2), mass_.view(block), std::as_const(potential_).view(block));
      for (int n = 0; n < sums; ++n) all[static_cast<std::size_t>(n)] += terms.value(n);
    }
    points_->communicator().sum(all);
    int const of_momentum = units.mass + units.speed;
    for (int n = 0; n < sums; ++n) {
      double& sum = all[static_cast<std::size_t>(n)];
      if (n == kinetic) sum = std::ldexp(sum, of_momentum + units.speed);
      if (n == potential) sum = std::ldexp(sum, exponent_of_gravity + units.mass + units.potential());
      if (n >= momentum && n < spin) sum = std::ldexp(sum, of_momentum);
      if (n >= spin) sum = std::ldexp(sum, of_momentum + units.length);
    }
    return all;
  }
  [[nodiscard]] static double energy(std::vector<double> const& sum) { return sum[kinetic] + sum[potential]; }

  /// The change of energy relative to the sum of the magnitudes of kinetic and potential energy, which do not cancel.
  /// Warns once if it is so large that the result has nothing to do with the initial bodies.
  [[nodiscard]] double drift_of(double energy) const {
    double const change = energy - initial_energy_;
    double const drift = size_of_energy_ == 0 ? 0 : change / size_of_energy_;
    if (std::abs(drift) > largest_drift && !warned_) {
      log_warning("nbody: the energy has changed by " + shortest_text(std::abs(drift)) +
                  " of its size, |kinetic| + |potential| at the start: bodies came closer to each other than steps of "
                  "this length resolve, and their trajectories are unreliable; use a shorter `time.step`, or more "
                  "`nbody.softening`");
      warned_ = true;
    }
    return drift;
  }

  Options options_;
  std::shared_ptr<PointSet const> points_;
  double constant_;
  Field<Real> position_;
  Field<Real> velocity_;
  Field<Real> mass_;
  Field<Real> acceleration_;  ///< at the present positions, in gravity_.units(), without the gravitational constant
  mutable Field<Real> potential_;  ///< work array
  mutable Gravity<Real> gravity_;
  double initial_energy_ = 0;
  double size_of_energy_ = 0;  ///< sum of the magnitudes of kinetic and potential energy in the first state
  mutable bool warned_ = false;
};

Section nbody_section() {
  Section nbody("nbody", "Bodies that attract each other by softened gravity, by direct summation over all pairs.");
  declare_initial(nbody);
  nbody.real("gravity", "The gravitational constant.").above(0).defaults_to(1.0);
  nbody.real("softening", "Plummer softening length, below which the attraction of two bodies fades; 0: no softening.")
      .at_least(0)
      .defaults_to(0.0);
  nbody
      .choice("schedule",
              "Distribution of the force computation over the devices of a rank. even: each device computes an equal "
              "part of the bodies; queue: each free device takes the next part, for devices of unequal speed, each of "
              "which then stores all bodies.",
              std::vector<std::string>{"even", "queue"})
      .defaults_to(std::string("even"));
  return nbody;
}

/// A sample stands for a large random set of bodies, with the same mass per body.
std::vector<Body> bodies_to_validate(Options const& nbody) {
  if (nbody.choice("initial") != "plummer") return initial_bodies(nbody, nbody.real("gravity"));
  Options const given = nbody.section("plummer");
  Index const all = given.integer("bodies");
  Index const some = std::min<Index>(all, 1000);
  return plummer(some, given.real("mass") / static_cast<double>(all) * static_cast<double>(some), given.real("scale"),
                 nbody.real("gravity"), static_cast<std::uint64_t>(given.integer("seed")));
}

void validate_bodies(Options const& deck, Mistakes& mistakes) {
  Options const nbody = deck.section("nbody");
  try {
    std::vector<Body> const bodies = bodies_to_validate(nbody);
    double const softening = nbody.real("softening");
    bool const is_single = deck.choice("precision") == "single";
    is_single ? require_precision<float>(bodies, softening) : require_precision<double>(bodies, softening);
  } catch (InputError const& error) {
    mistakes.add(nbody.location(), nbody.full_name(), error.what());
  } catch (InputOutputError const& error) {
    mistakes.add(nbody.location(), nbody.full_name(), error.what());
  }
}

/// Positions, velocities, accelerations, masses, potentials, and three copies of the bodies for the ring, four numbers
/// each. On hosts every rank has all bodies during the start. With a queue each device has all bodies, four numbers
/// each, and three numbers per result.
BytesOfPoint bytes_of_body(Options const& deck) {
  double const real = deck.choice("precision") == "single" ? sizeof(float) : sizeof(double);
  double const beginning = uses_device_memory() ? 0 : sizeof(Body);
  bool const has_queue = deck.section("nbody").choice("schedule") == "queue";
  double const of_queue = has_queue ? (4 + (uses_device_memory() ? 3 : 0)) * real : 0;
  return {.shared = (3 * 3 + 2 + 3 * 4) * real,
          .state = 7 * real,
          .checkpointed = 10 * real,
          .in_each_block = beginning + of_queue};
}

PhysicsEntry nbody_physics() {
  return {.name = "nbody",
          .sentence = "Gravity of bodies on each other, softened, by leapfrog.",
          .options = nbody_section(),
          .points = [](Options const& deck) { return count_bodies(deck.section("nbody")); },
          .takes_courant = false,
          .steps_by_itself = true,
          .validate = validate_bodies,
          .create = create_physics<NBody>,
          .bytes_of_point = bytes_of_body};
}

}  // namespace
}  // namespace halocline::nbody

HALOCLINE_PLUGIN(halocline::nbody::nbody_physics);
