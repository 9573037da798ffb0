#include "physics/nbody/bodies.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "framework/runtime/error.hpp"
#include "physics/nbody/body_file.hpp"

namespace halocline::nbody {
namespace {

/// Uniform numbers in [0, 1), the same with every standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// A vector of the given length with a uniformly distributed direction.
std::array<double, 3> directed(double length, Uniform& uniform) {
  double const z = length * (1 - 2 * uniform());
  double const across = std::sqrt(std::max(0.0, length * length - z * z));
  double const angle = 2 * std::numbers::pi * uniform();
  return {across * std::cos(angle), across * std::sin(angle), z};
}

/// The radius within which a random fraction of the mass lies, in units of the scale; the outermost thousandth is cut
/// off.
double radius(Uniform& uniform) {
  double const part = 0.999 * (1 - uniform());
  return 1 / std::sqrt(std::pow(part, -2.0 / 3) - 1);
}

/// A speed as a fraction of the escape speed, with density q^2 (1 - q^2)^(7/2), by rejection.
double part_of_escape(Uniform& uniform) {
  constexpr double above_most = 0.1;
  for (;;) {
    double const q = uniform();
    if (above_most * uniform() < q * q * std::pow(1 - q * q, 3.5)) return q;
  }
}

/// Moves the centre of mass of equal masses to the origin and to rest.
void come_to_rest(std::vector<Body>& bodies) {
  Body mean{};
  // A mass of order one, with the same bits of its fraction, neither overflows in products nor vanishes.
  int exponent = 0;
  double const mass = std::frexp(bodies.front().mass, &exponent);
  for (Body const& body : bodies) {
    mean.mass += mass;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      mean.position[axis] += mass * body.position[axis];
      mean.velocity[axis] += mass * body.velocity[axis];
    }
  }
  for (Body& body : bodies) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      body.position[axis] -= mean.position[axis] / mean.mass;
      body.velocity[axis] -= mean.velocity[axis] / mean.mass;
    }
  }
}

std::array<double, 3> vector_of(Options const& body, char const* name) {
  std::vector<double> const numbers = body.reals(name);
  return {numbers[0], numbers[1], numbers[2]};
}

std::vector<Body> listed_bodies(std::vector<Options> const& list) {
  std::vector<Body> bodies;
  for (Options const& body : list)
    bodies.push_back({vector_of(body, "position"), vector_of(body, "velocity"), body.real("mass")});
  return bodies;
}

/// sqrt(a b c / d) of numbers whose products may be out of range: their exponents are kept apart, which changes no bit.
double root_of(double a, double b, double c, double d) {
  int exponents[4];
  double const product = std::frexp(a, &exponents[0]) * std::frexp(b, &exponents[1]) * std::frexp(c, &exponents[2]);
  double const quotient = product / std::frexp(d, &exponents[3]);
  int const exponent = exponents[0] + exponents[1] + exponents[2] - exponents[3];
  int const odd = exponent % 2;
  return std::ldexp(std::sqrt(std::ldexp(quotient, odd)), (exponent - odd) / 2);
}

}  // namespace

