#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/grid/walls.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/stationary_problem.hpp"
#include "solvers/linear/factory.hpp"

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

void judge(Options const& deck, Mistakes& mistakes) {
  Options const laplace = deck.section("laplace");
  judge_walls(laplace.section("boundary"), deck.section("mesh"), centring_of(laplace), mistakes);
}

Section laplace_section() {
  Section laplace("laplace", "Poisson's equation -div grad u = source.");
  laplace.choice("centring", "Where u lives.", std::vector<std::string>{"node", "cell"})
      .defaults_to(std::string("node"));
  declare_stationary_problem(laplace);
  return laplace;
}

/// Whether all control volumes are equal. Nodes on a wall that does not give their value have half of one.
bool is_uniform(Options const& deck) {
  Options const laplace = deck.section("laplace");
  if (deck.section("mesh").has("growth")) return false;
  if (centring_of(laplace) == Centring::cell) return true;
  std::vector<Options> const all = walls(laplace.section("boundary"), deck.section("mesh"));
  return std::all_of(all.begin(), all.end(),
                     [](Options const& wall) { return boundary_condition(wall).kind == BoundaryKind::dirichlet; });
}

/// The field, u, the volumes, the right-hand side and two to work on. Equal volumes need no coefficients; levels always
/// do.
double arrays_of(Options const& deck) {
  int const dimensions = static_cast<int>(deck.section("mesh").integers("cells").size());
  ProblemSize problem{.dimensions = dimensions, .coefficients = 0, .coarse_coefficients = 2.0 + dimensions};
  problem.single_precision = deck.choice("precision") == "single";
  problem.singular = !walls_make_regular(deck.section("laplace").section("boundary"), deck.section("mesh"));
  if (!is_uniform(deck)) problem.coefficients = problem.coarse_coefficients;
  // Edges, positions, widths and control volumes of an axis are six arrays, as long as a field where there is no other.
  double const along_axis = dimensions == 1 ? 6 : 0;
  return 6 + along_axis + problem.coefficients + solver_vectors(deck.section("solver"), problem);
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
          .judge = judge,
          .create = create_physics<Laplace>,
          .arrays = arrays_of};
}

}  // namespace
}  // namespace halocline

HALOCLINE_PLUGIN(halocline::laplace_physics);
