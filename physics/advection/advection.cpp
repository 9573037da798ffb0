#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/walls.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/advection/advection_operator.hpp"
#include "physics/equations/stationary_problem.hpp"
#include "solvers/linear/factory.hpp"

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
class Advection final : public StationaryProblem<Real> {
 public:
  explicit Advection(PhysicsContext const& context)
      : Advection(context, Discretisation(describe<Real>(context.deck.section("advection"), context.mesh))) {}

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::vector<Quantity> all = StationaryProblem<Real>::quantities();
    all.insert(all.begin() + 2, {"peclet", peclet_});  // behind mean and maximum
    return all;
  }

 private:
  Advection(PhysicsContext const& context, Discretisation const& discretisation)
      : Advection(context, discretisation, assemble<Real>(discretisation)) {}
  Advection(PhysicsContext const& context, Discretisation const& discretisation, Rows<Real> const& rows)
      : StationaryProblem<Real>(context, context.deck.section("advection"), discretisation.grid(),
                                discretisation.description().conditions, make_operator<Real>(discretisation, rows)),
        peclet_(rows.peclet) {
    this->right_hand_side().add(1, FieldVector<Real>(rows.wall_source));
  }

  double peclet_;
};

void judge(Options const& deck, Mistakes& mistakes) {
  Options const advection = deck.section("advection");
  Options const mesh = deck.section("mesh");
  judge_walls(advection.section("boundary"), mesh, Centring::cell, mistakes);
  Options const velocity = advection.section("velocity");
  for (std::size_t axis = mesh.entries("cells"); axis < 3; ++axis) {
    if (velocity.given(axes[axis])) {
      add_mistake(velocity, axes[axis], "the mesh has no axis " + std::string(axes[axis]), mistakes);
    }
  }
  FieldSource const k = advection.field("diffusivity");
  if (k.is_constant() && !(k.constant() > 0)) {
    add_mistake(advection, "diffusivity", "'" + k.text() + "' is not above 0", mistakes);
  }
  for (std::string const option : {"diffusivity", "reaction", "source"}) {
    FieldSource const value = advection.field(option);
    if (!value.depends_on_time()) continue;
    add_mistake(advection, option, "'" + value.text() + "' depends on t, but nothing here changes with time", mistakes);
  }
  if (advection.field("reaction").is_zero() && !walls_make_regular(advection.section("boundary"), mesh)) {
    mistakes.add(advection.location(), advection.full_name("boundary"), "nothing fixes u: any constant could be added",
                 "give a wall of kind dirichlet or robin, or a reaction");
  }
}

Section advection_section() {
  Section advection("advection",
                    "Steady advection, diffusion and reaction, v . grad u - div(k grad u) + c u = source.");
  Section velocity("velocity", "v of the flow.");
  for (char const* axis : axes) {
    velocity.field(axis, std::string("Component along ") + axis + ".").defaults_to(std::string("0"));
  }
  advection.section(std::move(velocity));
  advection.field("diffusivity", "k, above 0.").defaults_to(std::string("1"));
  advection.field("reaction", "c; below 0 waves: -(2 pi / wave length)^2 k makes Helmholtz' equation.")
      .defaults_to(std::string("0"));
  advection
      .choice("scheme",
              "u on the faces between cells. central: the mean, of second order, but it may oscillate where a cell's "
              "Péclet number |v| width / k is above 2; upwind: that of the cell the flow comes from, of first order.",
              std::vector<std::string>{"central", "upwind"})
      .defaults_to(std::string("central"));
  declare_stationary_problem(advection);
  return advection;
}

PhysicsEntry advection_physics() {
  Section options = advection_section();
  std::string const sentence = options.sentence();
  return {.name = "advection",
          .sentence = sentence,
          .options = std::move(options),
          .time_dependence = TimeDependence::stationary,
          .meshes = {MeshKind::uniform, MeshKind::stretched},
          .judge = judge,
          .create = create_physics<Advection>};
}

}  // namespace
}  // namespace halocline::advection

HALOCLINE_PLUGIN(halocline::advection::advection_physics);
