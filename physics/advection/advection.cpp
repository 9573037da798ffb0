#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/walls.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/advection/advection_system.hpp"
#include "physics/equations/closed_walls.hpp"
#include "physics/equations/exact_errors.hpp"
#include "physics/equations/points.hpp"
#include "physics/equations/stationary_problem.hpp"
#include "physics/equations/weighted_integrals.hpp"

namespace halocline::advection {
namespace {

constexpr char const* axes[] = {"x", "y", "z"};

/// Collective.
template <class Real>
Description describe(Options const& advection, std::shared_ptr<StructuredMesh const> const& mesh) {
  Precision const precision = std::is_same_v<Real, float> ? Precision::single : Precision::double_;
  auto const values = [&](Options const& section, std::string const& option) {
    return PointValues(section.field(option), section.full_name(option), mesh, precision);
  };
  Description all{.mesh = mesh, .conditions = make_boundary_conditions(advection.section("boundary"), *mesh)};
  Options const velocity = advection.section("velocity");
  for (std::size_t axis = 0; axis < 3; ++axis) all.velocity[axis] = values(velocity, axes[axis]);
  all.diffusivity = values(advection, "diffusivity");
  all.reaction = values(advection, "reaction");
  all.scheme = advection.choice("scheme") == "upwind" ? Scheme::upwind : Scheme::central;
  return all;
}

/// v . grad u - div(k grad u) + c u = source on cells: one linear solve.
template <class Real>
class SteadyAdvection final : public StationaryProblem<Real> {
 public:
  explicit SteadyAdvection(PhysicsContext const& context)
      : SteadyAdvection(context, Discretisation(describe<Real>(context.deck.section("advection"), context.mesh))) {}

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::vector<Quantity> all = StationaryProblem<Real>::quantities();
    all.insert(all.begin() + 2, {"peclet", peclet_});  // after the mean and the maximum
    return all;
  }

 private:
  SteadyAdvection(PhysicsContext const& context, Discretisation const& discretisation)
      : SteadyAdvection(context, discretisation, assemble<Real>(discretisation)) {}
  SteadyAdvection(PhysicsContext const& context, Discretisation const& discretisation, Rows<Real> const& rows)
      : StationaryProblem<Real>(context, context.deck.section("advection"), discretisation.grid(),
                                discretisation.description().conditions, make_operator<Real>(discretisation, rows)),
        peclet_(rows.peclet) {
    this->right_hand_side().add(1, FieldVector<Real>(wall_source<Real>(discretisation)));
  }

  double peclet_;
};

constexpr char const* default_integrator = "ssp_rk3";

/// du/dt + v . grad u - div(k grad u) + c u = source on cells, by any integrator.
template <class Real>
class UnsteadyAdvection final : public EvolvingProblem<Real> {
 public:
  explicit UnsteadyAdvection(PhysicsContext const& context)
      : EvolvingProblem<Real>(context, context.deck.section("advection"), default_integrator) {
    Description description = describe<Real>(this->own(), context.mesh);
    description.may_lack_diffusion = description.scheme == Scheme::upwind;
    auto system = std::make_unique<AdvectionSystem<Real>>(Discretisation(std::move(description)), this->own(),
                                                          this->time(), this->u());
    peclet_ = system->peclet();
    conserves_ = system->is_solenoidal() && this->own().field("reaction").is_zero() &&
                 lets_nothing_in(this->own(), *context.mesh);
    evaluate<Real>(this->own().field("initial"), this->own().full_name("initial"), this->time(), this->u());
    this->begin(std::move(system));
    auto const ones = this->u().create();
    ones->fill(1);
    all_volume_ = ones->dot(this->volume());
    magnitude_ = magnitude_of_integral(this->u(), this->volume(), all_volume_);
  }

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    double const integral = this->u().dot(this->volume());
    std::vector<Quantity> all{{"mean", integral / all_volume_}, {"maximum", this->u().maximum()}};
    if (std::isfinite(peclet_)) all.push_back({"peclet", peclet_});
    all.push_back({"integral", integral, magnitude_});
    add_errors<Real>(this->own(), this->u(), this->time(), this->volume(), all);
    return all;
  }
  [[nodiscard]] std::vector<std::string> conserved() const override {
    if (!conserves_) return {};
    return {"integral"};
  }

 private:
  double peclet_ = 0;
  bool conserves_ = false;
  double all_volume_ = 0;
  double magnitude_ = 0;  ///< of the integral at the start
};

std::unique_ptr<Physics> create(PhysicsContext const& context) {
  if (context.deck.given("time")) return create_physics<UnsteadyAdvection>(context);
  return create_physics<SteadyAdvection>(context);
}

