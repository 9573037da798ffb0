#include <memory>
#include <string>

#include "framework/field/boundary_section.hpp"
#include "framework/grid/uniform_faces.hpp"
#include "framework/multigrid/elliptic_operator.hpp"
#include "framework/plugin/plugin.hpp"
#include "material.hpp"
#include "physics/equations/face_means.hpp"
#include "physics/equations/stationary_problem.hpp"

namespace {

using namespace halocline;

/// -div(k grad u) + c u at one point, integrated over its cell.
template <int Dimensions>
struct ReactionAndDiffusion {
  static constexpr Shape shape = star<1, Dimensions>;
  UniformFaces<double> faces;

  template <class P, class U, class K, class C>
  KOKKOS_FUNCTION double operator()(P const& at, U const& u, K const& k, C const& c) const {
    auto const flow = [&](auto there, double face) {
      return face * harmonic_mean(k[here], k[there]) * (u[here] - u[there]);
    };
    double sum = faces.volume * c[here] * u[here];
    sum += flow(west, faces.lower(at, 0)) + flow(east, faces.upper(at, 0));
    sum += flow(south, faces.lower(at, 1)) + flow(north, faces.upper(at, 1));
    if constexpr (Dimensions == 3) sum += flow(bottom, faces.lower(at, 2)) + flow(top, faces.upper(at, 2));
    return sum;
  }
};

template <int Dimensions>
std::unique_ptr<Operator> make_operator(Options const& own, ControlVolumeGrid const& grid) {
  using Functor = ReactionAndDiffusion<Dimensions>;
  Material const material = material_of(own);
  auto const coefficient = [&](char const* name, std::string const& expression) {
    auto const field = std::make_shared<Field<double>>(grid.mesh, FieldDescription{.name = name});
    field->fill(Expression(expression), 0);
    fill_coefficient_ghosts(grid, *field);
    return field;
  };
  return make_elliptic_operator<double, Functor, 2>(
      {.grid = grid,
       .coefficients = {coefficient("k", material.conductivity), coefficient("c", material.rate)},
       .functor_on = [](ControlVolumeGrid const& any) { return Functor{uniform_faces<double>(any)}; }});
}

class Reaction final : public StationaryProblem<double> {
 public:
  Reaction(PhysicsContext const& context, Options const& own, BoundaryConditions const& walls,
           ControlVolumeGrid const& grid)
      : StationaryProblem(context, own, grid, walls,
                          grid.dimensions() == 2 ? make_operator<2>(own, grid) : make_operator<3>(own, grid)) {}
};

std::unique_ptr<Physics> create(PhysicsContext const& context) {
  Options const own = context.deck.section("reaction");
  BoundaryConditions const walls = make_boundary_conditions(own.section("boundary"), *context.mesh);
  return std::make_unique<Reaction>(context, own, walls, control_volume_grid(context.mesh, Centring::cell, walls));
}

PhysicsEntry reaction() {
  Section options("reaction", "-div(k grad u) + c u = source.");
  options.expression("k", "Conductivity, above 0.").defaults_to("1");
  options.expression("c", "Rate of the reaction.").defaults_to("0");
  declare_stationary_problem(options);
  return {.name = "reaction",
          .sentence = options.sentence(),
          .options = std::move(options),
          .time_dependence = TimeDependence::stationary,
          .precisions = {Precision::double_},
          .dimensions = {2, 3},
          .create = create};
}

}  // namespace

HALOCLINE_PLUGIN(reaction);
