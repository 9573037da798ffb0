#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/walls.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/closed_walls.hpp"
#include "physics/equations/evolving_problem.hpp"
#include "physics/equations/exact_errors.hpp"
#include "physics/equations/points.hpp"
#include "physics/heat/material.hpp"
#include "physics/heat/tea_reader.hpp"

namespace halocline::heat {
namespace {

/// The system V du/dt + K u = V source + wall terms; V the volumes of the cells, K the fluxes out of them.
template <class Real>
class HeatSystem final : public VolumeSystem<Real> {
 public:
  HeatSystem(DiffusionDescription const& description, DiffusionMaterial<Real> const& material, Options const& heat,
             double start, Vector const& like)
      // The walls have conductivity 1, as the scale is passed to `add` as a factor.
      : VolumeSystem<Real>(control_volume_grid(description.mesh, description.centring, description.conditions),
                           BoundarySource<Real>(description, material), heat, start, like),
        description_(description),
        material_(material) {}

  Operator const& shifted(double scale) override {
    if (operator_ != nullptr && scale == description_.conductivity) return *operator_;
    description_.conductivity = scale;
    operator_ = make_diffusion<Real>(description_, material_);
    return *operator_;
  }

  Operator const& stiffness() override {
    if (stiffness_ != nullptr) return *stiffness_;
    DiffusionDescription alone = description_;
    alone.conductivity = 1;
    alone.mass = 0;
    stiffness_ = make_diffusion<Real>(alone, material_);
    return *stiffness_;
  }

  /// By Gershgorin's circles: the diagonal is the sum of a cell's face coefficients and at least the sum of its
  /// neighbours' entries.
  double spectral_bound() override {
    auto const diagonal = this->mass().create();
    auto const inverse = this->mass().create();
    inverse->copy(this->mass());
    inverse->invert();
    if (!stiffness().diagonal(*diagonal)) return LinearSystem::spectral_bound();
    diagonal->multiply(*inverse, *diagonal);
    return 2 * diagonal->maximum();
  }

 private:
  DiffusionDescription description_;
  DiffusionMaterial<Real> material_;
  std::unique_ptr<Operator> operator_;   ///< for the scale in `description_`
  std::unique_ptr<Operator> stiffness_;  ///< null until first used
};

constexpr char const* default_integrator = "implicit_euler";

/// du/dt = div(k grad u) + source on cells, by any integrator.
template <class Real>
class Heat final : public EvolvingProblem<Real> {
 public:
  explicit Heat(PhysicsContext const& context)
      : EvolvingProblem<Real>(context, context.deck.section("heat"), default_integrator),
        closed_(lets_nothing_in(this->own(), *context.mesh)),
        material_(make_material<Real>(this->own(), context.mesh)),
        density_volume_(this->u().create()) {
    DiffusionDescription const description{
        .mesh = context.mesh,
        .conditions = make_boundary_conditions(this->own().section("boundary"), *context.mesh),
        .mass = 1};
    auto system = std::make_unique<HeatSystem<Real>>(
        description, DiffusionMaterial<Real>{.conductivity = &material_.conductivity, .mean = material_.mean},
        this->own(), this->time(), this->u());
    FieldVector<Real> const& terms = as_field_vector<Real>(*density_volume_);
    terms.field().copy(material_.density);
    density_volume_->multiply(system->mass(), terms);
    if (this->own().has("initial"))
      evaluate<Real>(this->own().field("initial"), this->own().full_name("initial"), this->time(), this->u());
    else
      fill_state(this->own(), *context.mesh, this->field());
    this->begin(std::move(system));
    measure();
  }

  [[nodiscard]] std::vector<FieldBase const*> fields() const override {
    std::vector<FieldBase const*> all = EvolvingProblem<Real>::fields();
    all.push_back(&material_.density);
    return all;
  }

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::array<Vector const*, 2> const weights{density_volume_.get(), &this->volume()};
    std::array<double, 2> of_u{};
    this->u().dots(weights, of_u);
    std::vector<Quantity> all{{"temperature", of_u[0]},
                              {"volume", volume_},
                              {"mass", mass_},
                              {"internal_energy", of_u[1], energy_magnitude_}};
    add_errors<Real>(this->own(), this->u(), this->time(), this->volume(), all);
    return all;
  }
  [[nodiscard]] std::vector<std::string> conserved() const override {
    if (!closed_) return {};
    return {"internal_energy"};
  }