/// The coefficients must not depend on time; in the steady problem nothing may.
void validate_times(Options const& advection, Options const& mesh, bool is_unsteady, Mistakes& mistakes) {
  std::string const stays = is_unsteady ? "but must be constant in time" : "but the problem is steady";
  auto const add = [&](Options const& section, std::string const& option, std::string const& text,
                       std::string const& advice) {
    add_mistake(section, option, "'" + text + "' depends on t, " + stays, mistakes, advice);
  };
  auto const validate_field = [&](Options const& section, std::string const& option, std::string const& advice = "") {
    FieldSource const value = section.field(option);
    if (value.depends_on_time()) add(section, option, value.text(), advice);
  };
  for (char const* axis : axes) validate_field(advection.section("velocity"), axis);
  validate_field(advection, "diffusivity");
  validate_field(advection, "reaction");
  if (is_unsteady) return;
  std::string const advice = "give a section `time` to make it unsteady";
  validate_field(advection, "source", advice);
  validate_field(advection, "initial", advice);
  if (advection.has("exact") && advection.expression("exact").depends_on_time())
    add(advection, "exact", advection.expression("exact").text(), advice);
  for (Options const& wall : walls(advection.section("boundary"), mesh)) {
    Expression const value = wall.expression("value");
    if (value.depends_on_time()) add(wall, "value", value.text(), advice);
  }
}

void validate_diffusivity(Options const& advection, bool is_unsteady, Mistakes& mistakes) {
  FieldSource const k = advection.field("diffusivity");
  if (!k.is_constant() || k.constant() > 0) return;
  bool const may_be_zero = is_unsteady && advection.choice("scheme") == "upwind";
  if (k.constant() == 0 && may_be_zero) return;
  add_mistake(advection, "diffusivity", "'" + k.text() + "' is " + (may_be_zero ? "below 0" : "not above 0"), mistakes,
              is_unsteady && k.constant() == 0 ? "use `scheme: upwind`, which needs no diffusion" : "");
}

/// Rejects methods whose long steps are stable for diffusion alone.
void validate_method(Options const& advection, Options const& time, Mistakes& mistakes) {
  IntegratorEntry const& method = *chosen_integrator(time, default_integrator);
  if (!method.is_for_real_eigenvalues) return;
  Options const velocity = advection.section("velocity");
  for (char const* axis : axes) {
    if (velocity.field(axis).is_zero()) continue;
    add_mistake(time, "method", method.name + " is stable for diffusion, but not for a flow", mistakes,
                std::string("use ") + default_integrator + " or crank_nicolson");
    return;
  }
}

void validate(Options const& deck, Mistakes& mistakes) {
  Options const advection = deck.section("advection");
  Options const mesh = deck.section("mesh");
  validate_walls(advection.section("boundary"), mesh, Centring::cell, mistakes);
  Options const velocity = advection.section("velocity");
  for (std::size_t axis = mesh.entries("cells"); axis < 3; ++axis) {
    if (velocity.given(axes[axis])) {
      add_mistake(velocity, axes[axis], "the mesh has no axis " + std::string(axes[axis]), mistakes);
    }
  }
  bool const is_unsteady = deck.given("time");
  validate_receivers(advection.list("receivers"), mesh, mistakes);
  if (!is_unsteady && !advection.list("receivers").empty()) {
    mistakes.add(advection.location("receivers"), advection.full_name("receivers"),
                 "a steady run has no steps to record", "leave them out, or give a section `time` to make it unsteady");
  }
  validate_diffusivity(advection, is_unsteady, mistakes);
  validate_times(advection, mesh, is_unsteady, mistakes);
  if (is_unsteady) {
    validate_method(advection, deck.section("time"), mistakes);
    return;
  }
  if (advection.field("reaction").is_zero() && !walls_make_regular(advection.section("boundary"), mesh)) {
    mistakes.add(advection.location(), advection.full_name("boundary"), "u is determined only up to a constant",
                 "give a wall of kind dirichlet or robin, or a reaction");
  }
}

Section advection_section() {
  Section advection("advection",
                    "Advection, diffusion and reaction, du/dt + v . grad u - div(k grad u) + c u = source; steady "
                    "(du/dt = 0) without a section `time`.");
  Section velocity("velocity", "Velocity v of the flow.");
  for (char const* axis : axes) {
    velocity.field(axis, std::string("Component along ") + axis + ".").defaults_to(std::string("0"));
  }
  advection.section(std::move(velocity));
  advection.field("diffusivity", "Diffusivity k, above 0; may also be 0 in unsteady runs with `scheme: upwind`.")
      .defaults_to(std::string("1"));
  advection
      .field("reaction",
             "Reaction coefficient c; negative values give waves: -(2 pi / wavelength)^2 k makes this Helmholtz' "
             "equation.")
      .defaults_to(std::string("0"));
  advection
      .choice("scheme",
              "Value of u on the faces between cells. central: the mean of both cells, of second order, which may "
              "oscillate if the Péclet number |v| width / k of a cell is above 2; upwind: the value of the upstream "
              "cell, of first order.",
              std::vector<std::string>{"central", "upwind"})
      .defaults_to(std::string("central"));
  advection.list(receiver_section("u"));
  declare_stationary_problem(advection, "Initial values of u; the initial guess in steady runs.");
  return advection;
}

PhysicsEntry advection_physics() {
  Section options = advection_section();
  std::string const sentence = options.sentence();
  return {.name = "advection",
          .sentence = sentence,
          .options = std::move(options),
          .time_dependence = TimeDependence::by_deck,
          .meshes = {MeshKind::uniform, MeshKind::stretched},
          .rate_parts = {.explicit_part = false, .implicit_part = true},
          .integrator = default_integrator,
          .validate = validate,
          .create = create};
}

}  // namespace
}  // namespace halocline::advection

HALOCLINE_PLUGIN(halocline::advection::advection_physics);
