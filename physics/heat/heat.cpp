#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/walls.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/right_hand_side.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/closed_walls.hpp"
#include "physics/heat/material.hpp"
#include "physics/heat/tea_reader.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/linear_evolving_system.hpp"

namespace halocline::heat {
namespace {

/// The system V du/dt + K u = V source + what the walls add; V the volumes of the cells, K the fluxes out of them.
template <class Real>
class HeatSystem final : public LinearSystem {
 public:
  HeatSystem(DiffusionDescription description, Material<Real> const& material, Options const& heat, double start,
             Vector const& like)
      : description_(std::move(description)),
        material_{.conductivity = &material.conductivity, .mean = material.mean},
        walls_(description_, material_),
        source_(heat.field("source")),
        source_name_(heat.full_name("source")),
        volume_(like.create()) {
    fill_mass<Real>(description_, {}, *volume_);
    require_in_range(*volume_, "the volume of a cell");
    if (source_.is_zero()) return;
    source_terms_ = like.create();
    evaluate_source(start);
  }

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

  [[nodiscard]] Vector const& mass() const override { return *volume_; }

  void add_source(double time, double scale, Vector& b) override {
    walls_.add(time, scale, b);
    if (source_terms_ == nullptr) return;
    if (source_.depends_on_time()) evaluate_source(time);
    b.add(scale, *source_terms_);
  }

  /// By Gershgorin's circles: what leaves a cell through its faces is on the diagonal, and no less than what its
  /// neighbours get.
  double spectral_bound() override {
    auto const diagonal = volume_->create();
    auto const inverse = volume_->create();
    inverse->copy(*volume_);
    inverse->invert();
    if (!stiffness().diagonal(*diagonal)) return LinearSystem::spectral_bound();
    diagonal->multiply(*inverse, *diagonal);
    return 2 * diagonal->maximum();
  }

 private:
  void evaluate_source(double time) { integrate_source<Real>(source_, source_name_, time, *volume_, *source_terms_); }

  DiffusionDescription description_;
  DiffusionMaterial<Real> material_;
  BoundarySource<Real> walls_;  ///< with conductivity 1: the scale is a factor of `add`
  FieldSource source_;
  std::string source_name_;
  std::unique_ptr<Vector> volume_;
  std::unique_ptr<Vector> source_terms_;  ///< null where there is no source
  std::unique_ptr<Operator> operator_;    ///< for the scale in `description_`
  std::unique_ptr<Operator> stiffness_;   ///< null until it is asked for
};

constexpr char const* default_integrator = "implicit_euler";

bool is_explicit(Options const& time) {
  return integrator_entry_of(time, default_integrator).treatment == Treatment::explicit_;
}

/// du/dt = div(k grad u) + source on cells, by any integrator.
template <class Real>
class Heat final : public Physics {
 public:
  explicit Heat(PhysicsContext const& context)
      : options_(context.deck.section("heat")),
        time_(context.deck.section("time").real("start")),
        closed_(options_.field("source").is_zero() &&
                are_closed(make_boundary_conditions(options_.section("boundary"), *context.mesh), *context.mesh)),
        material_(make_material<Real>(options_, context.mesh)),
        field_(std::make_shared<Field<Real>>(context.mesh, FieldDescription{.name = "u"})),
        u_(field_),
        system_({.mesh = context.mesh,
                 .conditions = make_boundary_conditions(options_.section("boundary"), *context.mesh),
                 .mass = 1},
                material_, options_, time_, u_),
        density_volume_(u_.create()),
        integrator_(make_time_integrator(context.deck.section("time"), default_integrator)),
        solver_(make_solver(context.deck.section("solver"))),
        evolution_(system_, *solver_, u_) {
    if (is_explicit(context.deck.section("time"))) {
      euler_step_ = evolution_.euler_step();
      integrator_->set_euler_step(euler_step_);
    }
    solver_->set_observer(context.observer);
    FieldVector<Real> const& terms = as_field_vector<Real>(*density_volume_);
    terms.field().copy(material_.density);
    density_volume_->multiply(system_.mass(), terms);
    if (options_.has("initial"))
      evaluate<Real>(options_.field("initial"), options_.full_name("initial"), time_, u_);
    else
      fill_state(options_, *context.mesh, *field_);
    measure();
    if (options_.has("exact"))
      static_cast<void>(error());  // an exact solution without a value somewhere shows before anything is written
  }

  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return {field_.get(), &material_.density}; }

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::array<Vector const*, 2> const weights{density_volume_.get(), &system_.mass()};
    std::array<double, 2> of_u{};
    u_.dots(weights, of_u);
    std::vector<Quantity> all{{"temperature", of_u[0]},
                              {"volume", volume_},
                              {"mass", mass_},
                              {"internal_energy", of_u[1], energy_magnitude_}};
    if (!options_.has("exact")) return all;
    ErrorNorms const norms = error();
    all.push_back({"error_2", norms.two});
    all.push_back({"error_maximum", norms.maximum});
    return all;
  }
  [[nodiscard]] std::vector<std::string> conserved() const override {
    if (!closed_) return {};
    return {"internal_energy"};
  }

