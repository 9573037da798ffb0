#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/field/field.hpp"
#include "framework/grid/walls.hpp"
#include "framework/io/field_values.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/right_hand_side.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/diffusion.hpp"
#include "solvers/linear/factory.hpp"

namespace halocline {
namespace {

Centring centring_of(Options const& laplace) {
  return laplace.choice("centring") == "node" ? Centring::node : Centring::cell;
}

/// -div grad u = source on nodes or cells: one linear solve.
template <class Real>
class Laplace final : public Physics {
 public:
  explicit Laplace(PhysicsContext const& context)
      : options_(context.deck.section("laplace")),
        description_{.mesh = context.mesh,
                     .centring = centring_of(options_),
                     .conditions = make_boundary_conditions(options_.section("boundary"), *context.mesh)},
        field_(context.mesh, {.name = "u", .centring = description_.centring}),
        walls_(field_, description_.conditions),
        operator_(make_diffusion<Real>(description_)),
        solver_(make_solver(context.deck.section("solver"))),
        u_(operator_->create_vector()),
        b_(operator_->create_vector()),
        volume_(operator_->create_vector()) {
    solver_->set_observer(context.observer);
    solver_->prepare(*operator_);
    fill_mass<Real>(description_, {}, *volume_);
    evaluate<Real>(options_.field("initial"), options_.full_name("initial"), 0, *u_);
    integrate_source<Real>(options_.field("source"), options_.full_name("source"), 0, *volume_, *b_);
    BoundarySource<Real>(description_).add(0, 1, *b_);
    show();
    if (options_.has("exact"))
      static_cast<void>(error());  // an exact solution without a value somewhere shows before anything is written
  }

  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return {&field_}; }

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    auto const ones = u_->create();
    ones->fill(1);
    std::vector<Quantity> all{{"mean", u_->dot(*volume_) / ones->dot(*volume_)}, {"maximum", u_->maximum()}};
    if (!options_.has("exact")) return all;
    ErrorNorms const norms = error();
    all.push_back({"error_2", norms.two});
    all.push_back({"error_maximum", norms.maximum});
    return all;
  }

  [[nodiscard]] std::vector<SolveReport> advance(Step const&) override {
    SolveReport report = solver_->solve(*operator_, *b_, *u_);
    show();
    return {std::move(report)};
  }

 private:
  [[nodiscard]] ErrorNorms error() const {
    return error_norms<Real>(*u_, options_.expression("exact"), options_.full_name("exact"), 0, *volume_);
  }

  /// The vector holds the unknowns alone: the field gets them, and the nodes on walls with a given value.
  void show() {
    FieldVector<Real> const& u = as_field_vector<Real>(*u_);
    field_.copy(u.field());
    walls_.fill(field_, 0);
  }

  Options options_;
  DiffusionDescription description_;
  Field<Real> field_;
  BoundaryFill walls_;
  std::unique_ptr<Operator> operator_;
  std::unique_ptr<LinearSolver> solver_;
  std::unique_ptr<Vector> u_;
  std::unique_ptr<Vector> b_;
  std::unique_ptr<Vector> volume_;
};

void judge(Options const& deck, Mistakes& mistakes) {
  Options const laplace = deck.section("laplace");
  judge_walls(laplace.section("boundary"), deck.section("mesh"), centring_of(laplace), mistakes);
}

Section laplace_section() {
  Section laplace("laplace", "Poisson's equation -div grad u = source.");
  laplace.choice("centring", "Where u lives.", std::vector<std::string>{"node", "cell"})
      .defaults_to(std::string("node"));
  laplace.field("source", "Right-hand side.").defaults_to(std::string("0"));
  laplace.field("initial", "Initial guess.").defaults_to(std::string("0"));
  laplace.expression("exact", "Exact solution, if known: error norms become quantities.").optional();
  laplace.section(declare_boundary_section(BoundaryKind::dirichlet));
  return laplace;
}

/// Whether all control volumes are equal. Nodes on a wall that does not give their value have half of one.
bool is_uniform(Options const& deck) {
  Options const laplace = deck.section("laplace");
  if (deck.section("mesh").has("growth")) return false;
  if (centring_of(laplace) == Centring::cell) return true;
  std::vector<Options> const all = walls(laplace.section("boundary"), deck.section("mesh"));
  return std::all_of(all.begin(), all.end(), [](Options const& wall) { return wall.choice("kind") == "dirichlet"; });
}

/// The field, u, the volumes, the right-hand side and two to work on. Equal volumes need no coefficients; levels always
/// do.
double arrays_of(Options const& deck) {
  int const dimensions = static_cast<int>(deck.section("mesh").integers("cells").size());
  ProblemSize problem{.dimensions = dimensions, .coefficients = 0, .coarse_coefficients = 2.0 + dimensions};
  problem.single_precision = deck.choice("precision") == "single";
  problem.floating = !walls_hold(deck.section("laplace").section("boundary"), deck.section("mesh"));
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
