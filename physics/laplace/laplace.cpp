#include <memory>
#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/grid/walls.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/stationary_problem.hpp"

namespace halocline {
namespace {

Centring centring_of(Options const& laplace) {
  return laplace.choice("centring") == "node" ? Centring::node : Centring::cell;
}

DiffusionDescription describe(PhysicsContext const& context) {
  Options const laplace = context.deck.section("laplace");
  return {.mesh = context.mesh,
          .centring = centring_of(laplace),
          .conditions = make_boundary_conditions(laplace.section("boundary"), *context.mesh)};
}

/// -div grad u = source on nodes or cells.
template <class Real>
class Laplace final : public StationaryProblem<Real> {
 public:
  explicit Laplace(PhysicsContext const& context) : Laplace(context, describe(context)) {}

 private:
  Laplace(PhysicsContext const& context, DiffusionDescription const& description)
      : StationaryProblem<Real>(context, context.deck.section("laplace"),
                                control_volume_grid(description.mesh, description.centring, description.conditions),
                                description.conditions, make_diffusion<Real>(description)) {
    BoundarySource<Real>(description).add(0, 1, this->right_hand_side());
  }
};

void validate(Options const& deck, Mistakes& mistakes) {
  Options const laplace = deck.section("laplace");
  validate_walls(laplace.section("boundary"), deck.section("mesh"), centring_of(laplace), mistakes);
}

Section laplace_section() {
  Section laplace("laplace", "Poisson's equation -div grad u = source.");
  laplace.choice("centring", "Location of u, at nodes or in cells.", std::vector<std::string>{"node", "cell"})
      .defaults_to(std::string("node"));
  declare_stationary_problem(laplace);
  return laplace;
}

PhysicsEntry laplace_physics() {
  Section options = laplace_section();
  std::string const sentence = options.sentence();
  return {.name = "laplace",
          .sentence = sentence,
          .options = std::move(options),
          .time_dependence = TimeDependence::stationary,
          .meshes = {MeshKind::uniform, MeshKind::stretched},
          .centring = [](Options const& deck) { return centring_of(deck.section("laplace")); },
          .validate = validate,
          .create = create_physics<Laplace>};
}

}  // namespace
}  // namespace halocline

HALOCLINE_PLUGIN(halocline::laplace_physics);