 private:
  /// Records the conserved quantities at the start.
  void measure() {
    auto const work = this->u().create();
    work->fill(1);
    std::array<Vector const*, 2> const weights{density_volume_.get(), &this->volume()};
    std::array<double, 2> of_one{};
    work->dots(weights, of_one);
    mass_ = of_one[0];
    volume_ = of_one[1];
    energy_magnitude_ = magnitude_of_integral(this->u(), this->volume(), volume_);
  }

  bool closed_;
  double volume_ = 0;
  double mass_ = 0;
  double energy_magnitude_ = 0;  ///< of the initial internal energy
  Material<Real> material_;
  std::unique_ptr<Vector> density_volume_;
};

void validate_conductivity(Options const& heat, Mistakes& mistakes) {
  FieldSource const k = heat.field("conductivity");
  if (k.depends_on_time()) {
    add_mistake(heat, "conductivity", "'" + k.text() + "' depends on t, but the conductivity must be constant in time",
                mistakes);
  }
  if (k.is_constant() && !(k.constant() > 0)) {
    add_mistake(heat, "conductivity", "'" + k.text() + "' is not above 0", mistakes);
  }
}

Section heat_section() {
  Section heat("heat", "Heat conduction, du/dt = div(k grad u) + source, on cells.");
  heat.list(region_section());
  heat.choice("coefficient",
              "TeaLeaf's conduction coefficient of a cell, the reciprocal of k: density or 1 / density; k on a face is "
              "the arithmetic mean of both cells.",
              std::vector<std::string>{"density", "inverse_density"})
      .defaults_to(std::string("density"));
  heat.field("conductivity",
             "Conductivity k, above 0 and constant in time, which replaces `coefficient`; k on a face is the harmonic "
             "mean of both cells.")
      .optional();
  heat.field("initial", "Initial values of u; if not given, density times energy of the regions.").optional();
  heat.field("source", "Heat source per volume and time.").defaults_to(std::string("0"));
  heat.expression("exact", "Exact solution, if known; error norms are then reported as quantities.").optional();
  heat.section(declare_boundary_section(BoundaryKind::neumann));
  heat.list(receiver_section("u"));
  heat.check([](Options const& given, Mistakes& mistakes) {
    if (given.list("regions").empty() && !given.has("initial")) {
      mistakes.add(given.location(), given.full_name("initial"), "missing", "give `initial` or `regions`");
    }
    if (given.has("conductivity") && given.given("coefficient")) {
      add_mistake(given, "coefficient", "given together with `conductivity`", mistakes, "give one of them");
    }
    if (given.has("conductivity")) validate_conductivity(given, mistakes);
  });
  return heat;
}

void validate(Options const& deck, Mistakes& mistakes) {
  Options const heat = deck.section("heat");
  Options const mesh = deck.section("mesh");
  validate_walls(heat.section("boundary"), mesh, Centring::cell, mistakes);
  validate_receivers(heat.list("receivers"), mesh, mistakes);
  validate_regions(heat.list("regions"), mesh.entries("cells"), mistakes);
}

PhysicsEntry heat_physics() {
  Section options = heat_section();
  std::string const sentence = options.sentence();
  return {.name = "heat",
          .sentence = sentence,
          .options = std::move(options),
          .time_dependence = TimeDependence::evolving,
          .meshes = {MeshKind::uniform, MeshKind::stretched},
          .rate_parts = {.explicit_part = false, .implicit_part = true},
          .integrator = default_integrator,
          .validate = validate,
          .create = create_physics<Heat>,
          .deck_formats = {tea_format()},
          .promises = {.mirror_symmetric = true, .axes_alike = true}};
}

}  // namespace
}  // namespace halocline::heat

HALOCLINE_PLUGIN(halocline::heat::heat_physics);