void declare_initial(Section& nbody) {
  nbody
      .choice("initial", "Initial positions, velocities and masses of the bodies.",
              std::vector<std::string>{"plummer", "two_body", "list", "file"})
      .defaults_to(std::string("plummer"));
  nbody.sections("initial", [] {
    std::vector<Section> all;
    Section& plummer = all.emplace_back(
        "plummer", "A sphere of equal masses in equilibrium (Plummer 1911), with its centre of mass at rest.");
    plummer.integer("bodies", "Number of bodies.").at_least(1).at_most(std::int64_t{1} << 40);
    plummer.real("mass", "Total mass of all bodies.").above(0).defaults_to(1.0);
    plummer.real("scale", "Plummer radius, which encloses 0.35 of the mass.").above(0).defaults_to(1.0);
    plummer.integer("seed", "Seed of the random numbers; the same seed gives the same bodies on any number of ranks.")
        .at_least(0)
        .defaults_to(std::int64_t{1});
    Section& two = all.emplace_back("two_body", "Two bodies on a Kepler orbit, starting at their greatest distance.");
    two.reals("masses", "Masses of the two bodies.", 2, 2).above(0).defaults_to(std::vector<double>{0.5, 0.5});
    two.real("axis", "Semi-major axis of their relative orbit.").above(0).defaults_to(1.0);
    two.real("eccentricity", "Eccentricity of that orbit; 0: a circle.").at_least(0).below(1).defaults_to(0.0);
    Section& list = all.emplace_back("list", "Bodies given one by one.");
    Section body("bodies", "One body.");
    body.reals("position", "Position along x, y and z.", 3, 3);
    body.reals("velocity", "Velocity along x, y and z.", 3, 3).defaults_to(std::vector<double>{0, 0, 0});
    body.real("mass", "Mass.").at_least(0).defaults_to(1.0);
    list.list(std::move(body));
    Section& file = all.emplace_back("file",
                                     "Bodies from a file with rows of x, y, z, velocity along x, y, z and mass, in "
                                     ".npy format or as comma-separated text.");
    file.path("path", "Path of the file, which ends with .npy or .csv.");
    return all;
  });
}

Index count_bodies(Options const& nbody) {
  std::string const initial = nbody.choice("initial");
  if (initial == "plummer") return nbody.section(initial).integer("bodies");
  if (initial == "two_body") return 2;
  if (initial == "file") return count_rows(nbody.section(initial).path("path"));
  auto const count = static_cast<Index>(nbody.section(initial).list("bodies").size());
  if (count == 0) throw InputError("holds no bodies; give `list.bodies`");
  return count;
}

std::vector<Body> initial_bodies(Options const& nbody, double gravity) {
  std::string const initial = nbody.choice("initial");
  Options const given = nbody.section(initial);
  if (initial == "plummer") {
    return plummer(given.integer("bodies"), given.real("mass"), given.real("scale"), gravity,
                   static_cast<std::uint64_t>(given.integer("seed")));
  }
  if (initial == "file") return read_bodies(given.path("path"));
  if (initial == "list") return listed_bodies(given.list("bodies"));
  std::vector<double> const masses = given.reals("masses");
  return two_bodies({masses[0], masses[1]}, given.real("axis"), given.real("eccentricity"), gravity);
}

std::vector<Body> plummer(Index count, double mass, double scale, double gravity, std::uint64_t seed) {
  Uniform uniform(seed);
  std::vector<Body> bodies;
  bodies.reserve(static_cast<std::size_t>(count));
  double const unit_of_speed = root_of(gravity, mass, 1, scale);
  for (Index n = 0; n < count; ++n) {
    double const r = radius(uniform);
    double const escape = std::sqrt(2.0) * std::pow(1 + r * r, -0.25);
    std::array<double, 3> const position = directed(scale * r, uniform);
    std::array<double, 3> const velocity = directed(unit_of_speed * escape * part_of_escape(uniform), uniform);
    bodies.push_back({position, velocity, mass / static_cast<double>(count)});
  }
  come_to_rest(bodies);
  return bodies;
}

std::vector<Body> two_bodies(std::array<double, 2> const& masses, double axis, double eccentricity, double gravity) {
  double const mass = masses[0] + masses[1];
  double const distance = axis * (1 + eccentricity);
  // Vis-viva: v^2 = G M (2 / r - 1 / a).
  double const speed = root_of(gravity, mass, 2 / distance - 1 / axis, 1);
  double const first = masses[1] / mass;
  double const second = masses[0] / mass;
  return {{{first * distance, 0, 0}, {0, first * speed, 0}, masses[0]},
          {{-second * distance, 0, 0}, {0, -second * speed, 0}, masses[1]}};
}

}  // namespace halocline::nbody