  [[nodiscard]] double stable_step() const override { return integrator_->stable_factor() * euler_step_; }
  [[nodiscard]] double suggested_step() const override { return integrator_->suggested_step(); }

  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override {
    auto reports = evolution_.advance(*integrator_, step.time, step.size);
    time_ = step.time + step.size;
    return reports;
  }

 private:
  [[nodiscard]] ErrorNorms error() const {
    return error_norms<Real>(u_, options_.expression("exact"), options_.full_name("exact"), time_, system_.mass());
  }

  /// What stays as it is at the start.
  void measure() {
    auto const work = u_.create();
    work->fill(1);
    std::array<Vector const*, 2> const weights{density_volume_.get(), &system_.mass()};
    std::array<double, 2> of_one{};
    work->dots(weights, of_one);
    mass_ = of_one[0];
    volume_ = of_one[1];
    // Cauchy and Schwarz: the sum of |u| volume is at most the root of the sum of u^2 volume times the volume.
    work->multiply(system_.mass(), u_);
    energy_magnitude_ = std::sqrt(u_.dot(*work) * volume_);
  }

  Options options_;
  double time_;
  bool closed_;
  double volume_ = 0;
  double mass_ = 0;
  double energy_magnitude_ = 0;  ///< of the initial internal energy
  Material<Real> material_;
  std::shared_ptr<Field<Real>> field_;
  FieldVector<Real> u_;
  HeatSystem<Real> system_;
  std::unique_ptr<Vector> density_volume_;
  std::unique_ptr<TimeIntegrator> integrator_;
  std::unique_ptr<LinearSolver> solver_;
  LinearEvolvingSystem evolution_;
  double euler_step_ = std::numeric_limits<double>::infinity();  ///< of an explicit integrator; others have no limit
};

void judge_conductivity(Options const& heat, Mistakes& mistakes) {
  FieldSource const k = heat.field("conductivity");
  if (k.depends_on_time()) {
    add_mistake(heat, "conductivity", "'" + k.text() + "' depends on t, but the conductivity stays as it is", mistakes);
  }
  if (k.is_constant() && !(k.constant() > 0)) {
    add_mistake(heat, "conductivity", "'" + k.text() + "' is not above 0", mistakes);
  }
}

Section heat_section() {
  Section heat("heat", "Conduction of heat, du/dt = div(k grad u) + source, on cells.");
  heat.list(region_section());
  heat.choice(
          "coefficient",
          "What TeaLeaf calls the conduction coefficient of a cell, the reciprocal of k: density or 1 / density; faces "
          "take the mean of both k.",
          std::vector<std::string>{"density", "inverse_density"})
      .defaults_to(std::string("density"));
  heat.field("conductivity",
             "k, above 0 and the same at all times, instead of one from `coefficient`; faces take the harmonic mean.")
      .optional();
  heat.field("initial", "u at the start; without it, density times energy of the regions.").optional();
  heat.field("source", "Heat that comes in, per volume and time.").defaults_to(std::string("0"));
  heat.expression("exact", "Exact solution, if known: error norms become quantities.").optional();
  heat.section(declare_boundary_section(BoundaryKind::neumann));
  heat.check([](Options const& given, Mistakes& mistakes) {
    if (given.list("regions").empty() && !given.has("initial")) {
      mistakes.add(given.location(), given.full_name("initial"), "missing", "give `initial` or `regions`");
    }
    if (given.has("conductivity") && given.given("coefficient")) {
      add_mistake(given, "coefficient", "given together with `conductivity`", mistakes, "give one of them");
    }
    if (given.has("conductivity")) judge_conductivity(given, mistakes);
  });
  return heat;
}

void judge(Options const& deck, Mistakes& mistakes) {
  Options const heat = deck.section("heat");
  Options const mesh = deck.section("mesh");
  judge_walls(heat.section("boundary"), mesh, Centring::cell, mistakes);
  judge_regions(heat.list("regions"), mesh.entries("cells"), mistakes);
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
          .judge = judge,
          .create = create_physics<Heat>,
          .deck_formats = {tea_format()},
          .promises = {.mirror_symmetric = true, .axes_alike = true}};
}

}  // namespace
}  // namespace halocline::heat

HALOCLINE_PLUGIN(halocline::heat::heat_physics);
