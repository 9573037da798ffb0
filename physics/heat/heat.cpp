#include <string>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/equations.hpp"
#include "physics/heat/regions.hpp"
#include "physics/heat/tea_reader.hpp"

namespace halocline::heat {
namespace {

/// du/dt = div(k grad u): all of it is the diffusion by the coefficient k.
template <class Real, int Axes>
struct Conduction {
  static constexpr Shape shape = point;
  static constexpr int coefficient_fields = 1;

  explicit Conduction(Options const& /*heat*/) {}

  template <class K>
  KOKKOS_FUNCTION Real diffusivity(K const& conductivity) const {
    return conductivity[here];
  }
};

bool has_regions(Options const& heat) { return !heat.list("regions").empty(); }

/// TeaLeaf's coefficient c of a cell is the reciprocal of its conductivity: the face between a and b gets
/// (a + b) / (2 a b), the mean of 1 / a and 1 / b.
double conductivity_of(Options const& heat, Options const& region) {
  double const density = region.real("density");
  return heat.choice("coefficient") == "inverse_density" ? density : 1 / density;
}

void validate(Options const& heat, Mistakes& mistakes) {
  if (!has_regions(heat) && !heat.has("initial")) {
    mistakes.add(heat.location(), heat.full_name("initial"), "missing", "give `initial` or `regions`");
  }
  if (!heat.has("conductivity")) return;
  if (heat.given("coefficient")) {
    add_mistake(heat, "coefficient", "given together with `conductivity`", mistakes, "give one of them");
  }
  FieldSource const k = heat.field("conductivity");
  if (k.is_constant() && k.constant() < 0) add_mistake(heat, "conductivity", "'" + k.text() + "' is below 0", mistakes);
}

PhysicsEntry heat_physics() {
  Equations heat("heat", "Heat conduction, du/dt = div(k grad u) + source, on cells.");
  heat.options().list(region_section());
  heat.options()
      .choice("coefficient",
              "TeaLeaf's conduction coefficient of a cell, the reciprocal of k: density or 1 / density; k on a face is "
              "the arithmetic mean of both cells.",
              std::vector<std::string>{"density", "inverse_density"})
      .defaults_to(std::string("density"));
  heat.options().check(validate);
  heat.coefficient("conductivity",
                   "Conductivity k, at least 0 and constant in time, which replaces `coefficient`; k on a face is the "
                   "harmonic mean of both cells.",
                   "");
  heat.only_field("u", "Initial values of u; if not given, density times energy of the regions.");

  heat.material("density", of_regions("", [](auto&, auto& region) { return region.real("density"); }));
  heat.computed("conductivity", of_regions("conductivity", conductivity_of));
  heat.computed(
      "u", of_regions("initial", [](auto&, auto& region) { return region.real("density") * region.real("energy"); }));
  heat.face_mean([](Options const& given) {
    return has_regions(given) && !given.has("conductivity") ? FaceMean::arithmetic : FaceMean::harmonic;
  });
  heat.integral("temperature", "u", "density").integral("volume", "", "").integral("mass", "", "density");
  heat.integral("internal_energy", "u", "").conserves("u");
  heat.integrator("implicit_euler").mirror_symmetric().axes_alike().autonomous();
  PhysicsEntry entry = heat.evolution<Conduction, 1, 2, 3>();
  entry.validate = [of_equations = entry.validate](Options const& deck, Mistakes& mistakes) {
    of_equations(deck, mistakes);
    validate_regions(deck.section("heat").list("regions"), deck.section("mesh").entries("cells"), mistakes);
  };
  entry.deck_formats = {tea_format()};
  return entry;
}

}  // namespace
}  // namespace halocline::heat

HALOCLINE_PLUGIN(halocline::heat::heat_physics);
